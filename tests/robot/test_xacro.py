"""xacro files: expanded as `xacrodoc` does, with places in errors, and without doing harm."""

from __future__ import annotations

import os
import random
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

import armdyn
from armdyn.errors import ArmdynError, InputError, RobotFileError
from armdyn.robot.files import name_into, read_robot
from armdyn.robot.formats.xacro.read import expanded
from support.mutations import mutated
from support.says import facts, says
from support.xacro_texts import ARM, MACROS


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """The path of a xacro file, with its macros in a folder below."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/macros.xacro").write_text(MACROS)
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(ARM)
    return path


def refused(path: Path, text: str | None = None, **options: object) -> str:
    if text is not None:
        path.write_text(text)
    with pytest.raises(RobotFileError) as error:
        armdyn.load(path, **options)
    return str(error.value)


def test_macros_includes_and_arguments_are_expanded(arm: Path) -> None:
    joint = armdyn.load(arm).robot.joints[0]
    assert (joint.name, joint.mass, joint.lower) == ("upper_joint", 2.0, -1.0)
    assert armdyn.load(arm, arguments={"mass": 3}).robot.joints[0].mass == 3.0
    assert armdyn.load(arm, arguments={"mass": "4.5"}, tip="upper").robot.joints[0].mass == 4.5
    assert "upper" in armdyn.load(arm).frames


def test_unknown_arguments_are_refused(arm: Path) -> None:
    message = refused(arm, arguments={"mas": 3})
    assert says(message, "'mas'", "'mass'")
    for wrong in ([1], {"mass": [1]}, {1: 2}):
        with pytest.raises(InputError, match="`arguments`"):
            armdyn.load(arm, arguments=wrong)
    with pytest.raises(InputError, match=facts("`arguments`", "xacro")):
        armdyn.load("puma560", arguments={"mass": 3})


def package(folder: Path, name: str) -> Path:
    path = folder / name
    (path / "urdf").mkdir(parents=True)
    (path / "package.xml").write_text(f"<package><name>{name}</name></package>")
    (path / "urdf/macros.xacro").write_text(MACROS)
    return path


FOUND = ARM.replace("parts/macros.xacro", "$(find my_arm)/urdf/macros.xacro")


def test_packages_are_found_by_path_and_environment(
    arm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm.write_text(FOUND)
    message = refused(arm)
    assert says(message, "line 2", "'my_arm'", "packages=[")
    workspace = tmp_path.parent / f"{tmp_path.name}_workspace"
    path = package(workspace / "src" / "arms", "my_arm")
    for folder in (path, path.parent, workspace):
        assert armdyn.load(arm, packages=[folder]).n == 1
    assert armdyn.load(arm, packages=str(path)).n == 1
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere{os.pathsep}{workspace}")
    assert armdyn.load(arm).n == 1
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    package(tmp_path.parent / f"{tmp_path.name}_install" / "share", "my_arm")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path.parent / f"{tmp_path.name}_install"))
    assert armdyn.load(arm).n == 1


def test_a_file_in_a_package_finds_its_own_package(tmp_path: Path) -> None:
    path = package(tmp_path, "my_arm") / "urdf/arm.xacro"
    path.write_text(FOUND)
    assert armdyn.load(path).n == 1
    path.write_text(ARM.replace("parts/macros.xacro", "../urdf/macros.xacro"))
    assert armdyn.load(path).n == 1


def test_a_folder_named_like_the_package_is_one(arm: Path, tmp_path: Path) -> None:
    (tmp_path / "my_arm/urdf").mkdir(parents=True)
    (tmp_path / "my_arm/urdf/macros.xacro").write_text(MACROS)
    arm.write_text(FOUND)
    assert armdyn.load(arm).n == 1


def test_packages_must_be_folders(arm: Path) -> None:
    for wrong in (["/nowhere"], 3, [3]):
        with pytest.raises(InputError, match="`packages`"):
            armdyn.load(arm, packages=wrong)


def test_an_error_names_the_file_the_line_and_the_macro(arm: Path) -> None:
    macros = arm.parent / "parts/macros.xacro"
    macros.write_text(MACROS.replace("${mass}", "${mas * 2}"))
    message = refused(arm)
    assert says(message, "parts/macros.xacro, line 7", "'link'", "line 5 of arm.urdf.xacro")
    assert says(message, "'mas'", "'mas * 2'", "defined")
    macros.write_text(MACROS.replace("</xacro:macro>", ""))
    message = refused(arm)
    assert says(message, "parts/macros.xacro, line 18", "mismatched tag")
    macros.write_text(MACROS)
    assert says(
        refused(arm, ARM.replace("xacro:link name", "xacro:lnk name")),
        "arm.urdf.xacro, line 5",
        "macro",
    )
    assert says(
        refused(arm, ARM.replace(' mass="$(arg mass)"', "")), "line 5 of arm.urdf.xacro", "[mass]"
    )
    assert says(
        refused(arm, ARM.replace("$(arg mass)", "$(arg weight)")), "'weight'", "arguments={'weight'"
    )
    assert says(refused(arm, ARM.replace("macros.xacro", "none.xacro")), "line 2", "file")


def test_what_is_wrong_with_the_expanded_urdf_is_told(arm: Path) -> None:
    assert "mass of -1 kg" in refused(arm, arguments={"mass": "-1"})
    assert "is 'heavy', expected a number" in refused(arm, arguments={"mass": "heavy"})
    assert "expected <robot>" in refused(arm, "<sdf/>")


HOSTILE = {
    "a file elsewhere": ('<xacro:include filename="/etc/passwd"/>', "in none of its packages"),
    "a file above": ('<xacro:include filename="../other.xacro"/>', "in none of its packages"),
    "a table elsewhere": (
        "<xacro:property name=\"x\" value=\"${xacro.load_yaml('/etc/passwd')}\"/><a b=\"${x}\"/>",
        "in none of its packages",
    ),
    "a device": ('<xacro:include filename="/dev/zero"/>', "in none of its packages"),
    "a folder": ('<xacro:include filename="parts"/>', "not a regular file"),
    "itself": ('<xacro:include filename="arm.urdf.xacro"/>', "includes itself"),
    "a macro of itself": (
        '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', "without end",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("inside", "words"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused(arm: Path, inside: str, words: str) -> None:
    (arm.parent.parent / "other.xacro").write_text(MACROS)
    assert words in refused(arm, ARM.replace("</robot>", f"{inside}</robot>"))


def test_a_file_of_macros_names_the_file_that_uses_them(arm: Path) -> None:
    (arm.parent / "macros.xacro").write_text(MACROS)
    message = refused(arm.parent / "macros.xacro")
    assert says(message, "macros")
    assert says(message, "included by 'arm.urdf.xacro'")


def test_document_types_are_refused(arm: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    assert "declares a document type" in refused(arm, bomb + ARM)
    (arm.parent / "parts/macros.xacro").write_text(bomb + MACROS)
    assert says(refused(arm, ARM), "parts/macros.xacro", "document type")


def test_arithmetic_of_files_still_works(arm: Path) -> None:
    text = ARM.replace("$(arg mass)", "${max(1, radians(180) / pi) + len([1, 2])}")
    arm.write_text(text)
    assert armdyn.load(arm).robot.joints[0].mass == 3.0
    arm.write_text(ARM.replace("$(arg mass)", "$(eval mass * 2 + 1)"))
    assert armdyn.load(arm).robot.joints[0].mass == 5.0
    (arm.parent / "table.yaml").write_text("link: {mass: 6.0}")
    table = "${xacro.load_yaml('table.yaml')['link']['mass']}"
    arm.write_text(ARM.replace("$(arg mass)", table))
    assert armdyn.load(arm).robot.joints[0].mass == 6.0


def test_an_arm_is_written_into_the_urdf_that_a_file_expands_to(arm: Path, tmp_path: Path) -> None:
    robot = armdyn.load(arm, arguments={"mass": 3}).robot
    new = tmp_path / "new.urdf"
    armdyn.save(robot, new, into=arm, arguments={"mass": 3})
    assert new.read_text() == expanded(arm, {"mass": 3})
    heavier = robot.with_joints([replace(robot.joints[0], mass=3.5)])
    armdyn.save(heavier, new, into=arm, arguments={"mass": 3})
    assert new.read_text() == expanded(arm, {"mass": 3}).replace('value="3"', 'value="3.5"')
    assert name_into(arm) == "arm.urdf"
    with pytest.raises(RobotFileError, match=facts("xacro", ".urdf")):
        armdyn.save(robot, tmp_path / "new.xacro", into=arm)
    with pytest.raises(InputError, match="`arguments`"):
        armdyn.save(robot, new, into=new, arguments={"mass": 3})


def test_mutated_files_give_clear_errors_or_arms(arm: Path) -> None:
    rng = random.Random(1)
    macros = arm.parent / "parts/macros.xacro"
    read = 0
    for k in range(40):
        broken, text = (arm, ARM) if k % 2 else (macros, MACROS)
        broken.write_bytes(mutated(text.encode(), rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read += read_robot(arm).n > 0
            except ArmdynError as error:
                assert str(error).strip()
        broken.write_text(text)
    assert 0 < read < 40
