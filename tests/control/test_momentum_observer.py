"""The momentum observer: torques from outside, contacts, thresholds, gaps, C."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Log, MomentumObserver, Result
from armdyn.control.observation import contacts_of
from armdyn.errors import InputError
from support.beside import beside
from support.c_code import Library, needs_gcc, selftest
from support.identification import example_robot, motion, recorded, small_arm
from support.pauses import paused
from support.robots import random_robot

# Torque limits of the small arm [N m].
EFFORT = np.array([30.0, 30.0, 15.0])


@cache
def identified() -> Result:
    return armdyn.identify(small_arm(), recorded(small_arm(), seed=1), physical=False)


def pushed(log: Log, joint: int, start: float, size: float, length: float = 0.3) -> Log:
    """The log with a push from outside, which the drives hold against."""
    tau = np.array(log.tau)
    tau[(log.t >= start) & (log.t < start + length), joint] -= size
    return replace(log, tau=tau)


def test_the_residual_follows_a_torque_from_outside() -> None:
    """In a free fall of the arm, as a low-pass of the first order."""
    arm = armdyn.load("planar3")
    outside = np.array([3.0, -1.0, 0.5])
    drive = np.array([5.0, 2.0, 1.0])
    run = armdyn.simulate(
        arm, [0.3, 0.2, -0.1], until=0.1, torque=drive + outside, integrator="rk4", step=1e-4
    )
    observer = MomentumObserver(arm, gain=50.0)
    found = np.array(
        [observer.step(t, q, qd, drive) for t, q, qd in zip(run.t, run.q, run.qd, strict=True)]
    )
    expected = np.outer(1.0 - np.exp(-50.0 * run.t), outside)
    np.testing.assert_allclose(found, expected, atol=0.02)


@pytest.mark.parametrize("family", ["mixed", "rotational"])
def test_there_is_no_residual_in_an_ordinary_motion(family: str) -> None:
    """With friction and rotors, and torques of inverse dynamics."""
    arm = Arm(random_robot(family, 4, 2))
    t = np.arange(0.0, 0.4, 2e-4)
    q, qd, qdd = motion(4, t, 0)
    tau = arm.inverse_dynamics(q, qd, qdd)
    observer = MomentumObserver(arm, gain=100.0)
    found = np.array([observer.step(*x) for x in zip(t, q, qd, tau, strict=True)])
    turns = (np.diff(np.sign(qd), axis=0) != 0).any(axis=1)
    assert turns.sum() < 6
    assert abs(found).max() < 4e-3 * abs(tau).max()


def test_a_log_gives_the_residuals_of_its_samples() -> None:
    arm = small_arm()
    log = pushed(recorded(arm, duration=4.0, noise=0.0, encoder=0.0), 1, 2.0, 3.0)
    seen = MomentumObserver(arm, threshold=1.0).run(log)
    q, qd, _ = motion(3, seen.t, 0)
    at = np.searchsorted(log.t, seen.t - 1e-9)
    assert log.tau is not None
    observer = MomentumObserver(arm, threshold=1.0)
    steps = [observer.step(*x) for x in zip(seen.t, q, qd, log.tau[at], strict=True)]
    # velocities of the log are differentiated
    np.testing.assert_allclose(seen.residual, steps, atol=0.02)
    assert [(c.joint, round(c.size)) for c in seen.contacts] == [("joint2", 3)]


def test_no_false_alarm_in_ten_minutes() -> None:
    """Of another motion, with the error of an identified model."""
    log = recorded(small_arm(), duration=600.0, seed=7)
    seen = MomentumObserver(identified()).run(log)
    assert seen.contacts == ()
    assert len(seen.t) > 0.99 * len(log)
    assert (np.median(seen.threshold, axis=0) < 0.05 * EFFORT).all()


def test_pushes_of_a_tenth_of_the_limit_are_found_within_20_ms() -> None:
    observer = MomentumObserver(identified())
    log = recorded(small_arm(), duration=60.0, rate=500.0, seed=9)
    times = np.random.default_rng(0).uniform(2.0, 57.0, 12)
    for k, start in enumerate(times):
        j, sign = k % 3, (-1) ** k
        seen = observer.run(pushed(log, j, start, sign * 0.1 * EFFORT[j]))
        own = [c for c in seen.contacts if c.joint == f"joint{j + 1}"]
        assert len(own) == len(seen.contacts) == 1, (start, seen.contacts)
        assert 0.0 <= own[0].start - start <= 0.02
        assert own[0].size == pytest.approx(sign * 0.1 * EFFORT[j], rel=0.35)
        assert own[0].end - start == pytest.approx(0.3, abs=0.1)


def test_thresholds_adapt_to_the_residuals_of_a_log() -> None:
    """An arm that is described wrongly has large residuals, which are no contacts."""
    arm = small_arm()
    heavy = Arm(
        replace(arm.robot, joints=[replace(j, mass=1.2 * j.mass) for j in arm.robot.joints])
    )
    log = recorded(arm, duration=40.0, seed=5)
    own = MomentumObserver(heavy).run(log)
    assert own.contacts == ()
    assert "log itself" in own.summary()
    free = MomentumObserver(heavy, free=recorded(arm, duration=40.0, seed=6)).run(log)
    assert free.contacts == ()
    stale = MomentumObserver(heavy, free=recorded(heavy, duration=40.0, seed=6)).run(log)
    assert any("as high" in note for note in stale.notes)
    big = pushed(log, 1, 20.0, 60.0)
    found = MomentumObserver(heavy).run(big).contacts
    assert [c.joint for c in found] == ["joint2"]


def test_a_joint_at_rest_may_hold_its_dry_friction() -> None:
    arm = small_arm()
    t = np.arange(0.0, 12.0, 0.005)
    q, qd, qdd = (np.where((t > 5.0)[:, None], 0.0, x) for x in motion(3, t, 0))
    q[t > 5.0] = q[np.flatnonzero(t <= 5.0)[-1]]
    tau = arm.inverse_dynamics(q, qd, qdd)
    tau[t > 7.0] += [0.9, -0.8, 0.3]  # less than the Coulomb friction of every joint
    log = Log(t=t, q=q, tau=tau + 0.02 * np.random.default_rng(0).normal(size=q.shape))
    seen = MomentumObserver(arm, free=recorded(arm, noise=0.02)).run(log)
    assert [c for c in seen.contacts if c.start > 6.0] == []


@pytest.mark.parametrize(
    "wrong", [{"viscous": 3.0}, {"rotor_inertia": 0.5}], ids=["viscous", "rotor"]
)
def test_errors_of_fast_motion_do_not_hide_a_push_of_a_joint_that_stands(
    wrong: dict[str, float],
) -> None:
    arm = small_arm()
    other = Arm(replace(arm.robot, joints=[replace(j, **wrong) for j in arm.robot.joints]))
    observer = MomentumObserver(other, free=paused(arm, seed=1))
    levels = observer.levels
    assert levels is not None
    assert (levels.standing < 0.6 * levels.resting).all()
    for seed in range(20, 26):
        log = paused(arm, seed=seed)
        assert observer.run(log).contacts == ()
        assert observer.run(recorded(arm, seed=seed)).contacts == ()
        for j, size in enumerate((3.5, 3.5, 1.5)):  # dry friction is 1, 0.9 and 0.4 N m
            assert size < levels.resting[j]
            start = 3.5 * (2 + j) + 0.8
            seen = observer.run(pushed(log, j, start, (-1) ** seed * size))
            assert [c.joint for c in seen.contacts] == [f"joint{j + 1}"]
            assert 0.0 <= seen.contacts[0].start - start <= 0.05


def test_few_poses_of_a_log_without_contacts_tell_nothing_of_standing() -> None:
    arm = small_arm()
    for free in (paused(arm, poses=3), recorded(arm)):
        levels = MomentumObserver(arm, free=free).levels
        assert levels is not None
        np.testing.assert_array_equal(levels.standing, levels.resting)


def test_short_wrong_samples_are_no_contacts() -> None:
    t = np.arange(1000) / 1000.0
    residual, threshold = np.zeros((1000, 2)), np.ones((1000, 2))
    residual[100, 0] = 5.0
    residual[300:350, 1] = -2.0
    residual[360:400, 1] = -1.5
    residual[600:620, 1] = 3.0
    residual[800:990, 1] = 3.0  # the last samples are those of filters that end
    found = contacts_of(t, residual, threshold, ("a", "b"))
    assert [(c.start, c.end, c.joint, c.size) for c in found] == [
        (0.3, 0.399, "b", -2.0),
        (0.6, 0.619, "b", 3.0),
    ]
    assert len(contacts_of(20 * t, residual, threshold, ("a", "b"))) == 5


def test_gaps_in_time_are_refused() -> None:
    arm = small_arm()
    observer = MomentumObserver(arm, threshold=1.0)
    q = np.zeros(3)
    observer.step(0.0, q, q, q)
    observer.step(0.001, q, q, q)
    with pytest.raises(InputError, match=r"gap of 0\.9 s"):
        observer.step(0.901, q, q, q)
    with pytest.raises(InputError, match="backwards"):
        observer.step(0.0, q, q, q)
    observer.reset()
    observer.step(0.9, q, q, q)
    log = recorded(arm, duration=8.0)
    rows = (log.t < 3.0) | (log.t > 3.5)
    assert log.tau is not None
    broken = Log(t=log.t[rows], q=log.q[rows], tau=log.tau[rows])
    with pytest.raises(InputError, match=r"1 gap in time, the first of 0\.5.* after t = 2\.99"):
        observer.run(broken)
    assert len(observer.run(broken[:2.9]).t) > 500


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"model": "puma560"}, "expected an Arm"),
        ({"gain": 0.0}, "`gain`"),
        ({"threshold": [1.0, 2.0]}, "`threshold`"),
        ({"threshold": 0.0}, "`threshold`"),
        ({"free": 3.0}, "expected a Log"),
        ({"longest": -1.0}, "`longest`"),
    ],
)
def test_bad_arguments(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        MomentumObserver(**{"model": small_arm(), **given})


def test_logs_that_cannot_be_observed() -> None:
    log = recorded(small_arm(), duration=3.0)
    observer = MomentumObserver(small_arm())
    for wrong, words in (
        (replace(log, tau=None), "no torques"),
        (replace(log, effort="current"), "currents"),
        (recorded(armdyn.load("planar2"), duration=3.0), "2 joints"),
        (3.0, "expected a Log"),
    ):
        with pytest.raises(InputError, match=words):
            observer.run(wrong)  # type: ignore[arg-type]


@needs_gcc
def test_c_equals_python(tmp_path: Path) -> None:
    arm = armdyn.load("stanford")
    observer = MomentumObserver(arm, threshold=2.0)
    paths = observer.export_c(tmp_path)
    assert selftest(paths, tmp_path / "selftest").returncode == 0
    assert "stanford_observer_moving" in paths[0].read_text()
    library = Library(paths).library
    rng = np.random.default_rng(0)
    state, residual = np.zeros(18), np.zeros(6)

    def pointers(*arrays: np.ndarray) -> list[ctypes.c_void_p]:
        return [ctypes.c_void_p(a.ctypes.data) for a in arrays]

    for k in range(200):
        q, qd, tau = rng.normal(size=(3, 6))
        if k == 0:
            library.stanford_observer_start(*pointers(q, qd, tau, state))
        else:
            h = np.array([0.001 * k - 0.001 * (k - 1)])
            library.stanford_observer_step(*pointers(q, qd, tau, h, state, residual, state))
        expected = observer.step(0.001 * k, q, qd, tau)
        np.testing.assert_allclose(residual, expected, atol=1e-14 * max(1.0, abs(expected).max()))


def test_rows_that_a_recorder_repeats_are_no_contacts() -> None:
    arm, period = small_arm(), 1 / 98.7
    t = np.arange(0.003, 6.0, 0.01)
    q, qd, qdd = motion(arm.n, np.floor(t / period) * period, 0)
    tau = arm.inverse_dynamics(q, qd, qdd)
    seen = MomentumObserver(arm, threshold=1.0).run(Log(t, q, tau=tau, joint_names=arm.joint_names))
    assert seen.contacts == ()
    assert abs(seen.residual).max() < 0.5
    assert any("rows repeat the row before" in note for note in seen.notes)


def test_real_arm_without_contacts(tmp_path: Path) -> None:
    arm = armdyn.load(example_robot("ur_description/urdf/ur10_robot.urdf"))
    log = Log.read(beside("data/ur10_panda_unisa", "ur10_exciting_trajectory.csv"), joints=arm)
    half = len(log) // 2
    first, second = log.part(0, half), log.part(half, len(log))
    result = armdyn.identify(arm, first, friction=True, rotor=True, physical=False)
    observer = MomentumObserver(result)
    assert observer.run(second).contacts == ()
    assert MomentumObserver(result.arm).run(second).contacts == ()
    seen = observer.run(pushed(second, 0, second.t[0] + 6.0, 33.0))
    assert [c.joint for c in seen.contacts] == [arm.joint_names[0]]
    assert seen.contacts[0].start - second.t[0] == pytest.approx(6.0, abs=0.02)
    seen.plot(tmp_path / "contacts.png")
    assert (tmp_path / "contacts.png").stat().st_size > 10_000
