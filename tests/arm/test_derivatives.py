"""Derivatives of the dynamics, of `Arm`, against Pinocchio, identities and differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn.algorithms.table import QUANTITIES
from armdyn.graph.interpret import interpret
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.programs.key import ProgramKey
from armdyn.programs.tracing import algorithm
from armdyn.robot.chain import chain_of
from support.robots import (
    frame_oracle,
    oracle,
    random_robot,
    random_robots,
    random_state,
    relative_error,
)

INVERSE, FORWARD = "inverse_dynamics_derivatives", "forward_dynamics_derivatives"
METHODS = ("recursive", "recursive_to_base", "forward", "reverse")
SOLVED = ("recursive", "forward", "reverse")
ROWS = [*((INVERSE, method) for method in METHODS), *((FORWARD, method) for method in SOLVED)]
ROBOTS = random_robots(seed=3, sizes=(1, 2, 4))


def state_of(robot: armdyn.Robot, *names: str) -> list[np.ndarray]:
    state = random_state(robot)
    return [state[name] for name in names]


def differences(f, x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    columns = [(f(x + h) - f(x - h)) / (2 * step) for h in step * np.eye(len(x))]
    return np.stack(columns, axis=-1)


def with_friction(robot: armdyn.Robot) -> armdyn.Robot:
    rubbing = dict(coulomb=0.3, offset=0.1)
    joints = [replace(j, viscous=0.2 + 0.1 * k, **rubbing) for k, j in enumerate(robot.joints)]
    return replace(robot, joints=joints)


def test_methods_are_listed_beside_those_of_the_table() -> None:
    assert armdyn.methods(INVERSE) == METHODS
    assert armdyn.methods(FORWARD) == SOLVED
    assert armdyn.methods("jacobian_derivative") == ("forward",)


@pytest.mark.parametrize(("quantity", "method"), ROWS)
def test_derivatives_match_pinocchio_on_mixed_arms(quantity, method) -> None:
    for robot in ROBOTS:
        f = armdyn.Arm(robot).function(quantity, method, friction=False)
        got = f(*state_of(robot, *QUANTITIES[quantity].inputs))
        for part, expected in zip(got, oracle(robot, random_state(robot))[quantity], strict=True):
            assert relative_error(part, expected) < 1e-9, robot.name


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_by_velocity_are_twice_the_christoffel_matrix(method) -> None:
    for robot in ROBOTS:
        arm, (q, qd, qdd) = armdyn.Arm(robot), state_of(robot, "q", "qd", "qdd")
        got = arm.inverse_dynamics_derivatives(q, qd, qdd, method=method, friction=False)
        assert relative_error(got[1], 2.0 * arm.coriolis_matrix(q, qd)) < 1e-11, robot.name
        assert relative_error(got[2], arm.mass_matrix(q)) < 1e-11, robot.name


@pytest.mark.parametrize("method", METHODS)
def test_stiffness_of_gravity_is_symmetric(method) -> None:
    for robot in ROBOTS:
        arm, (q,) = armdyn.Arm(robot), state_of(robot, "q")
        got = arm.inverse_dynamics_derivatives(q, 0 * q, 0 * q, method=method)
        assert relative_error(got[0], got[0].T) < 1e-11, robot.name
        assert relative_error(got[0], differences(arm.gravity, q)) < 1e-6, robot.name


@pytest.mark.parametrize("method", METHODS)
def test_friction_adds_its_viscous_part_unless_left_out(method) -> None:
    for robot in ROBOTS[2::3]:
        arm, (q, qd, qdd) = armdyn.Arm(with_friction(robot)), state_of(robot, "q", "qd", "qdd")
        viscous = np.diag([j.viscous for j in arm.robot.joints])
        with_it = arm.inverse_dynamics_derivatives(q, qd, qdd, method=method)
        without = arm.inverse_dynamics_derivatives(q, qd, qdd, method=method, friction=False)
        assert relative_error(with_it[1] - without[1], viscous) < 1e-11
        assert np.array_equal(with_it[0], without[0]) and np.array_equal(with_it[2], without[2])


@pytest.mark.parametrize("method", SOLVED)
@pytest.mark.parametrize("friction", [True, False])
def test_forward_derivatives_are_those_of_forward_dynamics(method, friction) -> None:
    for robot in ROBOTS[1::3]:
        arm = armdyn.Arm(with_friction(robot))
        state = state_of(robot, "q", "qd", "tau")
        got = arm.forward_dynamics_derivatives(*state, method=method, friction=friction)
        for k, part in enumerate(got):

            def f(x: np.ndarray, k=k, arm=arm, state=state) -> np.ndarray:
                given = [*state[:k], x, *state[k + 1 :]]
                return arm.forward_dynamics(*given, friction=friction)

            assert relative_error(part, differences(f, state[k])) < 1e-5, (robot.name, k)


def test_friction_of_derivatives_of_forward_dynamics_is_in_the_torque_too() -> None:
    """The derivative by q depends on the acceleration, which friction changes."""
    robot = with_friction(random_robot("mixed", 3, 1))
    arm, (q, qd, tau) = armdyn.Arm(robot), state_of(robot, "q", "qd", "tau")
    driven = arm.forward_dynamics_derivatives(q, qd, tau)
    free = arm.forward_dynamics_derivatives(q, qd, tau - arm.friction(qd), friction=False)
    assert relative_error(driven[0], free[0]) < 1e-11
    other = arm.forward_dynamics_derivatives(q, qd, tau, friction=False)
    assert relative_error(driven[0], other[0]) > 1e-6


def test_jacobian_derivative_of_every_frame_is_the_rate_of_the_jacobian() -> None:
    for robot in ROBOTS[1::3]:
        arm, (q, qd) = armdyn.Arm(robot), state_of(robot, "q", "qd")
        step = 1e-6
        ahead, behind = (frame_oracle(robot, q + h * qd)["jacobian"] for h in (step, -step))
        for frame in (*range(robot.n + 1), "tip"):
            k = robot.n + 1 if frame == "tip" else frame
            expected = (ahead[k] - behind[k]) / (2 * step)
            got = arm.jacobian_derivative(q, qd, frame)
            assert relative_error(got, expected) < 1e-6, (robot.name, frame)


def test_point_acceleration_is_made_of_jacobian_and_its_derivative() -> None:
    arm = armdyn.load("puma560")
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 6))
    step = 1e-4
    p0, p1, p2 = (arm.pose(q + t * qd + 0.5 * t * t * qdd)[:3, 3] for t in (-step, 0.0, step))
    got = arm.jacobian(q) @ qdd + arm.jacobian_derivative(q, qd) @ qd
    assert relative_error(got[:3], (p0 - 2 * p1 + p2) / step**2) < 1e-5


@pytest.mark.parametrize(
    ("n", "recursive", "reverse"),
    [(6, (1763, 1529), (2532, 2191)), (7, (2346, 2004), (3550, 3061))],
)
def test_counts_on_general_arms(n, recursive, reverse) -> None:
    counts = {m: armdyn.operation_counts(INVERSE, m, n) for m in METHODS}
    assert (counts["recursive"].multiplications, counts["recursive"].additions) == recursive
    assert (counts["reverse"].multiplications, counts["reverse"].additions) == reverse
    assert (
        counts["reverse"] < counts["forward"] and counts["recursive"] < counts["recursive_to_base"]
    )
    assert armdyn.operation_counts(INVERSE, "auto", n) == counts["recursive"]


def test_recursion_grows_with_the_square_of_the_joints() -> None:
    three, six, twelve = (
        armdyn.operation_counts(INVERSE, "recursive", n).multiplications for n in (3, 6, 12)
    )
    assert six / three < 4.0 and twelve / six < 4.0


def test_auto_differentiates_programs_of_small_arms() -> None:
    """Recursions have a cost to begin with."""
    assert armdyn.load("planar2").function(INVERSE).method == "forward"
    assert armdyn.load("puma560").function(INVERSE).method == "recursive"


def test_wrenches_are_passed_to_the_base_where_that_is_cheaper() -> None:
    """Axes alternately across, most of them meeting in a point, as those of a seven-axis arm."""
    turned = [
        armdyn.Joint(
            beta=(-1) ** k * np.pi / 2, d=0.3 * (k % 2), mass=1.0, com=(0.01, 0.1, 0.05),
            inertia=(0.1, 0.01, 0.02, 0.12, 0.01, 0.08),
        )
        for k in range(7)
    ]  # fmt: skip
    arm = armdyn.Arm(armdyn.Robot(turned))
    half, whole = (arm.function(INVERSE, m).operations for m in METHODS[:2])
    assert whole < half and arm.function(INVERSE).method == "recursive_to_base"


@pytest.mark.parametrize(("quantity", "method"), ROWS)
def test_constants_of_the_arm_may_be_unknown(quantity, method) -> None:
    robot = with_friction(random_robot("mixed", 3, 2))
    chain, state = chain_of(robot), state_of(robot, *QUANTITIES[quantity].inputs)
    n, last = robot.n, chain.links[-1]

    def function(*given):
        *inputs, (mass, viscous) = given
        unknown = replace(last, m=2.0 * mass, friction=(viscous, *last.friction[1:]))
        moved = replace(chain, links=(*chain.links[:-1], unknown))
        return algorithm(ProgramKey(moved, quantity, method))(*inputs)

    inputs = [
        *(Slot(name, (n,)) for name in QUANTITIES[quantity].inputs),
        Slot("constants_of_hand", (2,)),
    ]
    outputs = [Slot(name, shape) for name, shape in QUANTITIES[quantity].shapes(n).items()]
    code = trace(function, inputs, outputs)
    got = interpret(code, *state, np.array([0.5 * last.m, last.friction[0]]))
    expected = armdyn.Arm(robot).function(quantity, "recursive")(*state)
    for part, other in zip(got, expected, strict=True):
        assert relative_error(part, other) < 1e-11


def test_singular_arm_has_no_derivatives_of_forward_dynamics() -> None:
    link = armdyn.Joint(b=0.1, mass=1.0, inertia=(1, 0, 0, 1, 0, 1))
    arm, zero = armdyn.Arm(armdyn.Robot([link, armdyn.Joint(b=0.3)])), np.zeros(2)
    with pytest.raises(armdyn.RobotError, match="forward_dynamics_derivatives does not exist"):
        arm.forward_dynamics_derivatives(zero, zero, zero)
    assert arm.inverse_dynamics_derivatives(zero, zero, zero)[2][1, 1] == 0.0


def test_leading_axes_broadcast() -> None:
    arm = armdyn.load("scara")
    q, qd = np.random.default_rng(0).uniform(-1, 1, (2, 5, 4))
    parts = arm.inverse_dynamics_derivatives(q, qd, np.zeros(4))
    assert [p.shape for p in parts] == [(5, 4, 4)] * 3
    single = arm.inverse_dynamics_derivatives(q[2], qd[2], np.zeros(4))
    for part, one in zip(parts, single, strict=True):
        assert relative_error(part[2], one) < 1e-14
    assert arm.jacobian_derivative(q, qd).shape == (5, 6, 4)
