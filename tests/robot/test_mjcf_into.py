"""An arm written into the MJCF it came from: only what changed changes."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn import Robot
from armdyn.errors import RobotFileError
from armdyn.robot.files import read_robot
from support.beside import beside
from support.mjcf_texts import TWO_LINKS, differences, mjcf, random_mjcf, without_assets
from support.says import facts

FILES = (
    "franka_emika_panda/panda.xml", "kuka_iiwa_14/iiwa14.xml", "trs_so_arm100/so_arm100.xml",
    "universal_robots_ur5e/ur5e.xml",
)  # fmt: skip


def changed(robot: Robot, number: int, **values: object) -> Robot:
    """The robot with other numbers in one joint."""
    joints = list(robot.joints)
    joints[number] = replace(joints[number], **values)
    return robot.with_joints(joints)


def words_changed(old: str, new: str) -> list[str]:
    """The words that are new."""
    split = re.compile(r"[^\s]+")
    matcher = difflib.SequenceMatcher(None, split.findall(old), split.findall(new), autojunk=False)
    after = split.findall(new)
    found: list[str] = []
    for kind, _, _, begin, end in matcher.get_opcodes():
        if kind != "equal":
            found += after[begin:end]
    return found


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.xml"
    path.write_text(TWO_LINKS)
    return path


@pytest.mark.parametrize("snap", [True, False])
@pytest.mark.parametrize("file", FILES)
def test_an_unchanged_arm_leaves_every_byte(file: str, snap: bool, tmp_path: Path) -> None:
    path = beside("data/mjcf", file)
    armdyn.save(armdyn.load(path, snap=snap), tmp_path / "new.xml", into=path)
    assert (tmp_path / "new.xml").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("seed", range(12))
def test_an_unchanged_random_arm_leaves_every_byte(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(random_mjcf(seed))
    robot = read_robot(path, snap=bool(seed % 2), tip=_longest(path))
    armdyn.save(robot, tmp_path / "new.xml", into=path)
    assert (tmp_path / "new.xml").read_bytes() == path.read_bytes()


def _longest(path: Path) -> str:
    model = mujoco.MjModel.from_xml_path(str(path))

    def depth(body: int) -> int:
        return 0 if body == 0 else 1 + depth(int(model.body_parentid[body]))

    return model.body(max(range(model.nbody), key=depth)).name


@pytest.mark.parametrize("file", FILES)
def test_changed_numbers_reach_mujoco(file: str, tmp_path: Path) -> None:
    path = beside("data/mjcf", file)
    robot = armdyn.load(path, snap=False).robot
    new = changed(robot, 1, mass=robot.joints[1].mass * 1.1, rotor_inertia=0.5, coulomb=0.25)
    armdyn.save(new, tmp_path / "new.xml", into=path)
    old_text, new_text = path.read_text(), (tmp_path / "new.xml").read_text()
    told = words_changed(old_text, new_text)
    assert any("armature=" in word for word in told)
    assert any("frictionloss=" in word for word in told)
    assert len(told) <= 6
    assert new_text.count("\n") == old_text.count("\n")
    model = without_assets(tmp_path / "new.xml")
    assert differences(new, model, states=1).worst() < 1e-10


def test_only_attributes_that_changed_are_set(two: Path) -> None:
    robot = armdyn.load(two).robot
    shoulder, elbow = robot.joints
    new = two.with_name("new.xml")
    armdyn.save(changed(robot, 0, mass=2.5), new, into=two)
    assert new.read_text() == TWO_LINKS.replace('mass="2"', 'mass="2.5"')
    armdyn.save(changed(robot, 0, viscous=0.75), new, into=two)
    assert new.read_text() == TWO_LINKS.replace('damping="0.5"', 'damping="0.75"')
    armdyn.save(changed(robot, 1, rotor_inertia=0.2), new, into=two)
    assert new.read_text() == TWO_LINKS.replace('loss="0.3"', 'loss="0.3" armature="0.2"')
    armdyn.save(changed(robot, 1, inertia=tuple(1.5 * x for x in elbow.inertia)), new, into=two)
    assert re.sub('fullinertia="[^"]*"', "", new.read_text()) == re.sub(
        'fullinertia="[^"]*"', "", TWO_LINKS
    )
    armdyn.save(changed(robot, 0, inertia=tuple(2 * x for x in shoulder.inertia)), new, into=two)
    assert new.read_text() == TWO_LINKS.replace("0.01 0.02 0.025", "0.02 0.04 0.05")


def test_friction_that_mujoco_lacks_goes_to_custom(two: Path) -> None:
    robot = armdyn.load(two).robot
    new = two.with_name("new.xml")
    stiction = changed(robot, 0, stribeck=0.5, stribeck_velocity=0.1, offset=0.2)
    armdyn.save(stiction, new, into=two)
    assert armdyn.load(new).robot.joints[0] == stiction.joints[0]
    armdyn.save(changed(stiction, 0, offset=0.4), two.with_name("more.xml"), into=new)
    assert armdyn.load(two.with_name("more.xml")).robot.joints[0].offset == 0.4
    assert two.with_name("more.xml").read_text().count("<custom>") == 1


def test_values_of_a_class_are_written_at_the_element(tmp_path: Path) -> None:
    defaults = '<default><joint armature="0.5" damping="1 0.5"/></default>'
    text = TWO_LINKS.replace("<worldbody>", f"{defaults}<worldbody>").replace(' damping="0.5"', "")
    path, new = tmp_path / "arm.xml", tmp_path / "new.xml"
    path.write_text(text)
    with pytest.warns(armdyn.errors.RobotWarning, match=facts("power", "speed")):
        robot = armdyn.load(path).robot
    with pytest.warns(armdyn.errors.RobotWarning, match=facts("power", "speed")):
        armdyn.save(changed(robot, 1, rotor_inertia=0.25, viscous=2.0), new, into=path)
        again = armdyn.load(new).robot
    assert defaults in new.read_text()
    assert 'frictionloss="0.3" armature="0.25" damping="2.0 0.5 0.0"' in new.read_text()
    assert [joint.rotor_inertia for joint in again.joints] == [0.1, 0.25]


def test_axes_of_inertia_are_turned_where_they_must(tmp_path: Path) -> None:
    text = TWO_LINKS.replace('"0.01 0.02 0.025"', '"0.01 0.02 0.025" euler="0.1 0.2 0.3"')
    path, new = tmp_path / "arm.xml", tmp_path / "new.xml"
    path.write_text(text)
    robot = armdyn.load(path, snap=False).robot
    xx, xy, xz, yy, yz, zz = robot.joints[0].inertia
    turned = changed(robot, 0, inertia=(xx, xy + 1e-3, xz, yy, yz, zz))
    armdyn.save(turned, new, into=path)
    assert "euler" not in new.read_text()
    model = mujoco.MjModel.from_xml_path(str(new))
    assert differences(turned, model, states=1).worst() < 1e-12
    scaled = changed(robot, 0, inertia=tuple(2 * x for x in robot.joints[0].inertia))
    armdyn.save(scaled, new, into=path)
    assert 'euler="0.1 0.2 0.3"' in new.read_text()


def test_a_body_weighed_by_geoms_gets_an_inertial(tmp_path: Path) -> None:
    inertial = re.search("<inertial[^>]*diag[^>]*/>", TWO_LINKS)[0]
    text = TWO_LINKS.replace(inertial, '<geom type="box" size="0.1 0.1 0.2"/>')
    path, new = tmp_path / "arm.xml", tmp_path / "new.xml"
    path.write_text(text)
    robot = armdyn.load(path, snap=False).robot
    heavier = changed(robot, 0, mass=9.0)
    armdyn.save(heavier, new, into=path)
    assert "<geom" in new.read_text()
    model = mujoco.MjModel.from_xml_path(str(new))
    assert differences(heavier, model, states=1).worst() < 1e-12
    path.write_text(text.replace("<compiler ", '<compiler inertiafromgeom="true" ').replace(
        '<joint name="elbow"', '<geom size="0.1"/><joint name="elbow"'))  # fmt: skip
    robot = armdyn.load(path, snap=False).robot
    with pytest.raises(RobotFileError, match=facts("MuJoCo", "numbers")):
        armdyn.save(changed(robot, 0, mass=9.0), new, into=path)


def test_inertia_of_actuators_stays_with_them(two: Path) -> None:
    actuators = (
        '<actuator><motor joint="elbow" gear="10" armature="0.01" damping="0.02"/></actuator>'
    )
    two.write_text(TWO_LINKS.replace("</mujoco>", f"{actuators}</mujoco>"))
    robot = armdyn.load(two).robot
    assert (robot.joints[1].rotor_inertia, robot.joints[1].viscous) == (1.0, 2.0)
    new = two.with_name("new.xml")
    armdyn.save(changed(robot, 1, rotor_inertia=1.5, viscous=2.25), new, into=two)
    assert 'armature="0.5" damping="0.25"' in new.read_text()
    assert armdyn.load(new).robot.joints[1].rotor_inertia == 1.5
    with pytest.raises(RobotFileError, match=facts("1", "actuators")):
        armdyn.save(changed(robot, 1, rotor_inertia=0.5), new, into=two)


def test_a_gripper_keeps_its_own_inertia(tmp_path: Path) -> None:
    finger = (
        '<body name="finger" pos="0 0 0.1"><inertial pos="0.1 0 0" mass="0.2" '
        'diaginertia="0.001 0.001 0.001"/><joint name="grip" axis="1 0 0"/></body>'
    )
    text = TWO_LINKS.replace('<body name="hand" pos="0.3 0 0"/>', finger)
    path, new = tmp_path / "arm.xml", tmp_path / "new.xml"
    path.write_text(text)
    robot = armdyn.load(path, tip="lower", snap=False).robot
    heavier = changed(robot, 1, mass=robot.joints[1].mass + 0.5)
    armdyn.save(heavier, new, into=path)
    assert finger in new.read_text()
    model = mujoco.MjModel.from_xml_path(str(new))
    assert differences(heavier, model, states=1).worst() < 1e-12
    lighter = changed(robot, 1, mass=0.1)
    with pytest.raises(RobotFileError, match="merge_branches=True"):
        armdyn.save(lighter, new, into=path)


def test_a_joint_with_an_anchor_changes_its_body(tmp_path: Path) -> None:
    text = TWO_LINKS.replace('name="elbow"', 'name="elbow" pos="0.05 0 0.1" ref="0.3"')
    path, new = tmp_path / "arm.xml", tmp_path / "new.xml"
    path.write_text(text)
    robot = armdyn.load(path, snap=False).robot
    heavier = changed(robot, 1, mass=1.5, com=(0.3, 0.0, 0.1))
    armdyn.save(heavier, new, into=path)
    model = mujoco.MjModel.from_xml_path(str(new))
    assert differences(heavier, model, states=1).worst() < 1e-12


def test_a_link_without_a_body_cannot_take_mass(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(
        TWO_LINKS.replace('<joint name="elbow"', '<joint name="twist"/><joint name="elbow"')
    )
    robot = armdyn.load(path).robot
    with pytest.raises(RobotFileError, match=facts("'twist'", "mass")):
        armdyn.save(changed(robot, 1, mass=1.0), tmp_path / "new.xml", into=path)


def test_what_an_include_holds_cannot_be_written(tmp_path: Path) -> None:
    bodies = re.search("<worldbody>(.*)</worldbody>", TWO_LINKS, re.DOTALL)[1]
    (tmp_path / "bodies.xml").write_text(f"<x>{bodies}</x>")
    path = tmp_path / "arm.xml"
    path.write_text(mjcf('<include file="bodies.xml"/>'))
    robot = armdyn.load(path).robot
    armdyn.save(robot, tmp_path / "new.xml", into=path)
    assert (tmp_path / "new.xml").read_bytes() == path.read_bytes()
    with pytest.raises(RobotFileError, match=facts("'upper'", "'bod")):
        armdyn.save(changed(robot, 0, mass=3.0), tmp_path / "new.xml", into=path)


def test_unnamed_bodies_and_joints_are_found_by_their_order(tmp_path: Path) -> None:
    path, new = tmp_path / "arm.xml", tmp_path / "new.xml"
    path.write_text(TWO_LINKS.replace('name="lower" ', "").replace('name="elbow" ', ""))
    robot = armdyn.load(path, snap=False).robot
    heavier = changed(robot, 1, mass=1.25, rotor_inertia=0.2)
    armdyn.save(heavier, new, into=path)
    assert 'mass="1.25"' in new.read_text()
    assert armdyn.load(new).robot.joints[1].rotor_inertia == 0.2


def test_a_body_that_cannot_exist_is_refused(two: Path) -> None:
    robot = armdyn.load(two).robot
    with pytest.raises(RobotFileError, match=facts("MJCF")):
        armdyn.save(
            changed(robot, 0, inertia=(0.01, 0, 0, 0.01, 0, 0.09)), two.with_name("n.xml"), into=two
        )
    assert not two.with_name("n.xml").exists()


def test_marks_ends_of_lines_and_comments_stay(two: Path) -> None:
    data = b"\xef\xbb\xbf" + TWO_LINKS.replace("\n", "\r\n").replace(
        "<worldbody>", "<!-- mass='2' é --><worldbody>"
    ).encode()  # fmt: skip
    two.write_bytes(data)
    robot = armdyn.load(two).robot
    new = two.with_name("new.xml")
    armdyn.save(changed(robot, 0, mass=2.5), new, into=two)
    assert new.read_bytes() == data.replace(b'mass="2"', b'mass="2.5"')


def test_the_file_itself_may_be_replaced(two: Path) -> None:
    robot = armdyn.load(two).robot
    armdyn.save(changed(robot, 0, mass=2.5), two, into=two)
    assert np.isclose(armdyn.load(two).robot.joints[0].mass, 2.5)
