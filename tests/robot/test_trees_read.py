"""Files read as trees: tips, followers, branch frames, against Pinocchio's own reading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import Follower
from armdyn.errors import InputError, RobotFileError
from armdyn.robot.mechanism import link_rows
from support.robots import relative_error
from support.trees import random_tree

LINK = """
  <link name="{name}"><inertial><origin xyz="{x} 0.02 0.05" rpy="0.1 0.2 0.3"/>
    <mass value="{mass}"/><inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.025"/>
  </inertial></link>"""
JOINT = """
  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
    <origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>
    <limit lower="{lower}" upper="2" effort="50" velocity="3"/>
    <dynamics damping="0.3" friction="0.1"/>{more}</joint>"""


def urdf(*rows: dict[str, str], links: str) -> str:
    """A robot of joints; every link but the first, `root`, has a mass."""
    made = [
        LINK.format(name=name, x=0.1 + 0.03 * k, mass=1 + k) for k, name in enumerate(links.split())
    ]
    standard = {"kind": "revolute", "xyz": "0 0 0.2", "rpy": "0 0 0", "axis": "0 0 1"}
    standard |= {"lower": "-2", "more": ""}
    joints = [JOINT.format(**{**standard, **row}) for row in rows]
    return f'<robot name="two"><link name="root"/>{"".join(made)}{"".join(joints)}</robot>'


# a waist, two arms that leave it askew, a gripper whose second finger follows the first
SLIDES = {"kind": "prismatic", "xyz": "0.1 0 0", "lower": "0"}
LEFT = {"xyz": "0.1 0.2 0.3", "axis": "0 1 0", "rpy": "0.3 0.2 0"}
RIGHT = {"xyz": "0.1 -0.2 0.25", "axis": "0 1 0", "rpy": "-0.3 0.1 0.4"}
MIMIC = '<mimic joint="f1" multiplier="1.5" offset="0.01"/>'
ROWS = (
    {"name": "waist", "parent": "root", "child": "torso"},
    {"name": "l1", "parent": "torso", "child": "la", **LEFT},
    {"name": "l2", "parent": "la", "child": "lb", "xyz": "0.3 0 0", "axis": "0 1 0"},
    {"name": "r1", "parent": "torso", "child": "ra", **RIGHT},
    {"name": "r2", "parent": "ra", "child": "rb", "xyz": "0.3 0 0.1", "axis": "1 0 0"},
    {"name": "f1", "parent": "lb", "child": "fa", "axis": "0 1 0", **SLIDES},
    {"name": "f2", "parent": "lb", "child": "fb", "axis": "0 -1 0", "more": MIMIC, **SLIDES},
    {"name": "eye", "parent": "torso", "child": "camera", "kind": "fixed", "xyz": "0 0 0.5"},
)
LINKS = "torso la lb ra rb fa fb camera"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "two.urdf"
    file.write_text(urdf(*ROWS, links=LINKS), encoding="utf-8")
    return file


def against_pinocchio(path: Path, arm: armdyn.Arm) -> None:
    """Torques with friction, and poses of the tips; f2 stands at its offset if it stands still."""
    model = pin.buildModelFromUrdf(str(path))
    rows = dict(zip([x.name for x in arm.robot.links], link_rows(arm.robot), strict=True))
    still = [model.getJointId(name) for name in list(model.names)[1:] if name not in rows]
    at_rest = pin.neutral(model)
    if "f2" not in rows:
        at_rest[model.joints[model.getJointId("f2")].idx_q] = 0.01
    model = pin.buildReducedModel(model, still, at_rest)
    data = model.createData()
    G, q0 = np.zeros((model.nv, arm.n)), np.zeros(model.nv)
    for name in list(model.names)[1:]:
        v = model.joints[model.getJointId(name)].idx_v
        q0[v] = rows[name][1]
        for k, factor in rows[name][0].items():
            G[v, k] = factor
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, arm.n))
    friction = G.T @ (0.3 * G @ qd + 0.1 * np.sign(G @ qd))
    expected = G.T @ pin.rnea(model, data, G @ q + q0, G @ qd, G @ qdd) + friction
    assert relative_error(arm.inverse_dynamics(q, qd, qdd), expected) < 1e-12
    pin.framesForwardKinematics(model, data, G @ q + q0)
    for tip in arm.robot.tips:
        placed = data.oMf[model.getFrameId(tip)].homogeneous
        assert relative_error(arm.pose(q, tip), placed) < 1e-12


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
@pytest.mark.parametrize("followers", ["freeze", "move"])
@pytest.mark.parametrize(
    "tips", ["all", ["rb", "lb"], ["rb", "fa"], ["fb", "fa"], ["camera", "rb"]]
)
def test_a_tree_of_a_file(path: Path, tips, followers: str) -> None:
    against_pinocchio(path, armdyn.load(path, tips=tips, followers=followers))


def test_names_follow_the_file(path: Path) -> None:
    arm = armdyn.load(path, tips="all", followers="move")
    assert arm.joint_names == ("waist", "l1", "l2", "f1", "r1", "r2")
    assert [follower.joint.name for follower in arm.robot.followers] == ["f2"]
    assert arm.robot.tips == ("fa", "fb", "rb", "camera")
    f1 = arm.robot.joints[3]
    assert f1.upper == pytest.approx((2 - 0.01) / 1.5)  # f2 is at its limit there
    assert f1.velocity == 2.0


def test_tips_of_one_path_are_the_serial_arm(path: Path) -> None:
    assert armdyn.load(path, tips=["rb"]).robot == armdyn.load(path, tip="rb").robot
    assert armdyn.load(path, tips="rb").robot.is_serial


def test_followers_stand_still_unless_told(path: Path) -> None:
    with pytest.warns(armdyn.RobotWarning, match="'f2' follows 'f1' and stands still at 0.01"):
        arm = armdyn.load(path, tips=["fb", "rb"])
    assert arm.n == 5 and not arm.robot.followers


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"tips": ["rb", "xx"]}, "no link 'xx' to be the tip"),
        ({"tips": ["lb", "fa"]}, "tips 'lb' and 'fa' lie on one path: leave out 'lb'"),
        ({}, "several moving branches leave link 'torso'.*or several as `tips`"),
        ({"tips": "all", "base": "camera"}, "nothing moves behind link 'camera'"),
    ],
)
def test_tips_that_make_no_tree(path: Path, options: dict, told: str) -> None:
    with pytest.raises(RobotFileError, match=told):
        armdyn.load(path, **options)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"tips": ["rb"], "tip": "rb"}, "`tip` or `tips`, not both"),
        ({"tips": []}, "`tips` is empty"),
        (
            {"tips": "all", "followers": "maybe"},
            "no way of followers 'maybe'.*: move, freeze",
        ),
    ],
)
def test_wrong_options(path: Path, options: dict, told: str) -> None:
    with pytest.raises(InputError, match=told):
        armdyn.load(path, **options)


def test_options_of_a_tree_need_links() -> None:
    with pytest.raises(InputError, match="`tips` is 'all', but puma560 has no named links"):
        armdyn.load("puma560", tips="all")
    with pytest.raises(InputError, match="`followers` is 'move', but puma560"):
        armdyn.load("puma560", followers="move")


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
def test_a_follower_of_a_joint_off_the_way_stands_still(path: Path) -> None:
    arm = armdyn.load(path, tips=["fb", "rb"], followers="move")
    assert arm.joint_names == ("waist", "l1", "l2", "r1", "r2")
    assert not arm.robot.followers
    against_pinocchio(path, arm)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("followers", [False, True])
def test_trees_as_urdf(seed: int, followers: bool, tmp_path: Path) -> None:
    """Reading it back gives the same torques; a <mimic> follows one joint."""
    robot = random_tree(seed, followers)
    single = [Follower(x.joint, dict(x.follows[:1]), x.offset) for x in robot.followers]
    arm = armdyn.Arm(replace(robot, followers=tuple(single)))
    armdyn.save(arm, tmp_path / "tree.urdf")
    again = armdyn.load(tmp_path / "tree.urdf")
    order = [again.joint_names.index(name) for name in arm.joint_names]
    q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, arm.n))
    back = np.argsort(order)
    expected = arm.inverse_dynamics(q, qd, qdd)
    got = again.inverse_dynamics(q[back], qd[back], qdd[back])[order]
    assert relative_error(got, expected) < 1e-12
    assert set(again.followers) == set(arm.followers)
    limits = [(x.lower, x.upper, x.velocity, x.effort) for x in arm.robot.joints]
    read = [again.robot.joints[k] for k in order]
    assert [(x.lower, x.upper, x.velocity, x.effort) for x in read] == limits


def test_a_file_tree_saved_keeps_names(path: Path, tmp_path: Path) -> None:
    arm = armdyn.load(path, tips="all", followers="move")
    for name in ("again.urdf", "again.toml"):
        armdyn.save(arm, tmp_path / name)
        again = armdyn.load(tmp_path / name)
        assert again.joint_names == arm.joint_names
        assert again.robot.tips == arm.robot.tips
        q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, arm.n))
        assert (
            relative_error(again.inverse_dynamics(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd))
            < 1e-12
        )
        for tip in arm.tips:
            assert relative_error(again.pose(q, tip), arm.pose(q, tip)) < 1e-12


def test_a_follower_of_two_joints_needs_toml(tmp_path: Path) -> None:
    robot = armdyn.Robot(
        [armdyn.Joint(name="a", mass=1.0), armdyn.Joint(name="b", mass=1.0)],
        followers=[Follower(armdyn.Joint(name="f", parent="b", mass=1.0), {"a": 1.0, "b": 2.0})],
    )
    with pytest.raises(armdyn.RobotError, match=r"follows 'a', 'b'.*Save the robot as TOML"):
        armdyn.save(robot, tmp_path / "x.urdf")
    armdyn.save(robot, tmp_path / "x.toml")
    assert armdyn.load(tmp_path / "x.toml").robot == robot


def test_the_branch_to_a_tip(path: Path) -> None:
    """A serial arm with the torques and poses of the tree while the other joints stand still."""
    arm = armdyn.load(path, tips=["fa", "rb"])
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.uniform(-1, 1, (3, arm.n))
    for tip, names in (("rb", ("waist", "r1", "r2")), ("fa", ("waist", "l1", "l2", "f1"))):
        branch = arm.branch(tip, q)
        assert branch.joint_names == names
        assert branch.robot.is_serial
        on = [arm.joint_names.index(name) for name in names]
        v, a = np.zeros(arm.n), np.zeros(arm.n)
        v[on], a[on] = qd[on], qdd[on]
        expected = arm.inverse_dynamics(q, v, a)[on]
        assert relative_error(branch.inverse_dynamics(q[on], qd[on], qdd[on]), expected) < 1e-12
        assert relative_error(branch.pose(q[on]), arm.pose(q, tip)) < 1e-12


def test_inverse_kinematics_of_one_tip(path: Path) -> None:
    arm = armdyn.load(path, tips=["fa", "rb"])
    wanted = np.array([0.2, -0.4, 0.3, 0.5, 0.4, -0.3])
    start = wanted + 0.05
    found = arm.inverse_kinematics(arm.pose(wanted, "fa"), start, frame="fa")
    assert relative_error(arm.pose(found, "fa"), arm.pose(wanted, "fa")) < 1e-7
    assert np.array_equal(found[4:], start[4:])
    many = arm.inverse_kinematics(
        arm.pose([wanted, 0.9 * wanted], "rb"), start, frame="rb", only="position"
    )
    assert many.shape == (2, 6)
    assert np.array_equal(many[:, 1:4], np.broadcast_to(start[1:4], (2, 3)))


def test_branches_that_are_no_serial_arms(path: Path) -> None:
    arm = armdyn.load(path, tips="all", followers="move")
    with pytest.raises(InputError, match="'f2' on the way to 'fb' follows"):
        arm.branch("fb")
    with pytest.raises(InputError, match="'f2' follows 'f1' on the way to 'fa'"):
        arm.branch("fa")
    with pytest.raises(InputError, match="'xx'; choose one of: fa, fb, rb, camera"):
        arm.branch("xx")
    assert arm.branch("rb").n == 3
