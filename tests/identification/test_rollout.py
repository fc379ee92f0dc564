"""Rollouts: the identified arm, simulated under measured torques, stays near what was measured."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from armdyn import Arm, Joint, Log, Robot
from armdyn.identification.identify import identify
from armdyn.identification.judge.rollout import Windows, rollout, windows_of
from armdyn.identification.page.page import report_html
from armdyn.identification.result import Result
from armdyn.log.signals import prepare
from armdyn.present.tables import percent
from support.identification import motion, recorded, small_arm


def exact(arm: Arm, rate: float = 200.0, seconds: float = 9.0, count: int = 2) -> Windows:
    """Windows of a motion without noise."""
    t = np.arange(int(seconds * rate) + 1) / rate
    q, qd, qdd = motion(arm.n, t, seed=3)
    tau = arm.inverse_dynamics(q, qd, qdd)
    rows = [x.reshape(count, -1, arm.n) for x in (q[:-1], qd[:-1], qdd[:-1], tau[:-1])]
    short = t[: len(rows[0][0])]
    return Windows((0,) * count, short[-1] * np.arange(count), short, *rows)


@cache
def good() -> Result:
    return identify(small_arm(), recorded(small_arm()), physical=False)


def test_the_true_arm_does_what_was_measured() -> None:
    arm = small_arm()
    done = rollout(arm, exact(arm), arm.inverse_dynamics)
    assert done.failure == "" and done.notes == ()
    # what is left comes from straight lines between torques, and from friction at reversals
    assert done.deviation.max() < 2e-3
    assert done.tracking.max() < 5e-3


def test_a_wrong_arm_needs_help_and_the_share_says_how_much() -> None:
    arm, windows = small_arm(), exact(small_arm())
    joints = [replace(j, mass=1.2 * j.mass) for j in arm.robot.joints]
    wrong = Arm(Robot(joints))
    right, done = (rollout(a, windows, a.inverse_dynamics) for a in (arm, wrong))
    assert done.deviation[:, 1].min() > 20 * right.deviation[:, 1].max()
    assert done.tracking[1] > 0.1 > 20 * right.tracking[1]


def slope_of_gravity(arm: Arm, q: np.ndarray) -> np.ndarray:
    """How the gravity of each joint changes with its own position."""
    h = 1e-5 * np.eye(arm.n)
    return np.diag(arm.gravity(q + h) - arm.gravity(q - h)) / 2e-5


def test_an_upright_arm_of_little_inertia_does_not_fall_over() -> None:
    """Gravity is stronger than the spring that its inertia would get alone."""
    arm = Arm(Robot([Joint(mass=20.0, com=(0.05, 0.0, 0.0), inertia=(1e-3, 0, 0, 1e-3, 0, 1e-3))],
                    gravity=(0.0, -9.81, 0.0)))  # fmt: skip
    t = np.arange(600) / 200.0
    q = np.pi / 2 + 0.1 * np.sin(t)[None, :, None]
    rates = [0.1 * f(t)[None, :, None] for f in (np.cos, lambda t: -np.sin(t))]
    tau = arm.inverse_dynamics(q, *rates) + 0.2
    done = rollout(arm, Windows((0,), np.zeros(1), t, q, *rates, tau), arm.inverse_dynamics)
    assert slope_of_gravity(arm, q[0, 0])[0] < -0.05 * (2 * np.pi) ** 2
    assert done.deviation.max() < 0.15


def test_simulation_agrees_with_steps_of_another_kind() -> None:
    """The same equations, integrated here by small semi-implicit steps."""
    arm, windows = small_arm(), exact(small_arm(), seconds=4.0)
    wrong = Arm(Robot([replace(j, mass=1.1 * j.mass) for j in arm.robot.joints]))
    done = rollout(wrong, windows, wrong.inverse_dynamics)
    w = 2 * np.pi
    h, fine = 2e-4, np.arange(0.0, 1.0, 2e-4)
    q, qd = windows.q[0, 0].copy(), windows.qd[0, 0].copy()
    for t in fine:
        wanted, speed, tau = (
            np.array([np.interp(t, windows.t, x[0, :, j]) for j in range(3)])
            for x in (windows.q, windows.qd, windows.tau)
        )
        M = np.diag(wrong.mass_matrix(wanted))
        k = M * w**2 + np.maximum(-slope_of_gravity(wrong, wanted), 0.0)
        tau = tau + k * (wanted - q) + 2 * np.sqrt(k * M) * (speed - qd)
        qd = qd + h * wrong.forward_dynamics(q, qd, tau)
        q = q + h * qd
    at = np.searchsorted(windows.t, 1.0)
    np.testing.assert_allclose(done.q[0, at], q, atol=2e-3)
    assert np.abs(q - windows.q[0, at]).max() > 0.01


def test_torques_beyond_the_arm_are_applied() -> None:
    """A spring that only the model knows, and drives that are coupled."""
    arm, windows = small_arm(), exact(small_arm())
    K = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -0.7, 1.0]])
    spring = 30.0 * windows.q[:, :, [1]] * np.array([0.0, 1.0, 0.0])

    def whole(q, qd, qdd):
        return arm.inverse_dynamics(q, qd, qdd) @ K.T + 30.0 * q[:, [1]] * np.array([0.0, 1.0, 0.0])

    measured = replace(windows, tau=windows.tau @ K.T + spring)
    assert rollout(arm, measured, whole, K).deviation.max() < 2e-3
    assert rollout(arm, measured, arm.inverse_dynamics).deviation.max() > 0.1


def test_friction_that_stops_a_joint_at_once_is_no_obstacle() -> None:
    light = {"mass": 1e-3, "inertia": (1e-7, 0, 0, 1e-7, 0, 1e-7), "com": (0.01, 0, 0)}
    arm = Arm(Robot([Joint(viscous=2.0, coulomb=1.0, **light)]))
    windows = exact(arm)
    done = rollout(arm, windows, arm.inverse_dynamics)
    assert "joint1 (0.002 kg m^2)" in done.notes[0]
    assert done.failure == ""
    assert done.deviation.max() < 0.02


def test_a_simulation_that_fails_is_told_in_words() -> None:
    arm = small_arm()
    windows = exact(arm)
    tau = windows.tau.copy()
    tau[:, 300:] = 1e12
    done = rollout(arm, replace(windows, tau=tau), arm.inverse_dynamics)
    assert "unstable" in done.failure or "joint" in done.failure
    there = np.isfinite(done.q).all(axis=(0, 2))
    assert there[:250].all() and not there[-1]
    result = identify(arm, recorded(arm), physical=False)
    result.__dict__["rollout"] = done
    assert "The simulation ended early:" in report_html(result)


def test_windows_come_from_all_logs_and_never_cross_gaps() -> None:
    arm = small_arm()
    long, short = recorded(arm, duration=40.0), recorded(arm, duration=5.0, rate=125.0, seed=2)
    keep = (long.t < 10.0) | (long.t > 12.0)
    holed = Log(t=long.t[keep], q=long.q[keep], tau=long.tau[keep])
    logs = [prepare(log, cutoff=20.0) for log in (holed, short)]
    windows = windows_of(logs)
    assert len(windows.start) == 8 and set(windows.log) == {0, 1}
    for k, start, q in zip(windows.log, windows.start, windows.q, strict=True):
        end = start + windows.t[-1]
        assert not (k == 0 and start < 12.0 and end > 10.0)
        inside = (logs[k].t >= start) & (logs[k].t <= end)
        back = np.interp(logs[k].t[inside] - start, windows.t, q[:, 1])
        np.testing.assert_allclose(back, logs[k].q[inside, 1], atol=1e-4)


def test_logs_without_a_whole_window_have_none() -> None:
    arm = small_arm()
    log = prepare(recorded(arm, duration=0.6), cutoff=20.0)
    assert windows_of([log]) is None
    result = replace(good(), windows=None)
    assert result.rollout is None
    assert "No simulation" in report_html(result)


def test_an_identified_arm_follows_its_log() -> None:
    done = good().rollout
    assert done is good().rollout
    assert done.failure == ""
    assert done.deviation.max() < 0.01
    assert done.tracking.max() < 0.05
    page = report_html(good())
    assert '<section id="rollout">' in page
    assert page.count('data-group="rollout"') == 3
    most = int(np.argmax(done.tracking))
    said = f"joint{most + 1} needs most tracking: {percent(done.tracking[most])} of its torque."
    assert said in page


@pytest.mark.parametrize("held_out", [True, False])
def test_windows_are_of_data_held_out_if_there_are_any(held_out: bool) -> None:
    share = 0.3 if held_out else 0.0
    result = identify(small_arm(), recorded(small_arm()), holdout=share, physical=False)
    assert (result.windows.start.min() >= 14.0) == held_out
