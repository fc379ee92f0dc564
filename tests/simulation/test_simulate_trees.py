"""Trees in motion: energy, friction of followers, stops, parameters of many robots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Follower, Joint, Robot
from armdyn.errors import InputError
from support.robots import relative_error
from support.trees import random_tree

LINK = {"mass": 1.0, "com": (0.2, 0.05, 0.0), "inertia": (0.02, 0.0, 0.0, 0.03, 0.0, 0.04)}


def without_friction(robot: Robot) -> Robot:
    none = {"viscous": 0.0, "coulomb": 0.0, "offset": 0.0}
    followers = [Follower(replace(x.joint, **none), x.follows, x.offset) for x in robot.followers]
    joints = tuple(replace(joint, **none) for joint in robot.joints)
    return replace(robot, joints=joints, followers=tuple(followers))


@pytest.mark.parametrize("followers", [False, True])
@pytest.mark.parametrize("seed", [0, 5])
def test_energy_is_kept(seed: int, followers: bool) -> None:
    arm = Arm(without_friction(random_tree(seed, followers)))
    q0 = np.random.default_rng(seed).uniform(-1, 1, arm.n)
    run = armdyn.simulate(arm, q0, until=0.5, rtol=1e-10)
    size = np.abs(run.energy).max() + np.ptp(arm.kinetic_energy(run.q, run.qd))
    assert np.ptp(run.energy) < 1e-7 * size


def pair(**drive) -> Robot:
    """A joint, and one that turns twice as fast the other way."""
    joints = [Joint(name="a", rotor_inertia=0.1, **LINK)]
    slave = Joint(name="b", parent="a", b=0.4, **LINK, **drive)
    return Robot(joints, gravity=(0.0, -9.81, 0.0), followers=[Follower(slave, {"a": -2.0}, 0.3)])


@pytest.mark.parametrize(
    ("drive", "equal"),
    [
        ({"viscous": 0.3}, {"viscous": 1.2}),
        ({"coulomb": 0.3}, {"coulomb": 0.6}),
        ({"offset": 0.3}, {"offset": -0.6}),
        ({"root_friction": 0.3, "coulomb": 0.1}, {"root_friction": 0.3 * 2**1.5, "coulomb": 0.2}),
    ],
)
def test_friction_of_a_follower_is_that_of_its_leader(drive: dict, equal: dict) -> None:
    arm = Arm(pair(**drive))
    plain = pair()
    other = Arm(replace(plain, joints=(replace(plain.joints[0], **equal),)))
    runs = [armdyn.simulate(x, [0.4], until=1.5, rtol=1e-9, samples=30) for x in (arm, other)]
    assert relative_error(runs[0].q, runs[1].q) < 1e-6
    qd = np.linspace(-2, 2, 9)[:, None]
    assert relative_error(arm.friction(qd), other.friction(qd)) < 1e-12


def test_friction_that_cannot_be_merged_is_refused() -> None:
    slave = Joint(name="c", parent="b", b=0.4, coulomb=0.3, **LINK)
    joints = [Joint(name="a", **LINK), Joint(name="b", b=0.2, **LINK)]
    arm = Arm(Robot(joints, followers=[Follower(slave, {"a": 1.0, "b": -1.0})]))
    with pytest.raises(InputError, match="'c' has friction and follows 2 joints"):
        armdyn.simulate(arm, [0.0, 0.0], until=0.1)


def test_a_stop_holds_a_branch() -> None:
    left = Joint(name="left", parent="waist", b=0.2, lower=-0.5, upper=0.5, **LINK)
    right = Joint(name="right", parent="waist", branch_angle=np.pi, b=0.2, **LINK)
    robot = Robot([Joint(name="waist", **LINK), left, right], gravity=(0.0, -9.81, 0.0))
    run = armdyn.simulate(Arm(robot), [0.0, 0.4, 0.0], until=2.0, limits="stop")
    assert run.q[:, 1].min() > -0.5 - 1e-6 and run.q[:, 1].max() < 0.5 + 1e-6
    assert np.abs(run.q[:, 2]).max() > 0.5


@pytest.mark.parametrize("followers", [False, True])
def test_many_robots_with_parameters_of_their_own(followers: bool) -> None:
    # friction of a follower of two joints cannot stick as one of these does
    robot = without_friction(random_tree(3, followers)) if followers else random_tree(3)
    arm = Arm(robot)
    p = np.stack([arm.parameters, 1.1 * arm.parameters])
    q0 = np.zeros((2, arm.n))
    run = armdyn.simulate(
        arm, q0, until=0.05, parameters=p, integrator="rk4", step=0.001, samples=3
    )
    alone = armdyn.simulate(arm, q0[0], until=0.05, integrator="rk4", step=0.001, samples=3)
    assert relative_error(run.q[:, 0], alone.q) < 1e-9
    assert not np.array_equal(run.q[:, 0], run.q[:, 1])


def test_a_wrench_needs_the_tip_of_a_serial_arm() -> None:
    with pytest.raises(InputError, match="`wrench` acts on the tip of a serial arm"):
        armdyn.simulate(Arm(pair()), [0.0], until=0.1, wrench=np.ones(6))
