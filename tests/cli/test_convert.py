"""`armdyn convert`: every pair of formats, checked by torques; the original is never touched."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Joint, Robot
from armdyn.cli.app import main
from armdyn.cli.conversion import compared
from armdyn.cli.verbs import convert as verb
from armdyn.errors import RobotWarning
from armdyn.robot.files import read_robot, write_robot
from support.mjcf_texts import TWO_LINKS

LINK = {"mass": 1.0, "com": (0.2, 0.0, 0.1), "inertia": (0.01, 0.001, 0.0, 0.02, 0.0, 0.02)}
ROBOT = Robot(
    [
        Joint(name="a", lower=-1, upper=2, velocity=3, effort=40, rotor_inertia=0.1, **LINK),
        Joint(name="b", beta=1.2, b=0.3, d=0.1, viscous=0.5, coulomb=0.2, **LINK),
        Joint(name="c", kind="prismatic", beta=-0.4, load_friction=0.1, offset=0.3, **LINK),
    ],
    gravity=(0.0, 1.0, -9.0),
    name="odd",
)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """Run the verb in an empty folder; return exit status and both outputs."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["armdyn", "convert", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        return int(stop.value.code or 0), *capsys.readouterr()

    return call


def write(path: str) -> None:
    with pytest.warns(RobotWarning) if path.endswith("xml") else _nothing():
        write_robot(ROBOT, path)


def _nothing():
    from contextlib import nullcontext

    return nullcontext()


@pytest.mark.parametrize(("first", "second"), [*permutations(("toml", "urdf", "xml"), 2)])
def test_every_pair_of_formats(run, first: str, second: str) -> None:
    write(f"arm.{first}")
    before = Path(f"arm.{first}").read_bytes()
    status, out, _ = run(f"arm.{first}", f"new.{second}")
    assert status == 0, out
    assert "torques" in out and "kept" in out
    assert compared(ROBOT, read_robot(f"new.{second}")).agrees
    assert Path(f"arm.{first}").read_bytes() == before


def test_the_table_says_what_was_kept_changed_and_lost(run) -> None:
    Path("arm.xml").write_text(TWO_LINKS)
    status, out, _ = run("arm.xml", "new.toml", "--json")
    found = json.loads(out)
    assert (status, found["agrees"], found["in"], found["out"]) == (0, True, "arm.xml", "new.toml")
    assert found["torque_error"] < 1e-12
    verdicts = {item["what"]: item["verdict"] for item in found["parts"]}
    assert verdicts["joints"] == verdicts["rotor inertia"] == verdicts["coulomb"] == "kept"
    assert verdicts["frames by name"] in ("kept", "lost")
    assert any("No velocity limit" in note for note in found["reading"])
    write("all.toml")
    _, out, _ = run("all.toml", "new.urdf", "--json")
    assert any("rotor inertia" in told for told in json.loads(out)["not_seen_by_other_programs"])
    _, out, _ = run("all.toml", "new.xml", "--json")
    assert any("load_friction" in told for told in json.loads(out)["not_seen_by_other_programs"])


def test_xacro_is_converted_with_arguments(run) -> None:
    write("arm.urdf")
    text = Path("arm.urdf").read_text().replace(
        '<robot name="odd">',
        '<robot name="odd" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:arg name="m" default="1.0"/>',
    )  # fmt: skip
    Path("arm.urdf.xacro").write_text(text.replace('<mass value="1.0"', '<mass value="$(arg m)"'))
    assert run("arm.urdf.xacro", "new.urdf", "--arg", "m=2")[0] == 0
    assert [joint.mass for joint in read_robot("new.urdf").joints] == [2.0, 2.0, 2.0]


def test_a_branch_is_chosen_and_left_out(run) -> None:
    Path("arm.xml").write_text(TWO_LINKS)
    assert run("arm.xml", "new.urdf", "--tip", "upper")[0] == 0
    assert read_robot("new.urdf").n == 1
    assert run("arm.xml", "new.urdf", "--without-links", "hand")[0] == 0


def test_a_difference_is_exit_status_1_and_nothing_is_written(
    run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("arm.toml")

    def wrong(robot: Robot, path: Path) -> None:
        first, *others = robot.joints
        write_robot(robot.with_joints([first, *others[:-1], others[-1]]), path)
        text = Path(path).read_text()
        Path(path).write_text(text.replace("mass = 1.0", "mass = 1.00000001", 1))

    monkeypatch.setattr(verb, "write_robot", wrong)
    Path("new.toml").write_text("old")
    status, out, err = run("arm.toml", "new.toml")
    assert status == 1
    assert "changed" in out
    assert "new.toml was not written" in err
    assert Path("new.toml").read_text() == "old"


def test_the_same_file_is_refused(run) -> None:
    write("arm.toml")
    before = Path("arm.toml").read_bytes()
    os.link("arm.toml", "link.toml")
    Path("soft.toml").symlink_to("arm.toml")
    for name in ("arm.toml", "./arm.toml", "link.toml", "soft.toml"):
        status, out, err = run("arm.toml", name)
        assert (status, out) == (2, "")
        assert "is the file to read" in err
    assert Path("arm.toml").read_bytes() == before


def test_places_that_cannot_be_written(run) -> None:
    write("arm.toml")
    Path("folder.urdf").mkdir()
    for name, words in (
        ("folder.urdf", "is a folder"),
        ("none/new.urdf", "make it first"),
        ("/proc/new.urdf", "cannot be written"),
        ("/dev/full.urdf/x.urdf", "make it first"),
    ):
        status, out, err = run("arm.toml", name)
        assert (status, out) == (2, "")
        assert words in err, (name, err)
    assert sorted(os.listdir()) == ["arm.toml", "folder.urdf"]


def test_a_folder_that_is_read_only(run) -> None:
    write("arm.toml")
    Path("locked").mkdir()
    Path("locked").chmod(stat.S_IRUSR | stat.S_IXUSR)
    if os.access("locked", os.W_OK):
        pytest.skip("this user may write anywhere")
    status, out, err = run("arm.toml", "locked/new.urdf")
    assert (status, out) == (2, "")
    assert "cannot be written" in err


def test_a_full_disk_leaves_what_was_there(run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("arm.toml")
    Path("disk").mkdir()
    Path("disk/new.urdf").write_text("old")
    before = Path("arm.toml").read_bytes()
    real = os.fsync

    def full(file: int) -> None:
        if "disk" in os.readlink(f"/proc/self/fd/{file}"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file)

    monkeypatch.setattr(os, "fsync", full)
    status, out, err = run("arm.toml", "disk/new.urdf")
    assert (status, out) == (2, "")
    assert "cannot be written: No space left" in err
    assert Path("disk/new.urdf").read_text() == "old"
    assert os.listdir("disk") == ["new.urdf"]
    assert Path("arm.toml").read_bytes() == before


def test_other_arms_do_not_agree() -> None:
    found = compared(ROBOT, armdyn.load("planar2").robot)
    assert not found.agrees
    assert found.items[0].verdict == "changed"
    heavier = ROBOT.with_joints([Joint(name="a", **LINK | {"mass": 1.0 + 1e-9}), *ROBOT.joints[1:]])
    assert 1e-12 < compared(ROBOT, heavier).torque_error < 1.0
    assert {item.what: item.verdict for item in compared(ROBOT, heavier).items}[
        "velocity"
    ] == "lost"
    assert np.isfinite(compared(ROBOT, ROBOT).torque_error)
