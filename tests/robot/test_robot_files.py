"""Robots by name and by path, and files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import armdyn
from armdyn import (
    Arm,
    ArmdynError,
    FileError,
    InputError,
    Joint,
    Robot,
    RobotError,
    RobotWarning,
    generic,
)
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.checks import LONGEST_NAME
from armdyn.robot.chain import chain_of
from armdyn.robot.files import read_robot, write_robot
from armdyn.robot.library import bundled_names
from armdyn.writing import write_whole
from support.robots import random_robot, random_state, relative_error
from support.says import facts

LISTED = f"Bundled are: {', '.join(bundled_names())}."

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of POSIX")


def test_toml_file_gives_the_same_torques(tmp_path: Path) -> None:
    robot = random_robot("mixed", 6, 1)
    path = tmp_path / "arm.TOML"
    write_robot(robot, path)
    again = read_robot(str(path))
    assert again == robot
    state = random_state(robot)
    q, qd, qdd = (state[k].tolist() for k in ("q", "qd", "qdd"))
    expected = inverse_dynamics(chain_of(robot), q, qd, qdd)
    assert inverse_dynamics(chain_of(again), q, qd, qdd) == expected


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".URDF"])
def test_urdf_file_gives_the_same_torques(suffix: str, tmp_path: Path) -> None:
    robot = read_robot("stanford")
    path = tmp_path / f"arm{suffix}"
    write_robot(robot, path)
    again = read_robot(path)
    state = random_state(robot)
    q, qd, qdd = (state[k].tolist() for k in ("q", "qd", "qdd"))
    expected = inverse_dynamics(chain_of(robot), q, qd, qdd)
    assert relative_error(inverse_dynamics(chain_of(again), q, qd, qdd), expected) < 1e-12
    assert read_robot(path, tip="joint3_link").n == 3
    with pytest.raises(FileError, match="nowhere"):
        read_robot(path, tip="nowhere")


def test_a_name_means_the_bundled_robot_and_a_path_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_robot(generic(2), "puma560.toml")
    (tmp_path / "puma560").write_text("a file of the same name")
    assert read_robot("puma560").n == 6
    assert read_robot("puma560.toml").n == 2
    with pytest.raises(FileError, match=facts("puma560", "suffix")):
        read_robot(Path("puma560"))


def prepare(folder: Path) -> None:
    (folder / "empty.toml").touch()
    (folder / "robot.xacro").write_text("<robot/>")
    (folder / "robot.json").write_text("{}")
    (folder / "robot.step").write_text("ISO")
    (folder / "folder.toml").mkdir()
    (folder / "elbow_arm.toml").write_text("name = 'x'")


UNREADABLE: list[tuple[Any, type[Exception], str]] = [
    ("puma650", FileError, "no file of this name; did you mean 'puma560'? " + LISTED),
    ("PUMA560", FileError, "did you mean 'puma560'?"),
    ("planar", FileError, "did you mean 'planar3' or 'planar2'?"),
    ("xyz", FileError, "there is no bundled robot and no file of this name. " + LISTED),
    ("puma560.toml", FileError, "there is no such file; for the bundled robot write 'puma560'."),
    ("elbow_arn.toml", FileError, "did you mean 'elbow_arm.toml' beside it?"),
    ("no/where/arm.urdf", FileError, "there is no such file. " + LISTED),
    (Path("arm.urdf"), FileError, "there is no such file."),
    ("folder.toml", FileError, "is a folder; give the path of a robot file in it."),
    (".", FileError, "is a folder"),
    ("empty.toml", FileError, "is empty"),
    ("robot.xacro", FileError, "<robot> has no attribute `name`"),
    ("robot.json", FileError, ".json files cannot be read; write it as TOML"),
    ("robot.step", FileError, ".step files cannot be read. Robots are read as .toml"),
    ("elbow_arm.toml/x.toml", FileError, "no such file"),
    ("a" * 5000 + ".toml", FileError, "File name too long"),
    ("", InputError, "`source` is '', expected the name of a robot or a path."),
    ("a\0b.toml", InputError, "expected the name of a robot or a path."),
    (5, InputError, "`source` is 5, expected the name of a robot or a path."),
    (None, InputError, "`source` is None, expected the name of a robot or a path."),
    (b"arm.toml", InputError, "expected the name of a robot or a path."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "kind", "text"), UNREADABLE, ids=lambda x: str(x)[:30])
def test_what_cannot_be_read_is_said(
    source: Any, kind: type[Exception], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as error:
        read_robot(source)
    assert text in str(error.value)
    if isinstance(error.value, FileError):
        assert error.value.path == Path(source)


@on_posix
def test_what_is_no_regular_file_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe.toml"
    os.mkfifo(path)
    with pytest.raises(FileError, match=facts("regular file")):
        read_robot(path)
    with pytest.raises(FileError, match=facts("regular file", "replaced")):
        write_whole(path, "text")
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_unreadable_file_is_an_error_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.toml"
    path.touch()

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("armdyn.robot.formats.records.open", refuse, raising=False)
    with pytest.raises(FileError, match=facts("arm.toml", "Permission denied")):
        read_robot(path)


@pytest.mark.parametrize("option", ["base", "tip"])
def test_links_are_chosen_in_urdf_files_only(option: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    write_robot(generic(2), path)
    for source in ("puma560", path):
        with pytest.raises(InputError, match=facts(f"`{option}`", "'tool0'")):
            read_robot(source, **{option: "tool0"})  # type: ignore[arg-type]


def test_loose_reading_reaches_the_reader(tmp_path: Path) -> None:
    joint = Joint(name="elbow", mass=1.0, inertia=(1, 0, 0, 1, 0, 3))
    with pytest.warns(RobotWarning):
        robot = Robot([joint], name="odd", strict=False)
    path = tmp_path / "odd.toml"
    write_robot(robot, path)
    path.write_text(path.read_text().replace("strict = false\n", ""))
    with pytest.raises(FileError, match=r"joint 'elbow'.*strict=False"):
        read_robot(path)
    with pytest.warns(RobotWarning, match="joint 'elbow'"):
        assert read_robot(path, strict=False) == robot


UNWRITABLE: list[tuple[Any, type[Exception], str]] = [
    ("arm.json", FileError, ".json files cannot be written. Robots are written as .toml"),
    ("arm.xacro", FileError, ".xacro files cannot be written. Robots are written as"),
    ("arm", FileError, "files without a suffix cannot be written"),
    ("no/where/arm.toml", FileError, "cannot be written: no folder no/where; make it first."),
    ("folder.toml", FileError, "is a folder; give the name of a file in it."),
    ("a" * 5000 + ".toml", FileError, "cannot be written: File name too long"),
    ("", InputError, "`path` is '', expected the path of a file."),
    (None, InputError, "`path` is None, expected the path of a file."),
]  # fmt: skip


@pytest.mark.parametrize(("path", "kind", "text"), UNWRITABLE, ids=lambda x: str(x)[:30])
def test_what_cannot_be_written_is_said_and_leaves_nothing(
    path: Any, kind: type[Exception], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder.toml").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as error:
        write_robot(generic(2), path)
    assert text in str(error.value)
    assert [p.name for p in tmp_path.rglob("*")] == ["folder.toml"]


def test_only_robots_are_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`robot` is 'puma560', expected a Robot"):
        write_robot("puma560", tmp_path / "arm.toml")  # type: ignore[arg-type]


@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_failing_write_leaves_the_old_file_and_no_other(
    step: str, failure: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.toml"
    write_robot(generic(2), path)
    before = path.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(os, step, fail)
    if isinstance(failure, OSError):
        with pytest.raises(FileError, match=facts("arm.toml", "No space left")):
            write_robot(generic(3), path)
    else:
        with pytest.raises(KeyboardInterrupt):
            write_robot(generic(3), path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["arm.toml"]


def test_text_that_has_no_utf8_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text("old")
    with pytest.raises(FileError, match=facts("UTF-8")):
        write_robot(Robot([Joint()], name="\ud800"), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["arm.toml"]


@on_posix
def test_permissions_of_the_old_file_are_kept_and_links_followed(tmp_path: Path) -> None:
    path, link, new = tmp_path / "arm.toml", tmp_path / "link.toml", tmp_path / "new.toml"
    path.touch(mode=0o640)
    link.symlink_to(path)
    write_robot(generic(2), link)
    assert link.is_symlink()
    assert read_robot(path) == generic(2)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    umask = os.umask(0o027)
    try:
        write_robot(generic(2), new)
    finally:
        os.umask(umask)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


@on_posix
def test_link_to_nothing_is_named_by_what_it_points_at(tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(tmp_path / "none" / "arm.toml")
    with pytest.raises(FileError, match=facts("link.toml", "none/arm.toml")):
        read_robot(link)
    with pytest.raises(FileError, match=facts("folder", "none")):
        write_robot(generic(2), link)


def test_text_is_written_byte_for_byte(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", "α\nβ\r\n")
    assert (tmp_path / "a.txt").read_bytes() == "α\nβ\r\n".encode()


repeatable = settings(
    derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@repeatable
@given(st.binary(max_size=100) | st.text(max_size=100).map(lambda text: text.encode("utf-16")))
def test_any_bytes_give_an_arm_or_an_error_of_ours(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "arm.toml"
    path.write_bytes(data)
    with pytest.raises(FileError) as error:
        read_robot(path)
    assert error.value.path == path


@repeatable
@given(st.text(max_size=40))
def test_any_name_gives_a_robot_or_an_error_of_ours(name: str) -> None:
    try:
        read_robot(name)
    except ArmdynError:
        return
    assert name in bundled_names()


@repeatable
@given(st.integers(0, 5000), st.integers(0, 30), st.text("0123456789.e-[]=\"'\n# abx", max_size=6))
def test_damaged_file_gives_an_arm_or_an_error_of_ours(
    tmp_path: Path, start: int, length: int, patch: str
) -> None:
    path = tmp_path / "arm.toml"
    write_robot(read_robot("stanford"), path)
    text = path.read_text()
    path.write_text(text[:start] + patch + text[start + length :])
    try:
        read_robot(path)
    except ArmdynError as error:
        assert str(path) in str(error)


def test_the_longest_name_can_be_written_and_read_in_every_format(tmp_path: Path) -> None:
    name = "x" * LONGEST_NAME
    arm = Arm(Robot([Joint(b=0.3, mass=1.0, name=name)], name=name))
    for suffix in (".toml", ".urdf", ".xml"):
        path = tmp_path / f"long{suffix}"
        armdyn.save(arm, path)
        assert armdyn.load(path).joint_names == (name,)
    with pytest.raises(RobotError, match=f"has {LONGEST_NAME + 1} characters"):
        Joint(name=name + "x")
    with pytest.raises(RobotError, match=f"has {LONGEST_NAME + 1} characters"):
        Robot([Joint()], name=name + "x")


def test_folders_of_packages_with_endless_names_are_refused() -> None:
    with pytest.raises(InputError, match="packages"):
        armdyn.load("puma560.urdf", packages=["x" * 5000])
