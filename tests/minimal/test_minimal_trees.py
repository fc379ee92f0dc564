"""Minimal parameters of trees: the theorem per path equals the rank; drives and followers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Follower, Joint, Robot
from armdyn.errors import InputError
from armdyn.minimal.check import rank
from armdyn.minimal.trees import closed_form
from armdyn.robot.chain import chain_of
from support.identification import example_robot
from support.robots import relative_error
from support.trees import TreeAnswers, random_tree

GRAVITY = {"oblique": None, "none": (0.0, 0.0, 0.0)}


def independent_rank(robot: Robot, seed: int) -> int:
    """The rank of Pinocchio's regressors, projected onto the coordinates."""
    pinocchio, links = TreeAnswers(robot), len(robot.links)
    rng = np.random.default_rng(seed)
    rows = [
        pinocchio.answers(*rng.uniform(-2, 2, (4, robot.n)))["regressor"][1]
        for _ in range(max(12 * robot.n, 14 * links // robot.n) + 6)
    ]
    return rank(np.concatenate(rows))


@pytest.mark.parametrize("gravity", GRAVITY)
@pytest.mark.parametrize("seed", range(8))
def test_the_theorem_per_path_is_the_rank(seed: int, gravity: str) -> None:
    robot = random_tree(seed, most=10)
    robot = replace(robot, gravity=GRAVITY[gravity] or robot.gravity)
    theorem = closed_form(chain_of(robot))
    assert len(theorem.terms) == independent_rank(robot, seed)
    B = theorem.B
    assert np.array_equal(np.diag(B), np.ones(len(B)))


@pytest.mark.parametrize("seed", range(4))
def test_followers_make_more_parameters_redundant(seed: int) -> None:
    robot = random_tree(seed, followers=True)
    base = Arm(robot).minimal
    assert len(base) == independent_rank(robot, seed)
    assert len(base) <= len(closed_form(chain_of(robot)).terms)


def without_rotors(robot: Robot) -> Robot:
    def bare(joint: Joint) -> Joint:
        return replace(joint, rotor_inertia=0.0)

    followers = [Follower(bare(x.joint), x.follows, x.offset) for x in robot.followers]
    return replace(robot, joints=tuple(map(bare, robot.joints)), followers=tuple(followers))


@pytest.mark.parametrize("friction", [False, True])
@pytest.mark.parametrize("rotor", [False, True])
@pytest.mark.parametrize("followers", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_values_give_the_torques(seed: int, followers: bool, rotor: bool, friction: bool) -> None:
    """By the regressor, and by functions of minimal values; also of changed ones."""
    robot = random_tree(seed, followers)
    arm = Arm(robot if rotor else without_rotors(robot))
    q, qd, qdd, _ = np.random.default_rng(seed).uniform(-2, 2, (4, robot.n))
    base = Arm(robot).minimal_with(rotor=rotor, friction=friction)
    tau = arm.inverse_dynamics(q, qd, qdd, friction=friction)
    assert relative_error(base.regressor(q, qd, qdd) @ base.values, tau) < 1e-10
    if not rotor or not friction:
        return
    assert relative_error(base.inverse_dynamics(q, qd, qdd), tau) < 1e-10
    built_in = base.function("mass_matrix", base.values)
    assert relative_error(built_in(q), arm.mass_matrix(q)) < 1e-10
    other = base.values * np.random.default_rng(seed).uniform(0.9, 1.1, len(base))
    changed = base.inverse_dynamics(q, qd, qdd, other)
    assert relative_error(changed, base.regressor(q, qd, qdd) @ other) < 1e-10


def test_the_regressor_of_adaptive_control() -> None:
    robot = without_rotors(random_tree(4, followers=True))
    arm = Arm(robot)
    q, qd, qdr, qddr = np.random.default_rng(0).uniform(-2, 2, (4, robot.n))
    expected = arm.mass_matrix(q) @ qddr + arm.coriolis_matrix(q, qd) @ qdr + arm.gravity(q)
    base = arm.minimal
    Y = base.tracking_regressor(q, qd, qdr, qddr)
    assert relative_error(Y @ base.values, expected) < 1e-10


def test_terms_name_links_of_the_robot() -> None:
    link = {"mass": 1.0, "com": (0.1, 0.2, 0.3), "inertia": (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)}
    joints = [
        Joint(name="waist", **link),
        Joint(name="left", parent="waist", beta=1.0, b=0.2, **link),
        Joint(name="right", parent="waist", branch_angle=0.5, beta=1.0, b=0.2, **link),
    ]
    base = Arm(Robot(joints)).minimal
    assert base.closed_form
    assert [name for name in base.names if name.startswith("U3")] == [
        "U3_11-22", "U3_33", "U3_12", "U3_13", "U3_23",
    ]  # fmt: skip
    assert "link 1 and all behind it" in base.expression("U1_33")
    with pytest.raises(InputError, match="Khalil and Gautier are for serial arms"):
        base.khalil_gautier()


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
def test_upper_body_of_a_humanoid() -> None:
    path = example_robot("g1_description/urdf/g1_29dof_rev_1_0.urdf")
    arm = armdyn.load(path, base="pelvis", tips=["left_rubber_hand", "right_rubber_hand"])
    assert (arm.n, len(arm.minimal)) == (17, 113)
    assert arm.minimal.closed_form
