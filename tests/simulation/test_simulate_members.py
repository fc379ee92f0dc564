"""Batches by integrators that choose their steps: one arm after the other, on a common grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from support.says import facts, says

ARM = armdyn.load("planar2")
RNG = np.random.default_rng(0)
Q, QD = RNG.uniform(-1, 1, (2, 3, 2))
GOALS = RNG.uniform(-1, 1, (3, 2))


@pytest.mark.parametrize("name", ["rk45", "dop853"])
def test_an_arm_moves_the_same_alone_and_in_a_batch(name: str) -> None:
    times = np.linspace(0.0, 0.5, 6)
    torque = np.arange(6.0).reshape(3, 2)
    told: list[tuple[int, int]] = []
    batch = armdyn.simulate(
        ARM, Q, QD, 0.5, torque, name, samples=times,
        progress=lambda done, total, what: told.append((done, total)),
    )  # fmt: skip
    assert batch.q.shape == (6, 3, 2)
    np.testing.assert_array_equal(batch.t, times)
    runs = [
        armdyn.simulate(ARM, Q[k], QD[k], 0.5, torque[k], name, samples=times) for k in range(3)
    ]
    for k, alone in enumerate(runs):
        for what in ("q", "qd", "qdd", "tau", "energy"):
            np.testing.assert_array_equal(getattr(batch[k], what), getattr(alone, what))
    assert batch.evaluations == max(run.evaluations for run in runs)
    assert told == sorted(told)
    assert told[-1] == (300, 300)
    assert len(told) == len(set(told))


def test_a_batch_of_one_is_a_batch() -> None:
    for name in ("rk45", "rk4"):
        run = armdyn.simulate(ARM, Q[:1], QD[:1], 0.1, integrator=name)
        assert run.batch == 1
        alone = armdyn.simulate(ARM, Q[0], QD[0], 0.1, integrator=name)
        np.testing.assert_allclose(run.q[-1, 0], alone.q[-1], atol=1e-12)
    assert len(armdyn.simulate(ARM, Q[:1], QD[:1], 0.1)) == 101


def test_functions_may_know_all_arms_or_none() -> None:
    def alike(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return -3.0 * q

    def apart(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return 3.0 * (GOALS - q)

    def listed(t: float, q: np.ndarray, qd: np.ndarray) -> list[list[float]]:
        return (3.0 * (GOALS - q)).tolist()

    for torque in (alike, apart, listed):
        many = armdyn.simulate(ARM, Q, QD, 0.3, torque, rtol=1e-10)
        fixed = armdyn.simulate(ARM, Q, QD, 0.3, torque, "rk4", samples=101)
        np.testing.assert_allclose(many.q, fixed.q, atol=1e-8)
        np.testing.assert_allclose(many.tau, fixed.tau, atol=1e-7)


@pytest.mark.parametrize("kind", [armdyn.PD, armdyn.ComputedTorque])
def test_controllers_go_to_a_target_of_each_arm(kind: type) -> None:
    run = armdyn.simulate(ARM, Q, QD, 0.3, kind(50.0, 10.0, GOALS), rtol=1e-10)
    fixed = armdyn.simulate(ARM, Q, QD, 0.3, kind(50.0, 10.0, GOALS), "rk4", samples=101)
    np.testing.assert_allclose(run.q, fixed.q, atol=1e-7)
    for states in (Q[0], np.zeros((2, 2))):
        for name in ("rk45", "rk4"):
            with pytest.raises(armdyn.InputError, match=facts("`torque`", "(3, 2)")):
                armdyn.simulate(ARM, states, None, 0.3, kind(50.0, 10.0, GOALS), name)


def test_arms_of_other_parameters_stick_and_pass_limits_with_their_numbers() -> None:
    joints = [replace(joint, coulomb=4.0, lower=-2.0) for joint in ARM.robot.joints]
    arm = armdyn.Arm(armdyn.Robot(joints, ARM.robot.gravity, name="dry"))
    heavy = np.stack([arm.parameters, 2 * arm.parameters, 3 * arm.parameters])
    options = dict(until=1.0, samples=11)
    exact = armdyn.simulate(arm, Q, QD, parameters=heavy, rtol=1e-9, **options)
    fixed = armdyn.simulate(arm, Q, QD, parameters=heavy, integrator="rk4", step=5e-4, **options)
    np.testing.assert_allclose(exact.q, fixed.q, atol=5e-3)
    assert {event.arm for event in exact.events} == {0, 1, 2}
    assert list(exact.events) == sorted(exact.events, key=lambda event: event.t)


def test_an_arm_that_fails_is_told_with_its_number_and_a_part_ends_there() -> None:
    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if t > 0.25 and q[0, 0] > 1.0:
            raise RuntimeError("the cable broke")
        return np.zeros(2)

    starts = np.array([[-1.5, 0.0], [1.5, 0.0], [-1.5, 0.1]])
    with pytest.raises(armdyn.InputError, match=facts("arm 1", "the cable broke")) as caught:
        armdyn.simulate(ARM, starts, None, 0.5, torque)
    assert isinstance(caught.value.__cause__, RuntimeError)
    run = armdyn.simulate(ARM, starts, None, 0.5, torque, partial=True)
    assert not run.complete
    assert says(run.notes[0], "arm 1")
    assert run.q.shape == (len(run), 3, 2)
    assert 0.1 < run.t[-1] <= 0.25
    assert all(event.t <= run.t[-1] for event in run.events)


def test_an_interrupted_batch_has_no_part() -> None:
    def stop(done: int, total: int, what: str) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    for partial in (False, True):
        with pytest.raises(KeyboardInterrupt):
            armdyn.simulate(ARM, Q, QD, 0.5, progress=stop, partial=partial)
