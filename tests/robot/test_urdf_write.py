"""A robot written as URDF is the same robot, here and in Pinocchio."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from armdyn import Joint, Robot
from armdyn.errors import RobotError
from armdyn.robot.files import read_robot
from armdyn.robot.formats.geometry import roll_pitch_yaw, rotation
from armdyn.robot.formats.urdf.read import parse_urdf, read_urdf
from armdyn.robot.formats.urdf.write import urdf_text
from support.robots import FAMILIES, random_robot, random_robots, random_state, relative_error
from support.says import facts, says
from support.urdf_compare import errors, mass_matrix, pose, torques

ROUND_TRIP = 1e-12


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("snap", [True, False])
def test_round_trip_keeps_torques_and_poses(family: str, snap: bool) -> None:
    for n in (1, 2, 4, 7):
        robot = random_robot(family, n, seed=3)
        again = parse_urdf(urdf_text(robot), snap=snap)
        state = random_state(robot)
        q, qd, qdd = state["q"], state["qd"], state["qdd"]
        expected = torques(robot, q, qd, qdd)
        assert relative_error(torques(again, q, qd, qdd), expected) < ROUND_TRIP, robot.name
        assert relative_error(mass_matrix(again, q), mass_matrix(robot, q)) < ROUND_TRIP
        assert relative_error(pose(again, q), pose(robot, q)) < ROUND_TRIP
        assert again.name == robot.name
        assert again.gravity == robot.gravity


def test_written_file_gives_the_same_numbers_in_pinocchio() -> None:
    """Pinocchio skips our own elements; gravity and rotors are given to it by hand."""
    for robot in random_robots(seed=5, sizes=(1, 3, 6)):
        model = pin.buildModelFromXML(urdf_text(robot))
        found = errors(robot, model, "tip")
        assert max(found.values()) < ROUND_TRIP, (robot.name, found)


def test_round_trip_keeps_what_urdf_has_no_word_for() -> None:
    joints = [
        Joint(mass=1.0, viscous=0.5, coulomb=0.25, offset=-0.1, rotor_inertia=0.3, name="a"),
        Joint(kind="prismatic", beta=1.0, mass=1.0, lower=-0.5, name="b"),
        Joint(beta=1.0, mass=1.0, lower=-1.0, upper=2.0, velocity=3.0, effort=4.0, name="c"),
        Joint(beta=1.0, mass=1.0, upper=7.0, name="tip_joint"),
        Joint(kind="prismatic", beta=1.0, name='massless <&> "quoted" é\n'),
    ]
    robot = Robot(joints, gravity=(0.0, 9.0, 1e-17), name="odd & <ends>")
    text = urdf_text(robot)
    again = parse_urdf(text)
    kept = (
        "kind", "mass", "viscous", "coulomb", "offset", "rotor_inertia", "lower", "upper",
        "velocity", "effort", "name",
    )  # fmt: skip
    for before, after in zip(robot.joints, again.joints, strict=True):
        assert [getattr(before, key) for key in kept] == [getattr(after, key) for key in kept]
    assert again.gravity == robot.gravity
    assert again.name == robot.name
    assert pin.buildModelFromXML(text).nv == 5


def test_plain_robot_is_written_without_our_own_elements() -> None:
    text = urdf_text(Robot([Joint(mass=1.0)]))
    assert "<armdyn" not in text
    assert 'type="continuous"' in text


def test_written_geometry_keeps_its_zeros(tmp_path) -> None:
    """Right angles and zero lengths come back as such: no residue, hence no note."""
    right = math.pi / 2
    joints = [
        Joint(mass=1.0, name="1"), Joint(beta=-right, b=0.1, mass=1.0, d=0.2, name="2"),
        Joint(b=0.4, mass=1.0, name="3"), Joint(beta=right, theta=right, mass=1.0, name="4"),
        Joint(beta=-right, theta=math.pi, mass=1.0, name="5"),
    ]  # fmt: skip
    joints = [replace(j, lower=-1.0, upper=1.0, velocity=1.0, effort=1.0) for j in joints]
    path = tmp_path / "arm.urdf"
    path.write_text(urdf_text(Robot(joints)), encoding="utf-8")
    again = read_urdf(path)
    assert all(j.beta % right == 0.0 and j.theta % right == 0.0 for j in again.joints)
    assert sorted(abs(j.b) for j in again.joints) == [0.0, 0.0, 0.0, 0.1, 0.4]
    assert again.notes == ()


def test_numbers_that_a_reader_would_snap_are_written_as_exact() -> None:
    """An angle of 1e-6 rad and a length of 5e-7 m are meant: they moved poses by 1e-9 before."""
    link = {"mass": 1.0, "com": (0.1, 0.2, 0.3), "inertia": (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)}
    joints = [
        Joint(name="a", **link), Joint(beta=math.pi / 2 + 1e-6, b=5e-7, name="b", **link),
        Joint(beta=1.0, b=0.3, theta=3e-6, d=2e-7, name="c", **link),
    ]  # fmt: skip
    robot = Robot(joints, tool=[[1, 0, 0, 0.1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    text = urdf_text(robot)
    assert '<armdyn exact="true" />' in text
    again = parse_urdf(text)
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 3))
    assert relative_error(torques(again, q, qd, qdd), torques(robot, q, qd, qdd)) < ROUND_TRIP
    assert np.abs(pose(again, q) - pose(robot, q)).max() < ROUND_TRIP
    off = np.abs(
        pose(parse_urdf(text.replace('exact="true"', 'exact="false"')), q) - pose(again, q)
    )
    assert off.max() > 1e-8
    with pytest.raises(RobotError, match="`exact` of <armdyn> of <robot> is 'yes'"):
        parse_urdf(text.replace('exact="true"', 'exact="yes"'))


def test_rotor_inertia_is_told_to_be_for_armdyn_alone() -> None:
    text = urdf_text(Robot([Joint(mass=1.0, rotor_inertia=7.0)]))
    assert says(text, "<!-- URDF", "rotor inertia", "<armdyn>")
    assert pin.buildModelFromXML(text).armature[0] == 0.0
    assert parse_urdf(text).joints[0].rotor_inertia == 7.0


@pytest.mark.parametrize("name", ["$(arg arm)", "a${n}"])
def test_name_that_is_an_expression_of_xacro_is_refused(name: str) -> None:
    for robot in (Robot([Joint(mass=1.0)], name=name), Robot([Joint(mass=1.0, name=name)])):
        with pytest.raises(RobotError, match=facts("xacro", "rename")):
            urdf_text(robot)


@pytest.mark.parametrize("name", ["bell\x07", "\ud800", " "])
def test_name_that_xml_cannot_hold_is_refused(name: str) -> None:
    with pytest.raises(RobotError, match=facts("XML")):
        urdf_text(Robot([Joint(mass=1.0, name=name)]))


def test_roll_pitch_yaw_is_exact_where_two_axes_fall_together() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        roll, yaw = rng.uniform(-3, 3, 2)
        for off in (0.0, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3, 1.0):
            for side in (-1.0, 1.0):
                R = rotation((roll, side * (math.pi / 2 - off), yaw))
                assert np.abs(rotation(roll_pitch_yaw(R)) - R).max() < 4e-16


def test_a_written_arm_begins_at_any_link_in_the_place_of_its_base() -> None:
    robot = read_robot("ur5")
    text = urdf_text(robot)
    for base in ("world", "base_link"):
        again = parse_urdf(text, base=base, tip="tool0")
        assert again.joints == robot.joints
        assert again.gravity == robot.gravity
