"""Dynamics from minimal parameters alone: right to rounding, and no dearer than from all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Arm, InputError, MethodError, Robot, generic
from armdyn.graph.count import count
from armdyn.programs.key import ProgramKey
from armdyn.programs.parametric import parametric
from armdyn.robot.chain import chain_of
from armdyn.robot.library import random_joint
from support.minimal import IIWA, NOWHERE, arm_of
from support.robots import random_robots, relative_error

QUANTITIES = ("mass_matrix", "inverse_dynamics", "bias", "gravity")


def with_friction(robot: Robot) -> Robot:
    joints = [
        replace(j, viscous=0.2, coulomb=0.3, offset=0.1 * i) for i, j in enumerate(robot.joints)
    ]
    return replace(robot, joints=joints)


ROBOTS = [
    *(
        pytest.param(robot, marks=pytest.mark.slow, id=robot.name)
        for robot in (*(armdyn.load(name).robot for name in ("puma560", "stanford")), generic(4))
    ),
    armdyn.load("scara").robot,
    arm_of("iiwa weightless", "RRRR", IIWA[:4], NOWHERE),
    *(with_friction(robot) for robot in random_robots(7, (3,))),
]
SHORT = [with_friction(robot) for robot in random_robots(7, (2,))]


def states(arm: Arm, quantity: str) -> list[np.ndarray]:
    slots = arm.function(quantity).program.inputs
    return list(np.random.default_rng(5).uniform(-2, 2, (len(slots), 4, arm.n)))


def other_links(robot: Robot) -> Robot:
    """The same geometry and drives, other masses and inertias."""
    rng = np.random.default_rng(6)
    joints = []
    for j in robot.joints:
        new = random_joint(rng, not j.is_revolute)
        joints.append(replace(j, mass=new.mass, com=new.com, inertia=new.inertia))
    return replace(robot, joints=joints)


@pytest.mark.parametrize("robot", [*ROBOTS, *SHORT], ids=lambda robot: robot.name)
def test_values_of_another_arm_give_its_dynamics(robot: Robot) -> None:
    arm, other = Arm(robot), Arm(other_links(robot))
    base, w = arm.minimal, other.minimal.values
    for quantity in QUANTITIES:
        q = states(arm, quantity)
        expected = getattr(other, quantity)(*q)
        assert relative_error(getattr(base, quantity)(*q, w), expected) < 1e-12, quantity
        assert relative_error(getattr(base, quantity)(*q), getattr(arm, quantity)(*q)) < 1e-12, (
            quantity
        )
        built_in = base.function(quantity, w)
        assert [s.name for s in built_in.program.inputs] == list(("q", "qd", "qdd")[: len(q)])
        assert relative_error(built_in(*q), expected) < 1e-12, quantity


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
def test_minimal_parameters_take_no_more_multiplications(robot: Robot) -> None:
    arm = Arm(robot)
    base = arm.minimal
    for quantity in QUANTITIES:
        at_run_time = base.function(quantity).operations
        natural = count(parametric(ProgramKey(chain_of(robot), quantity)).program)
        assert at_run_time.multiplications <= natural.multiplications, quantity
        assert at_run_time.div == 0
        built_in = base.function(quantity, base.values).operations
        assert built_in.multiplications <= arm.function(quantity).operations.multiplications, (
            quantity
        )


@pytest.mark.slow
def test_minimal_parameters_spare_operations_at_run_time() -> None:
    """Multiplications of PUMA 560 and of a generic arm of 6 joints. They may fall, not rise."""
    known = {
        "puma560": {"mass_matrix": 137, "inverse_dynamics": 283, "bias": 266, "gravity": 36},
        "generic6-type1": {"mass_matrix": 323, "inverse_dynamics": 455, "bias": 435, "gravity": 76},
    }
    for arm in (armdyn.load("puma560"), Arm(generic(6))):
        for quantity, number in known[arm.name].items():
            assert arm.minimal.function(quantity).operations.multiplications <= number, (
                arm.name,
                quantity,
            )


def test_drives_may_be_part_of_the_values() -> None:
    robot = with_friction(random_robots(7, (4,))[1])
    arm = Arm(robot)
    joints = [replace(j, rotor_inertia=0.3, viscous=0.7, offset=-0.2) for j in robot.joints]
    other = Arm(replace(other_links(robot), joints=joints))
    base = arm.minimal_with(rotor=True, friction=True)
    w = other.minimal_with(rotor=True, friction=True).values
    q, qd, qdd = states(arm, "inverse_dynamics")
    assert (
        relative_error(base.inverse_dynamics(q, qd, qdd, w), other.inverse_dynamics(q, qd, qdd))
        < 1e-12
    )
    built_in = base.function("inverse_dynamics", w)
    assert relative_error(built_in(q, qd, qdd), other.inverse_dynamics(q, qd, qdd)) < 1e-12


def test_every_state_may_have_its_own_values() -> None:
    arm = armdyn.load("puma560")
    base, rng = arm.minimal, np.random.default_rng(1)
    q, w = rng.uniform(-2, 2, (5, 6)), base.values * rng.uniform(0.8, 1.2, (5, 36))
    got = base.mass_matrix(q, w)
    assert got.shape == (5, 6, 6)
    for k in range(5):
        assert relative_error(base.mass_matrix(q[k], w[k]), got[k]) < 1e-14


def test_forward_dynamics_follows_from_minimal_parameters() -> None:
    arm = armdyn.load("puma560")
    q, qd, tau = states(arm, "forward_dynamics")
    got = arm.minimal.function("forward_dynamics")(q, qd, tau, arm.minimal.values)
    assert relative_error(got, arm.forward_dynamics(q, qd, tau)) < 1e-10


def test_what_does_not_follow_is_refused() -> None:
    base = armdyn.load("planar2").minimal
    with pytest.raises(MethodError, match="there is no quantity of minimal parameters 'potential"):
        base.function("potential_energy")
    with pytest.raises(InputError, match="divides by the masses"):
        base.function("mass_matrix", method="walker_orin")
    with pytest.raises(MethodError, match="method of mass_matrix"):
        base.function("mass_matrix", method="newton")
    with pytest.raises(InputError, match="expected 6 finite numbers"):
        base.function("mass_matrix", [1.0])
    with pytest.raises(InputError, match="`w` has shape"):
        base.mass_matrix([0.0, 0.0], [1.0])
