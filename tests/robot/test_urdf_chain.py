"""Which joints a URDF's arm has, what is merged into its links, and what the reader says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armdyn.errors import FileError, RobotWarning
from armdyn.robot.formats.urdf.read import parse_urdf
from armdyn.robot.model import IDENTITY, Robot
from support.says import facts
from support.urdf_compare import pose
from support.urdf_texts import ARM, INERTIAL, LIMIT, fixed, joint, links, robot, version

MIMIC = LIMIT + '<mimic joint="{leader}" multiplier="-2" offset="{offset}"/>'


def names(arm: Robot) -> list[str]:
    return [joint.name for joint in arm.joints]


def tip_height(arm: Robot) -> float:
    return float(pose(arm, np.zeros(arm.n))[2, 3])


def test_default_tip_is_the_last_link_fixed_ones_included() -> None:
    arm = parse_urdf(ARM)
    assert names(arm) == ["j1", "j2"]
    assert tip_height(arm) == pytest.approx(1.2)
    assert tip_height(parse_urdf(ARM, tip="b")) == pytest.approx(0.8)


def test_default_tip_is_where_fingers_leave() -> None:
    """Two free fingers, or one free and one that mimics it."""
    for second in (LIMIT, MIMIC.format(leader="f1", offset=0)):
        arm = parse_urdf(robot(
            links("base", "a", "b", "hand", "left", "right"), joint("j1", "base", "a"),
            joint("j2", "a", "b"), fixed("mount", "b", "hand"),
            joint("f1", "hand", "left", "prismatic"),
            joint("f2", "hand", "right", "prismatic", inside=second),
        ))  # fmt: skip
        assert names(arm) == ["j1", "j2"]
        assert arm.joints[1].mass == 8.0
        assert any("tip is link 'hand'" in note for note in arm.notes)
        assert any("Frozen at zero" in note and "'f1'" in note for note in arm.notes)


def test_single_finger_is_a_joint_unless_the_tip_says_otherwise() -> None:
    text = robot(
        links("base", "a", "b", "finger"), joint("j1", "base", "a"), joint("j2", "a", "b"),
        joint("f", "b", "finger"),
    )  # fmt: skip
    assert names(parse_urdf(text)) == ["j1", "j2", "f"]
    assert names(parse_urdf(text, tip="b")) == ["j1", "j2"]


def test_fixed_side_branches_do_not_stop_the_default_chain() -> None:
    arm = parse_urdf(robot(
        links("world", "base", "base_frame", "a", "b", "sensor", "flange", "tool0", "ft_frame"),
        fixed("1", "world", "base"), fixed("2", "base", "base_frame"), joint("j1", "base", "a"),
        fixed("3", "a", "sensor"), joint("j2", "a", "b"), fixed("4", "b", "flange"),
        fixed("5", "flange", "tool0"), fixed("6", "b", "ft_frame"),
    ))  # fmt: skip
    assert names(arm) == ["j1", "j2"]
    assert [j.mass for j in arm.joints] == [4.0, 8.0]
    assert any("tip is link 'b'" in note and "'flange', 'ft_frame'" in note for note in arm.notes)


def test_early_fork_asks_for_a_tip() -> None:
    text = robot(
        links("torso", "l1", "l2", "r1", "r2"), joint("a", "torso", "l1"), joint("b", "l1", "l2"),
        joint("c", "torso", "r1"), joint("d", "r1", "r2"),
    )  # fmt: skip
    with pytest.raises(FileError, match="Possible tips: 'l2', 'r2'"):
        parse_urdf(text)
    arm = parse_urdf(text, tip="r2")
    assert names(arm) == ["c", "d"]
    assert arm.notes == ()  # the other arm stands on the base and does not matter


def test_single_joint_without_branches_is_an_arm() -> None:
    assert parse_urdf(robot(links("a", "b"), joint("1", "a", "b"))).n == 1


def test_chosen_base_leaves_out_what_is_above_it() -> None:
    text = robot(
        links("w", "cart", "a", "b"), joint("float", "w", "cart", "floating"),
        joint("1", "cart", "a"), joint("2", "a", "b"),
    )  # fmt: skip
    arm = parse_urdf(text, base="cart")
    assert names(arm) == ["1", "2"]
    assert any("frame of link 'cart'" in note for note in arm.notes)


def test_mimic_joint_in_the_chain_stands_at_its_offset() -> None:
    text = robot(
        links("base", "a", "b", "c"), joint("j1", "base", "a"),
        joint("m", "a", "b", inside=MIMIC.format(leader="j1", offset=math.pi / 2)),
        joint("j3", "b", "c"),
    )  # fmt: skip
    with pytest.warns(RobotWarning, match=facts("'m'", "'j1'", "1.5708", "`tip`")):
        arm = parse_urdf(text)
    assert names(arm) == ["j1", "j3"]
    assert arm.joints[0].mass == 4.0
    assert pose(arm, np.zeros(2))[:3, 3] == pytest.approx([0.4, 0.0, 0.8])
    assert any("'m at 1.5708'" in note for note in arm.notes)


def test_mimic_of_a_mimic_adds_up_and_a_sliding_one_slides() -> None:
    text = robot(
        links("base", "a", "b", "c"), joint("j1", "base", "a"),
        joint("m", "a", "b", "prismatic", inside=MIMIC.format(leader="n", offset=0.5)),
        joint("n", "b", "c", inside=MIMIC.format(leader="gone", offset=0.1)),
    )  # fmt: skip
    with pytest.warns(RobotWarning, match="'n' follows 'gone'"):
        arm = parse_urdf(text)
    assert pose(arm, np.zeros(1))[:3, 3] == pytest.approx([0.0, 0.3, 1.2])


def test_merged_links_have_the_inertia_of_their_sum() -> None:
    """Two equal point-like bodies 0.4 m apart along z: the joint axis y sees m r^2 of each."""
    point = (
        '<inertial><mass value="2"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
        "</inertial>"
    )
    arm = parse_urdf(robot(
        links("base", "a", "b", inertial=point), joint("j", "base", "a"), fixed("f", "a", "b")
    ))  # fmt: skip
    [j] = arm.joints
    assert j.mass == 4.0
    assert np.linalg.norm(j.com) == pytest.approx(0.2)
    assert sorted(j.inertia) == pytest.approx([0, 0, 0, 0, 0.16, 0.16])


def test_rotation_of_the_inertial_origin_counts() -> None:
    turned = INERTIAL.replace('rpy="0.3 0 0"', 'rpy="0 0 1.57079632679"')
    straight = INERTIAL.replace('rpy="0.3 0 0"', "")
    about_x = joint("j", "0", "1", axis="")  # x is the default axis of the format
    [j] = parse_urdf(robot(links("0", "1", inertial=straight), about_x)).joints
    [k] = parse_urdf(robot(links("0", "1", inertial=turned), about_x)).joints
    assert j.inertia[5] == 0.03
    assert k.inertia[5] == 0.02  # z of E_1 is the joint axis, which is y of the inertial frame


def test_quaternion_says_the_same_as_roll_pitch_yaw() -> None:
    """A turn about x by 2 atan(3/4), whose quaternion is written with another length than one."""
    angles = f'<origin rpy="{2 * math.atan2(3, 4)!r} 0 0"/>'
    q = np.array([0.3, 0.4])
    expected = pose(parse_urdf(ARM.replace('<origin xyz="0 0 0.4"/>', angles)), q)
    for number in ("1.1", "1.2"):
        text = version(number, ARM).replace(
            '<origin xyz="0 0 0.4"/>', '<origin quat_xyzw="3 0 0 4"/>'
        )
        assert pose(parse_urdf(text), q) == pytest.approx(expected, abs=1e-15)


def test_limits_damping_and_friction_are_read() -> None:
    dynamics = LIMIT + '<dynamics damping="0.5" friction="0.25"/>'
    [j] = parse_urdf(robot(links("a", "b"), joint("1", "a", "b", inside=dynamics))).joints
    assert (j.lower, j.upper, j.velocity, j.effort) == (-1.0, 2.0, 3.0, 30.0)
    assert (j.viscous, j.coulomb) == (0.5, 0.25)


@pytest.mark.parametrize(
    ("kind", "inside", "said"),
    [
        ("continuous", LIMIT.replace("30", "0"), "No effort limit"),
        ("continuous", "", "No velocity limit"),
        ("prismatic", '<limit effort="1" velocity="1"/>', "No position limits"),
        ("revolute", "", "No position limits"),
        ("revolute", '<limit lower="-1e16" upper="1e308" effort="1" velocity="1"/>', ""),
    ],
)
def test_limits_that_limit_nothing_are_none(kind: str, inside: str, said: str) -> None:
    arm = parse_urdf(robot(links("a", "b"), joint("1", "a", "b", kind, inside=inside)))
    assert (arm.joints[0].lower, arm.joints[0].upper) == (-math.inf, math.inf)
    if said:
        assert any(note.startswith(said) and "'1'" in note for note in arm.notes)
    else:
        assert arm.notes == ()


def test_axis_of_any_length_is_a_direction_and_said() -> None:
    short, long = (
        parse_urdf(ARM.replace('axis xyz="0 1 0"', f'axis xyz="{a}"')) for a in ("1 1 0", "9 9 0")
    )
    assert short == long
    assert any("length 1.414214" in note and "'j2'" in note for note in short.notes)
    assert any("length 12.72792" in note for note in long.notes)


def test_rounded_right_angles_are_snapped_and_said() -> None:
    text = robot(
        links("base", "a", "b"), joint("1", "base", "a", axis='<axis xyz="0 0 1"/>'),
        joint("2", "a", "b", origin='<origin xyz="1e-8 0 0.2" rpy="1.5708 0 3.1416"/>',
              axis='<axis xyz="0 1e-8 1"/>'),
    )  # fmt: skip
    snapped, written = parse_urdf(text), parse_urdf(text, snap=False)
    assert abs(snapped.joints[1].beta) == math.pi / 2
    assert snapped.joints[1].theta % (math.pi / 2) == 0.0
    assert snapped.joints[1].b == 0.0
    assert any(note.startswith("Snapped 2 angles of <origin rpy>") for note in snapped.notes)
    assert any("7.3e-06" in note for note in snapped.notes)
    assert any("components of <axis xyz>" in note for note in snapped.notes)
    assert abs(written.joints[1].beta) not in (0.0, math.pi / 2)
    assert written.joints[1].b != 0.0
    assert written.notes == ()


def test_angles_that_are_not_right_are_left_alone() -> None:
    text = ARM.replace('<origin xyz="0 0 0.4"/>', '<origin rpy="1.57 0.7854 0.00002"/>')
    assert parse_urdf(text).notes == ()


def test_free_choices_make_constants_vanish() -> None:
    """A PUMA-like wrist and shoulder: the geometry has no number that is not in the file."""
    z, y = '<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>'
    arm = parse_urdf(robot(
        links("0", "1", "2", "3", "4"), joint("1", "0", "1", axis=z),
        joint("2", "1", "2", axis=y), joint("3", "2", "3", axis=y), joint("4", "3", "4", axis=z),
    ))  # fmt: skip
    assert [j.beta for j in arm.joints] == [0.0, -math.pi / 2, 0.0, math.pi / 2]
    assert [abs(j.b) for j in arm.joints] == [0.0, 0.0, 0.4, 0.0]
    assert [j.d for j in arm.joints] == [0.0] * 4
    assert arm.base[:3] == (IDENTITY[0], IDENTITY[1], (0.0, 0.0, 1.0, 0.8))


def test_sliding_axis_is_moved_to_meet_its_neighbours() -> None:
    arm = parse_urdf(robot(
        links("0", "1", "2", "3"), joint("1", "0", "1", axis='<axis xyz="0 0 1"/>'),
        joint("2", "1", "2", "prismatic", origin='<origin xyz="0.3 0.2 0.1"/>',
              axis='<axis xyz="1 0 0"/>'),
        joint("3", "2", "3", origin='<origin xyz="0.1 0.4 0.5"/>', axis='<axis xyz="0 1 0"/>'),
    ))  # fmt: skip
    assert [j.b for j in arm.joints] == [0.0, 0.0, 0.0]


def test_foreign_elements_are_passed_over() -> None:
    """Meshes, transmissions with joints of their own, other name spaces: not looked at."""
    noise = (
        '<visual><geometry><mesh filename="package://none/${x}.stl"/></geometry></visual>'
        '<collision name="$$"/>'
    )
    extra = (
        '<transmission name="t"><joint name="j1"/></transmission><gazebo reference="nothing"/>'
        '<s:link xmlns:s="http://sensors"/><material name="m"/>'
    )
    text = ARM.replace("</link>", noise + "</link>").replace("</robot>", extra + "</robot>")
    text = text.replace("<robot ", '<robot xmlns="http://drake.mit.edu" ')
    assert parse_urdf(text) == parse_urdf(ARM)
    assert parse_urdf(text.encode("utf-16")).n == 2
