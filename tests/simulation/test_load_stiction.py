"""Stiction that grows with the load: joints neither chatter nor creep, whatever integrates them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Joint, Robot
from armdyn.simulation.plant import Plant

INTEGRATORS = ["rk45", "dop853", "rk4", "ab4", "midpoint"]
LOAD, COULOMB, STRIBECK, ROTOR = 0.4, 0.5, 0.3, 0.6


def pendulum(load: float = LOAD, rotor: float = ROTOR, more: float = 1.0) -> Arm:
    joint = Joint(
        beta=np.pi / 2, mass=2.0, com=(0.5, 0, 0), inertia=(0, 0, 0, 0.01, 0, 0.01),
        load_friction=load, coulomb=COULOMB * more, stribeck=STRIBECK * more,
        stribeck_velocity=0.05, root_friction=0.1 * more, viscous=0.1 * more, rotor_inertia=rotor,
    )  # fmt: skip
    return Arm(Robot([joint], name="pendulum"))


def two_links() -> Arm:
    joint = Joint(
        beta=np.pi / 2, b=0.0, mass=3.0, com=(0.3, 0, 0), inertia=(0, 0, 0, 0.05, 0, 0.05),
        load_friction=0.35, coulomb=0.2, stribeck=0.2, stribeck_velocity=0.1, viscous=0.3,
        rotor_inertia=0.5,
    )  # fmt: skip
    second = Joint(
        b=0.6, mass=1.0, com=(0.2, 0, 0), inertia=(0, 0, 0, 0.02, 0, 0.02), load_friction=0.5,
        coulomb=0.1, root_friction=0.1, viscous=0.1, rotor_inertia=0.2,
    )  # fmt: skip
    return Arm(Robot([joint, second], name="two links"))


def options(integrator: str) -> dict[str, Any]:
    adaptive = integrator in ("rk45", "dop853")
    return {"integrator": integrator, **({} if adaptive else {"step": 2e-3})}


@pytest.mark.parametrize("rotor", [0.0, ROTOR])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_band_of_rest_is_that_of_dry_friction_and_load(integrator: str, rotor: float) -> None:
    arm = pendulum(rotor=rotor)
    load = float(arm.gravity([0.0])[0])
    band = COULOMB + STRIBECK + LOAD * abs(load)
    for side in (1.0, -1.0):
        inside, outside = ([load + side * share * band] for share in (0.999, 1.001))
        still = armdyn.simulate(arm, [0.0], [0.0], 0.5, inside, **options(integrator))
        assert not still.qd.any() and not still.events
        run = armdyn.simulate(arm, [0.0], [0.0], 0.05, outside, **options(integrator))
        assert (side * run.qd[1:] > 0.0).all()
        assert [event.what for event in run.events] == ["slips"]


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_accelerations_are_those_of_forward_dynamics(integrator: str) -> None:
    arm = two_links()
    run = armdyn.simulate(arm, [0.3, -0.5], [1.5, -2.0], 0.4, [9.0, 1.0], **options(integrator))
    moving = (np.abs(run.qd) > 1e-6).all(axis=1)
    assert moving.sum() > 5
    expected = arm.forward_dynamics(run.q[moving], run.qd[moving], run.tau[moving])
    np.testing.assert_allclose(run.qdd[moving], expected, rtol=0, atol=1e-11)


def test_integrators_agree_and_count_the_same_changes() -> None:
    """Two links swing against a torque, stick and slip: events are few, and at the same times."""
    arm = two_links()

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return arm.gravity(q) + np.array([12.0, 2.0]) * np.sin(6.0 * t) * [1.0, -1.0]

    runs = {
        name: armdyn.simulate(arm, [0.3, -0.5], [0.0, 0.0], 1.5, torque, **options(name))
        for name in INTEGRATORS
    }
    reference = runs["dop853"]
    changes = [(event.what, event.joint) for event in reference.events]
    assert 4 <= len(changes) <= 20
    for run in runs.values():
        assert Counter((e.what, e.joint) for e in run.events) == Counter(changes)
        np.testing.assert_allclose(run.q[-1], reference.q[-1], atol=2e-3)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_batch_comes_to_rest_and_stays(integrator: str) -> None:
    """Undriven links swing, lose energy all the time, and end exactly at rest."""
    arm = pendulum(more=3.0)
    q0 = np.array([[0.4], [-1.0], [-2.0]])
    run = armdyn.simulate(arm, q0, np.array([[3.0], [0.0], [-2.0]]), 4.0, **options(integrator))
    assert not run.qd[-1].any()
    ended = np.flatnonzero((run.qd[:, :, 0] != 0.0).any(axis=1)).max() + 1
    assert np.ptp(run.q[ended:], axis=0).max() == 0.0  # it does not creep
    assert np.diff(run.energy, axis=0).max() < 1e-5
    assert len(run.events) < 30  # nor chatter
    for b, row in enumerate(q0[:1]):
        alone = armdyn.simulate(arm, row, [3.0], 4.0, **options(integrator))
        np.testing.assert_allclose(alone.q[-1], run.q[-1, b], atol=1e-4)


def test_work_of_friction_is_the_energy_lost() -> None:
    arm = two_links()
    run = armdyn.simulate(arm, [0.3, -0.5], [2.0, -3.0], 0.3, integrator="dop853", samples=601)
    load = arm.regressor(run.q, run.qd, run.qdd) @ arm.parameters
    assert (np.abs(run.qd).min(axis=0) > 0.0).all()
    power = np.sum(arm.friction(run.qd, load=load) * run.qd, axis=1)
    lost = np.trapezoid(power, run.t)
    assert lost > 0.1 and abs(run.energy[0] - run.energy[-1] - lost) < 1e-4 * lost


def test_a_hold_without_dry_friction_at_rest_lets_go_at_once() -> None:
    """Stribeck friction that cancels Coulomb friction at rest: a soft start."""
    joint = Joint(rotor_inertia=1.0, coulomb=0.5, stribeck=-0.5, stribeck_velocity=0.1)
    arm = Arm(Robot([joint], name="soft"))
    for name in INTEGRATORS:
        run = armdyn.simulate(arm, [0.0], [0.0], 0.5, [0.1], **options(name))
        v = run.qd[-1, 0]
        assert v > 0.0
        expected = 0.1 - 0.5 * (1.0 - 1.0 / (1.0 + (v / 0.1) ** 2))
        assert abs(run.qdd[-1, 0] - expected) < 1e-9


def test_long_arms_bear_load_without_a_program() -> None:
    robot = armdyn.generic(14, seed=3)
    joints = [
        replace(j, load_friction=0.4, coulomb=0.5, rotor_inertia=0.3 * (i % 2))
        for i, j in enumerate(robot.joints)
    ]
    arm = Arm(replace(robot, joints=joints))
    plant = Plant(arm, "auto", friction=True, inside=True, parameters=None)
    assert plant.bears_load and plant.dynamics() is None
    rng = np.random.default_rng(0)
    q, qd = rng.normal(size=(2, 14))
    run = armdyn.simulate(arm, q, qd, 2e-3, np.full(14, 3.0), integrator="rk4", step=1e-3)
    expected = arm.forward_dynamics(run.q, run.qd, run.tau)
    np.testing.assert_allclose(run.qdd, expected, rtol=1e-8, atol=1e-8)


def test_computed_torque_follows_a_motion_against_load() -> None:
    arm = two_links()
    goal = [1.0, 0.4]
    motion = armdyn.motion.JointSpace([0.3, -0.5], goal, velocity=1.5, acceleration=6.0)
    errors: list[float] = []
    for friction in (True, False):
        control = armdyn.ComputedTorque(kp=100.0, kd=20.0, target=motion, friction=friction)
        run = armdyn.simulate(arm, [0.3, -0.5], until=motion.duration, torque=control)
        errors.append(float(np.abs(run.q[-1] - goal).max()))
    assert errors[0] < 2e-3 and errors[1] > 10 * errors[0]
