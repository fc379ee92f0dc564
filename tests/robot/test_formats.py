"""A format of robot files is one module and one row of a table."""

from __future__ import annotations

from pathlib import Path

import pytest

import armdyn
from armdyn import FileError, InputError, Joint, MissingExtraError, Robot
from armdyn.robot.formats import registry as _registry
from armdyn.robot.formats.registry import RobotFormat, root_element, suffixes_in_words
from support.says import facts
from support.urdf_texts import ARM

TOY = RobotFormat(
    name="Toy",
    words="a joint a line",
    suffixes=(".toy",),
    reader="support.toy_formats:read_toy",
    writer="support.toy_formats:toy_text",
    options=("tip",),
)
OTHER = RobotFormat(
    name="Other",
    words="another XML",
    suffixes=(".xml", ".other"),
    reader="support.toy_formats:read_other",
    root="other",
)


@pytest.fixture
def formats(monkeypatch: pytest.MonkeyPatch) -> list[RobotFormat]:
    rows = [*_registry.FORMATS, TOY, OTHER]
    monkeypatch.setattr(_registry, "FORMATS", rows)
    return rows


def robot() -> Robot:
    return Robot([Joint(name="a", mass=1.5, b=0.1), Joint(name="b", mass=0.5, b=0.25)], name="arm")


@pytest.mark.usefixtures("formats")
def test_new_format_is_read_and_written_by_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "arm.toy"
    armdyn.save(robot(), path)
    assert path.read_text() == "a 1.5 0.1\nb 0.5 0.25\n"
    assert armdyn.load(path).robot == robot()


@pytest.mark.usefixtures("formats")
def test_options_that_a_format_takes_reach_its_reader_and_others_are_refused(
    tmp_path: Path,
) -> None:
    armdyn.save(robot(), tmp_path / "arm.toy")
    assert armdyn.load(tmp_path / "arm.toy", tip="a").n == 1
    with pytest.raises(InputError, match=facts("`base`", "'a'", "URDF", "xacro", "MJCF")):
        armdyn.load(tmp_path / "arm.toy", base="a")
    with pytest.raises(InputError, match=facts("URDF", "xacro", "MJCF", "Toy")):
        armdyn.load("puma560", tip="a")


@pytest.mark.usefixtures("formats")
def test_messages_list_the_new_format(tmp_path: Path) -> None:
    macros = ", .xacro (URDF with macros)"
    known = (
        f".toml (a table of joints), .urdf or .xml (URDF){macros}, .xml or .mjcf (MuJoCo's MJCF)"
    )
    (tmp_path / "arm.step").touch()
    with pytest.raises(FileError) as read:
        armdyn.load(tmp_path / "arm.step")
    assert f"read as {known}, .toy (a joint a line) and .xml or .other (anoth" in str(read.value)
    with pytest.raises(FileError) as written:
        armdyn.save(robot(), tmp_path / "arm.step")
    known = known.replace(".urdf or .xml", ".urdf").replace(macros, "")
    assert f"written as {known} and .toy (a joint a line)." in str(written.value)
    assert suffixes_in_words() == ".toml, .urdf, .xml, .xacro, .mjcf, .toy or .other"


@pytest.mark.usefixtures("formats")
def test_formats_that_share_a_suffix_are_told_apart_by_the_root_element(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    assert armdyn.load(path).n == 2
    path.write_text('<?xml version="1.0"?>\n<!-- <robot> -->\n<other/>')
    assert armdyn.load(path).joint_names == ("other",)
    path.write_text("<sdf/>")
    with pytest.raises(FileError, match=facts("<sdf>", "<robot>")):
        armdyn.load(path)
    armdyn.save(robot(), path)  # the first row that writes the suffix: MJCF
    assert root_element(path) == "mujoco"


def test_missing_package_of_a_format_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = RobotFormat(
        name="Toy", words="", suffixes=(".toy",), reader="x:y", extra=("no_such_package", "toy")
    )
    monkeypatch.setattr(_registry, "FORMATS", [row])
    (tmp_path / "arm.toy").touch()
    with pytest.raises(MissingExtraError, match=facts("Toy", "'no_such_package'")):
        armdyn.load(tmp_path / "arm.toy")


@pytest.mark.parametrize(
    ("data", "root"),
    [
        (b"<robot/>", "robot"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<u:robot xmlns:u='x'>", "robot"),
        ("<mujoco model='x'>".encode("utf-16"), "mujoco"),
        (b"<!DOCTYPE a><!-- <b> --> <c>", "c"),
        (b"", ""),
        (b"no XML", ""),
    ],
)
def test_root_element_is_found_without_parsing(data: bytes, root: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_bytes(data)
    assert root_element(path) == root
