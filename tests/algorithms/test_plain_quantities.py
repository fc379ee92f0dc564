"""Regressor, energies, pose and Jacobian: order, signs and zeros, and what ties them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from armdyn import Joint, Robot
from armdyn.algorithms.link_parameters import PARAMETER_NAMES, parameters
from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.pinocchio import pinocchio_model
from armdyn.graph.count import count
from armdyn.graph.interpret import evaluate
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import Chain, chain_of
from support.robots import random_robots, random_state, relative_error

ROBOTS = random_robots(seed=4, sizes=(1, 3, 6))
NAMES = {
    "regressor": "newton_euler",
    "mass_matrix": "lin_1991",
    "bias": "lin_1991",
    "gravity": "lin_1994",
    "coriolis_matrix": "lin_1991",
    "inverse_dynamics": "newton_euler",
    "kinetic_energy": "link_sum",
    "potential_energy": "link_sum",
    "pose": "product",
    "jacobian": "geometric",
}
RUN: dict[str, Callable[..., Any]] = {
    k: QUANTITIES[k].methods[name].run for k, name in NAMES.items()
}


def value(quantity: str, robot: Robot, *state: np.ndarray, **frame: int) -> np.ndarray:
    return np.array(RUN[quantity](chain_of(robot), *(x.tolist() for x in state), **frame))


def test_parameters_are_those_of_pinocchio() -> None:
    for robot in ROBOTS:
        inertias = pinocchio_model(robot).inertias
        expected = [inertias[i + 1].toDynamicParameters() for i in range(robot.n)]
        assert relative_error(parameters(chain_of(robot)), np.concatenate(expected)) < 1e-14
    assert len(PARAMETER_NAMES) == 10


def test_regressor_times_parameters_and_rotors_are_torques() -> None:
    for robot in ROBOTS:
        state = random_state(robot)
        motion = [state[k] for k in ("q", "qd", "qdd")]
        rotors = np.array([j.rotor_inertia for j in robot.joints]) * state["qdd"]
        got = value("regressor", robot, *motion) @ parameters(chain_of(robot)) + rotors
        assert relative_error(got, value("inverse_dynamics", robot, *motion)) < 1e-12, robot.name


def test_a_link_before_the_joint_is_not_seen_by_it() -> None:
    for robot in ROBOTS:
        state = random_state(robot)
        Y = value("regressor", robot, *(state[k] for k in ("q", "qd", "qdd")))
        for joint in range(robot.n):
            assert not Y[joint, : 10 * joint].any()


def test_kinetic_energy_is_half_of_the_quadratic_form_of_the_mass_matrix() -> None:
    for robot in ROBOTS:
        q, qd = (random_state(robot)[k] for k in ("q", "qd"))
        expected = 0.5 * qd @ value("mass_matrix", robot, q) @ qd
        assert relative_error(value("kinetic_energy", robot, q, qd), expected) < 1e-13, robot.name


def test_power_of_the_torques_is_the_rate_of_energy() -> None:
    h = 1e-5
    for robot in ROBOTS:
        q, qd, qdd = (random_state(robot)[k] for k in ("q", "qd", "qdd"))

        def energy(t: float, r: Robot = robot, q=q, qd=qd, qdd=qdd) -> float:
            q_t, qd_t = q + t * qd + t * t / 2 * qdd, qd + t * qdd
            kinetic = value("kinetic_energy", r, q_t, qd_t)
            return float(kinetic + value("potential_energy", r, q_t))

        power = qd @ value("inverse_dynamics", robot, q, qd, qdd)
        rate = (energy(h) - energy(-h)) / (2 * h)
        assert rate == pytest.approx(power, rel=1e-6, abs=1e-5), robot.name


def test_gravity_is_the_gradient_of_potential_energy() -> None:
    h = 1e-5
    for robot in ROBOTS:
        q = random_state(robot)["q"]
        ahead, behind = (
            np.array([value("potential_energy", robot, q + s * e) for e in np.eye(robot.n)])
            for s in (h, -h)
        )
        assert np.abs((ahead - behind) / (2 * h) - value("gravity", robot, q)).max() < 1e-6


def test_potential_energy_is_zero_at_the_height_of_the_base_frame() -> None:
    lifted = np.eye(4)
    lifted[2, 3] = 2.0
    robot = Robot([Joint(mass=3.0)], base=lifted)
    assert value("potential_energy", robot, np.zeros(1)) == pytest.approx(3.0 * 9.81 * 2.0)


def test_pose_of_frame_zero_is_the_base_and_of_the_last_two_differ_by_the_tool() -> None:
    for robot in ROBOTS:
        q, n = random_state(robot)["q"], robot.n
        assert relative_error(value("pose", robot, q, frame=0), robot.base) < 1e-14
        flange, tip = (value("pose", robot, q, frame=k) for k in (n, n + 1))
        assert relative_error(flange @ robot.tool, tip) < 1e-14


def test_jacobian_of_a_frame_ignores_the_joints_behind_it() -> None:
    for robot in ROBOTS:
        q = random_state(robot)["q"]
        for k in range(robot.n + 1):
            assert not value("jacobian", robot, q, frame=k)[:, k:].any()


def test_base_turned_by_a_right_angle_adds_no_operation() -> None:
    """The rounding of cos(pi/2) in a placement is a zero of the geometry."""
    c, s = np.cos(np.pi / 2), np.sin(np.pi / 2)
    turned = [[c, -s, 0, 1], [s, c, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]
    joints = [Joint(beta=0.3, b=0.2, d=0.1), Joint(beta=-0.4, b=0.3, d=0.2)]
    costs = []
    for base in (np.eye(4) + np.pad([[1], [2], [3], [0]], ((0, 0), (3, 0))), np.array(turned)):
        chain = chain_of(Robot(joints, base=base))
        program = trace(
            lambda q, c=chain: RUN["pose"](c, q, frame=3), [Slot("q", (2,))], [Slot("T", (4, 4))]
        )
        costs.append(count(program))
    assert costs[0] == costs[1]


def with_parameters(chain: Chain, given: list[Any]) -> Chain:
    """The chain with masses, centres of mass and inertias replaced by ten numbers a link."""
    ten = [given[10 * i : 10 * i + 10] for i in range(chain.n)]
    links = (
        replace(link, m=p[0], c=tuple(p[1:4]), I=tuple(p[4:10]))
        for link, p in zip(chain.links, ten, strict=True)
    )
    return replace(chain, links=tuple(links))


@pytest.mark.parametrize("quantity", [k for k in NAMES if not QUANTITIES[k].takes_frame])
def test_inertial_parameters_may_stay_unknown(quantity: str) -> None:
    entry, robot = QUANTITIES[quantity], random_robots(seed=4, sizes=(4,))[0]
    chain, state = chain_of(robot), random_state(robot)
    given = [x for link in chain.links for x in (link.m, *link.c, *link.I)]
    inputs = [Slot(name, (robot.n,)) for name in entry.inputs]
    outputs = [Slot(name, shape) for name, shape in entry.shapes(robot.n).items()]
    program = trace(
        lambda *a: RUN[quantity](with_parameters(chain, a[-1]), *a[:-1]),
        [*inputs, Slot("parameters", (10 * robot.n,))],
        outputs,
    )
    numbers = [x for name in entry.inputs for x in state[name].tolist()]
    expected = value(quantity, robot, *(state[name] for name in entry.inputs))
    assert relative_error(evaluate(program, [*numbers, *given]), expected.reshape(-1)) < 1e-12
