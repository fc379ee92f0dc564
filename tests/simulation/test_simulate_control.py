"""Controllers: where arms end, and how errors fade."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn.motion.minimum_jerk import MinimumJerk

PUMA = armdyn.load("puma560")
START = np.array([0.3, -0.5, 0.4, 0.2, 0.6, -0.1])
GOAL = START + np.array([0.5, 0.3, -0.4, 0.5, -0.3, 0.2])


def test_pd_with_gravity_ends_at_its_target_and_without_does_not() -> None:
    run = armdyn.simulate(PUMA, START, None, 6.0, armdyn.PD(100.0, 30.0, GOAL))
    np.testing.assert_allclose(run.q[-1], GOAL, atol=1e-3)
    bare = armdyn.simulate(PUMA, START, None, 6.0, armdyn.PD(100.0, 30.0, GOAL, gravity=False))
    assert np.abs(bare.q[-1] - GOAL).max() > 0.05


def test_computed_torque_makes_every_error_fade_alike() -> None:
    controller = armdyn.ComputedTorque(25.0, 10.0, GOAL)
    run = armdyn.simulate(PUMA, START, None, 1.0, controller, rtol=1e-9)
    shares = (run.q - GOAL) / (START - GOAL)
    expected = (1 + 5 * run.t) * np.exp(-5 * run.t)  # both roots at -5
    np.testing.assert_allclose(shares, np.repeat(expected[:, None], 6, axis=1), atol=1e-6)


def test_computed_torque_follows_a_trajectory_and_stays_at_its_end() -> None:
    motion = MinimumJerk([START, GOAL], times=[0.0, 1.0])
    run = armdyn.simulate(
        PUMA, START, None, 1.5, armdyn.ComputedTorque(100.0, 20.0, motion), rtol=1e-9, samples=151
    )
    wanted = motion.q(np.minimum(run.t, 1.0))
    np.testing.assert_allclose(run.q, wanted, atol=1e-6)


def test_a_wrong_model_leaves_an_error() -> None:
    light = armdyn.Arm(
        armdyn.Robot(
            [replace(j, mass=0.7 * j.mass) for j in PUMA.robot.joints], PUMA.robot.gravity,
            PUMA.robot.base, PUMA.robot.tool, "light",
        )
    )  # fmt: skip
    controller = armdyn.ComputedTorque(100.0, 20.0, START, model=light)
    run = armdyn.simulate(PUMA, START, None, 2.0, controller)
    assert 1e-3 < np.abs(run.q[-1] - START).max() < 0.5


def test_torques_stay_within_limits() -> None:
    limit = np.array([60.0, 60.0, 30.0, 5.0, 5.0, 5.0])
    run = armdyn.simulate(PUMA, START, None, 1.0, armdyn.PD(300.0, 30.0, GOAL, limit=limit))
    assert (np.abs(run.tau) <= limit).all()
    assert (np.abs(run.tau).max(axis=0) == limit).any()
    robot = PUMA.robot
    joints = [replace(j, effort=25.0) for j in robot.joints]
    weak = armdyn.Arm(armdyn.Robot(joints, robot.gravity, robot.base, robot.tool, "weak"))
    run = armdyn.simulate(weak, START, None, 0.5, armdyn.PD(300.0, 30.0, GOAL, limit="effort"))
    assert np.abs(run.tau).max() == 25.0


@pytest.mark.parametrize("kind", [armdyn.PD, armdyn.ComputedTorque])
def test_controllers_drive_batches(kind: type) -> None:
    rng = np.random.default_rng(0)
    starts, goals = rng.uniform(-0.5, 0.5, (2, 3, 6))
    options = dict(until=0.1, integrator="rk4", step=2e-3)
    run = armdyn.simulate(PUMA, starts, None, torque=kind(50.0, 10.0, goals), **options)
    for k in range(3):
        alone = armdyn.simulate(PUMA, starts[k], None, torque=kind(50.0, 10.0, goals[k]), **options)
        np.testing.assert_allclose(run.q[:, k], alone.q, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: armdyn.PD(-1.0, 1.0, GOAL), "`kp` is -1.0"),
        (lambda: armdyn.PD(1.0, float("nan"), GOAL), "`kd` has nan"),
        (lambda: armdyn.PD(1.0, 1.0, GOAL, limit=-3.0), "`limit` is -3.0"),
        (lambda: armdyn.PD(1.0, 1.0, "there"), "`target` is 'there'"),
        (lambda: armdyn.PD(1.0, 1.0, GOAL, limit="much"), "`limit` is 'much'"),
        (lambda: armdyn.ComputedTorque(1.0, 1.0, GOAL, model="puma"), "`model` is 'puma'"),
    ],
)
def test_wrong_gains_are_refused(make: object, words: str) -> None:
    with pytest.raises(armdyn.InputError, match=words):
        make()  # type: ignore[operator]


def test_what_does_not_fit_the_arm_is_refused() -> None:
    for controller in (
        armdyn.PD([1.0, 2.0], 1.0, GOAL),
        armdyn.PD(1.0, 1.0, [0.0, 0.0]),
        armdyn.PD(1.0, 1.0, GOAL, limit=[1.0, 2.0]),
        armdyn.ComputedTorque(1.0, 1.0, GOAL, model=armdyn.load("planar2")),
    ):
        with pytest.raises(armdyn.InputError, match="joints"):
            armdyn.simulate(PUMA, START, None, 0.1, controller)


def test_an_exciting_motion_is_a_target() -> None:
    arm = armdyn.load("planar2")
    motion = armdyn.excite(arm, duration=2.0, harmonics=3, evaluations=100)
    start = motion.trajectory.q(0.0)
    for kind, gains in ((armdyn.PD, (200.0, 20.0)), (armdyn.ComputedTorque, (100.0, 20.0))):
        controller = kind(*gains, target=motion)
        run = armdyn.simulate(arm, start, until=2.0, torque=controller, samples=21)
        same = armdyn.simulate(
            arm, start, until=2.0, torque=kind(*gains, target=motion.trajectory), samples=21
        )
        np.testing.assert_array_equal(run.q, same.q)
    np.testing.assert_allclose(run.q, motion.trajectory.q(run.t), atol=1e-4)
