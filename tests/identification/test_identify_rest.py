"""Rest in logs: cut off at the ends, and judged by the stiction band; torques of the wrong sign."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armdyn import InputError, Log
from armdyn.identification.identify import identify
from armdyn.log.trim import MARGIN, flipped, trimmed
from support.identification import motion, recorded, small_arm

RATE = 200.0


def with_rest(before: float, after: float, moving: float = 10.0, held: float = 0.0, seed: int = 0):
    """A log with rest at both ends; `held` is the share of dry friction that acts there."""
    arm, rng = small_arm(), np.random.default_rng([seed, 3])
    dry = np.array([joint.coulomb for joint in arm.robot.joints])
    t = np.arange(round((before + moving + after) * RATE)) / RATE
    # The motion runs on its own clock, which starts and stops within a second.
    pace = np.clip(np.minimum(t - before, before + moving - t), 0.0, 1.0)
    rate = pace**2 * (3.0 - 2.0 * pace)
    clock = np.cumsum(rate) / RATE
    change = np.gradient(rate, 1 / RATE)[:, None]
    q, slope, bend = motion(3, clock, seed)
    qd, qdd = slope * rate[:, None], bend * rate[:, None] ** 2 + slope * change
    tau = arm.inverse_dynamics(q, qd, qdd) + 0.05 * rng.normal(size=q.shape)
    tau += held * dry * (rate == 0.0)[:, None] * np.where(t < before, 1.0, -1.0)[:, None]
    q = q + 1e-5 * rng.normal(size=q.shape)
    return Log(t=t, q=q, tau=tau, joint_names=arm.joint_names)


def test_rest_at_both_ends_is_cut_off_but_for_a_margin() -> None:
    log = recorded(small_arm(), duration=10.0)
    left = trimmed(with_rest(3.0, 5.0), None)
    assert left.t[0] == pytest.approx(3.0 - MARGIN, abs=0.15)
    assert left.t[-1] == pytest.approx(13.0 + MARGIN, abs=0.15)
    assert "at the start" in left.notes[-1]
    assert trimmed(log, None) is log
    assert trimmed(with_rest(0.3, 0.3), None).duration == pytest.approx(10.6, abs=0.01)


def test_a_log_of_rest_is_left_whole() -> None:
    log = recorded(small_arm(), duration=2.0)
    still = replace(log, q=np.tile(log.q[0], (len(log), 1)))
    assert trimmed(still, None) is still


def test_seconds_to_cut_off_can_be_given() -> None:
    log = recorded(small_arm(), duration=10.0)
    left = trimmed(log, (2.0, 1.0))
    assert (left.t[0], left.t[-1]) == pytest.approx((2.0, 8.995), abs=1e-9)
    assert trimmed(with_rest(3.0, 5.0), (0.0, 0.0)).duration == pytest.approx(18.0, abs=0.01)
    with pytest.raises(InputError, match="cuts off all of the log"):
        trimmed(log, (6.0, 4.0))


def test_the_held_out_part_of_a_log_is_motion() -> None:
    log = with_rest(0.0, 12.0, 20.0)
    result = identify(small_arm(), log, physical=False)
    assert result.held_out
    assert result.total_error < 0.02
    assert any("cut off" in note for note in result.notes)
    assert result.errors.share_at_rest.max() < 0.2
    whole = identify(small_arm(), log, physical=False, trim=0)
    assert not any("cut off" in note for note in whole.notes)
    assert not whole.passed  # nothing moves in the part that is held out
    assert np.isnan(whole.total_error)
    assert np.isnan(whole.torque_error).all()


@pytest.mark.parametrize(("held", "least", "most"), [(0.9, 0.0, 0.01), (3.0, 0.1, 2.0)])
def test_torques_at_rest_are_judged_by_the_stiction_band(held, least, most) -> None:
    train = recorded(small_arm(), seed=1)
    test = with_rest(3.0, 3.0, held=held, seed=2)
    result = identify(small_arm(), train, test=test, trim=0, physical=False)
    assert result.total_error < 0.02
    assert result.torque_error_at_rest.shape == (3,)
    assert (result.torque_error_at_rest >= least).all()
    assert (result.torque_error_at_rest < most).all()
    # By the curve of friction alone, which is zero at rest, they would be wrong by much.
    series = result.test[0]
    rest = np.abs(series.velocity) < 1e-3
    naive = np.sqrt(np.mean(series.residual[rest] ** 2) / np.mean(series.measured[rest] ** 2))
    assert naive > 0.02


def test_a_joint_that_never_moves_has_no_error_while_moving() -> None:
    log = recorded(small_arm())
    q = log.q.copy()
    q[:, 2] = 0.3
    arm = small_arm()
    held = replace(log, q=q, tau=arm.inverse_dynamics(q, np.gradient(q, 1 / RATE, axis=0), 0 * q))
    result = identify(arm, held, physical=False)
    assert np.isnan(result.torque_error[2])
    assert np.isfinite(result.torque_error[:2]).all()
    assert np.isfinite(result.torque_error_at_rest[2])


def test_torques_of_the_wrong_sign_are_turned() -> None:
    log = recorded(small_arm())
    assert log.tau is not None
    wrong = replace(log, tau=log.tau * [1.0, -1.0, 1.0])
    options = {"physical": False, "robust": False}
    right = identify(small_arm(), log, **options)
    mended = identify(small_arm(), wrong, flip=(2,), **options)
    np.testing.assert_array_equal(mended.values, right.values)
    assert any("opposite sign" in note for note in mended.notes)
    named = identify(small_arm(), wrong, flip=["joint2"], **options)
    np.testing.assert_array_equal(named.values, right.values)
    assert flipped(log, ()) is log


@pytest.mark.parametrize("flip", [(9,), (0,), ("elbow",), (True,), 2.0])
def test_a_joint_that_is_not_there_cannot_be_turned(flip) -> None:
    with pytest.raises(InputError, match="from 1 to 3") as caught:
        identify(small_arm(), recorded(small_arm(), duration=1.0), flip=flip)
    assert caught.value.argument == "flip"


@pytest.mark.parametrize("trim", [-1.0, (1.0, 2.0, 3.0), "1:2", (1.0, float("nan")), True])
def test_a_wrong_trim_is_refused(trim) -> None:
    with pytest.raises(InputError) as caught:
        identify(small_arm(), recorded(small_arm(), duration=1.0), trim=trim)
    assert caught.value.argument == "trim"
