"""Faults that are planted in recordings are named; clean recordings have none."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Log, LogCheck
from armdyn.recording.check import CHECKS

RATE = 200.0
HOME = np.array([0.2, -1.5, 0.4, 0.2, 0.2, 0.2])


@cache
def arm() -> Arm:
    return armdyn.load("puma560")


@cache
def clean() -> Log:
    """Return 16 s of a motion with encoders of 16 bits, velocities, torques and commands."""
    rng = np.random.default_rng(5)
    t = np.arange(int(16.0 * RATE)) / RATE
    swing = 0.25 * rng.normal(size=(2, 4, 6))
    q, qd, qdd = armdyn.motion.Fourier(HOME, *swing, 16.0).states(t)
    friction = 0.15 * np.abs(arm().inverse_dynamics(q, qd, qdd)).mean(axis=0)
    tau = arm().inverse_dynamics(q, qd, qdd, friction=False) + friction * np.sign(qd)
    tau += 0.01 * tau.std(axis=0) * rng.normal(size=tau.shape)
    step = 2 * np.pi / 2**16
    lag = np.stack([np.interp(t + 0.04, t, x) for x in q.T], axis=1)
    goal = lag + 0.02 * tau / np.abs(tau).max()
    qd = qd + 0.002 * rng.normal(size=qd.shape)
    return Log(t, step * np.round(q / step), qd, tau=tau, q_cmd=goal)


def check(log: Log, *, known: bool = True) -> LogCheck:
    return armdyn.check_log(log, arm() if known else None)


def only(result: LogCheck, kind: str, joints: set[int] | None = None) -> str:
    """Return the words of the only kind of fault, and compare its joints."""
    assert {fault.kind for fault in result.faults} == {kind}
    if joints is not None:
        assert {j for fault in result.faults for j in fault.joints} == joints
    assert not result.ok
    return " ".join(fault.what for fault in result.faults)


def changed(name: str, joints: int | list[int], factor: float) -> Log:
    column = np.array(getattr(clean(), name))
    column[:, joints] *= factor
    return replace(clean(), **{name: column})


def exchanged(name: str, i: int, j: int) -> Log:
    column = np.array(getattr(clean(), name))
    column[:, [i, j]] = column[:, [j, i]]
    return replace(clean(), **{name: column})


def late(name: str, seconds: float) -> Log:
    t, column = clean().t, getattr(clean(), name)
    moved = np.stack([np.interp(t - seconds, t, x) for x in column.T], axis=1)
    return replace(clean(), **{name: moved})


@pytest.mark.parametrize("known", [True, False])
def test_a_clean_recording_has_no_fault(known: bool) -> None:
    result = check(clean(), known=known)
    assert result.ok and result.faults == [] and result.remarks == []
    assert result.title.endswith("at rest 0.00 %") and "200 Hz" in result.title


@pytest.mark.parametrize("channels", [("tau",), ("q_cmd",), ("qd", "tau"), ()])
def test_channels_may_be_missing(channels: tuple[str, ...]) -> None:
    absent = {name: None for name in ("qd", "tau", "q_cmd") if name not in channels}
    assert check(replace(clean(), **absent)).ok


def test_one_check_is_one_row() -> None:
    kinds = [row.kind for row in CHECKS]
    assert len(kinds) == len(set(kinds)) and all(row.words for row in CHECKS)
    known = {*kinds, "time order"}
    assert all(set(row.after) <= known for row in CHECKS)


# Clocks.


def test_a_short_recording() -> None:
    assert "too short" in only(check(clean().part(0, 50)), "short")
    one = check(Log([0.0], [HOME], tau=[HOME], q_cmd=[HOME], qd=[HOME]))
    assert "1 samples" in only(one, "short") and one.to_dict()["rest"] == 1.0
    two_seconds = check(clean().part(0, 500))
    assert two_seconds.ok and any(one.kind == "short" for one in two_seconds.remarks)


def test_a_gap_is_named_with_its_place() -> None:
    log = clean()
    keep = np.r_[0:1000, 1060:2000, 2100 : len(log)]
    cut = Log(log.t[keep], log.q[keep], tau=log.tau[keep])  # type: ignore[index]
    result = check(cut)
    assert "2 gaps" in only(result, "gap")
    assert result.faults[0].spans[0] == pytest.approx((log.t[999], log.t[1060]))


def test_ends_of_episodes_are_no_gaps() -> None:
    log = replace(clean(), qd=None, q_cmd=None)
    assert check(Log.concat([log.part(0, 1600), log.part(1600, 3200)])).ok


def test_jitter_that_is_real_is_a_remark() -> None:
    rng = np.random.default_rng(0)
    t = np.array(clean().t) + 0.3 / RATE * rng.random(len(clean()))
    q = np.stack([np.interp(t, clean().t, x) for x in clean().q.T], axis=1)
    result = check(Log(t, q))
    assert result.ok and [one.kind for one in result.remarks] == ["jitter"]


def test_stamps_of_arrival_are_named() -> None:
    rng = np.random.default_rng(0)
    t = np.array(clean().t) + 0.9 / RATE * rng.random(len(clean()))
    result = check(replace(clean(), t=t))
    assert "not the times of the samples" in only(result, "time stamps")


def test_true_jittered_stamps_with_a_joint_at_rest_are_no_fault() -> None:
    rng = np.random.default_rng(0)
    t = np.array(clean().t) + 0.5 / RATE * rng.random(len(clean()))
    q = np.stack([np.interp(t, clean().t, x) for x in clean().q.T], axis=1)
    q[:, 3] = 0.7
    result = check(Log(t, q))
    assert result.ok
    assert {one.kind for one in result.remarks} == {"jitter", "rest"}


def test_repeated_rows_and_held_channels_are_named() -> None:
    columns = {name: np.array(getattr(clean(), name)) for name in ("q", "qd", "tau", "q_cmd")}
    for k in np.random.default_rng(0).choice(np.arange(100, 3000), 150, replace=False):
        for column in columns.values():
            column[k] = column[k - 1]
    assert "rows" in only(check(replace(clean(), **columns)), "repeated samples")
    tau = clean().tau
    assert tau is not None
    held = np.repeat(tau[::4], 4, axis=0)
    words = only(check(replace(clean(), tau=held)), "repeated samples")
    assert "all torques repeat" in words and "50 times a second" in words


# Positions.


def test_units_of_positions() -> None:
    q = np.asarray(clean().q)
    assert "degrees" in only(check(Log(clean().t, np.degrees(q))), "position unit")
    counts = np.round(q * 4096 / (2 * np.pi)) + 2048
    assert "counts" in only(check(Log(clean().t, counts)), "position unit")
    low, high = counts.min(axis=0), counts.max(axis=0)
    result = check(Log(clean().t, -100 + 200 * (counts - low) / (high - low)))
    assert "-100 ... 100" in only(result, "position unit")
    assert result.faults[0].option == "--units m100_100"
    assert "degrees" in only(check(Log(clean().t, np.degrees(q)), known=False), "position unit")


def test_positions_beyond_limits_are_named() -> None:
    q = np.array(clean().q)
    q[:, 2] += arm().robot.joints[2].upper - q[:, 2].max() + 0.4
    assert "limits" in only(check(Log(clean().t, q)), "limits", {3})


def test_a_joint_on_a_stop_is_named_and_a_parked_one_is_not() -> None:
    q = np.array(clean().q)
    q[:, 1] = np.minimum(q[:, 1], np.quantile(q[:, 1], 0.85))
    assert "end suddenly" in only(check(Log(clean().t, q)), "stop", {2})
    t = np.arange(2000) / RATE
    u = np.clip(t / 2.0 - 1.0, 0.0, 1.0)
    parked = 0.8 * (10 * u**3 - 15 * u**4 + 6 * u**5)
    result = check(Log(t, np.outer(parked, np.array([1.0, -0.5, 0.6, 0.3, 0.2, 0.9]))))
    assert result.ok


def test_a_joint_at_rest_and_an_arm_at_rest() -> None:
    q = np.array(clean().q)
    q[:, 4] = 0.3
    result = check(Log(clean().t, q))
    assert result.ok and [(one.kind, one.joints) for one in result.remarks] == [("rest", (5,))]
    assert "no joint moves" in only(check(Log(clean().t, np.full_like(q, 0.3))), "rest")


def test_excitation_and_encoders_are_remarks() -> None:
    q = np.asarray(clean().q)
    small = check(Log(clean().t, q.mean(axis=0) + 0.02 * (q - q.mean(axis=0))))
    assert small.ok and "small" in " ".join(one.what for one in small.remarks)
    together = HOME + np.outer(q[:, 0] - q[0, 0], [0.3, 0.1, -0.2, 0.1, 0.25, 0.3])
    result = check(Log(clean().t, together))
    assert result.ok and "together" in " ".join(one.what for one in result.remarks)
    coarse = np.array(q)
    coarse[:, 2] = 0.05 * np.round(coarse[:, 2] / 0.05)
    result = check(Log(clean().t, coarse))
    assert [(one.kind, one.joints) for one in result.remarks] == [("encoder", (3,))]


# Velocities and commands.


def test_velocities() -> None:
    assert "other way round" in only(check(changed("qd", 2, -1.0)), "velocity", {3})
    everywhere = changed("qd", list(range(6)), 180 / np.pi)
    assert "degrees per second" in only(check(everywhere), "velocity")
    words = only(check(exchanged("qd", 1, 4)), "velocity", {2, 5})
    assert "joint2 has that of joint5" in words


def test_commands() -> None:
    words = only(check(exchanged("q_cmd", 0, 3)), "command", {1, 4})
    assert "exchanged" in words
    goals = clean().q_cmd
    assert goals is not None
    increments = replace(clean(), q_cmd=np.gradient(goals, axis=0))
    assert "not the goal" in only(check(increments), "command", {1, 2, 3, 4, 5, 6})
    assert "after the motion" in only(check(late("q_cmd", 0.1)), "command delay")
    assert "follow the command" in only(check(late("q_cmd", -0.45)), "command delay")


def test_droop_against_gravity_is_named() -> None:
    log, goals = clean(), clean().q_cmd
    assert goals is not None
    sag = np.zeros(log.q.shape)
    sag[:, 1] = 2e-3 * arm().gravity(log.q)[:, 1]
    base = np.stack([np.interp(log.t + 0.04, log.t, x) for x in log.q.T], axis=1)
    commands = replace(log, tau=None, qd=None, q_cmd=base + sag)
    assert check(commands).ok
    assert "hangs against" in only(check(replace(commands, q_cmd=base - sag)), "droop", {2})


# Torques.


def test_constant_and_cut_off_torques() -> None:
    assert "never changes" in only(check(changed("tau", 3, 0.0)), "constant torque", {4})
    tau = np.array(clean().tau)
    tau[:, 1] = np.clip(tau[:, 1], *np.quantile(tau[:, 1], [0.05, 0.95]))
    result = check(replace(clean(), tau=tau))
    assert "cut off" in only(result, "saturation", {2})
    assert result.faults[0].spans


def test_signs_units_and_order_of_torques() -> None:
    result = check(changed("tau", 1, -1.0))
    assert "wrong sign" in only(result, "torque sign", {2})
    assert result.faults[0].option == "--flip 2"
    everywhere = list(range(6))
    assert "all joints" in only(check(changed("tau", everywhere, -1.0)), "torque sign")
    assert "mN m" in only(check(changed("tau", everywhere, 1000.0)), "torque unit")
    assert "another unit" in only(check(changed("tau", 2, 0.05)), "torque unit", {3})
    gains = np.array([0.3, 1.2, 0.05, 0.6, 0.02, 0.15])
    currents = replace(clean(), tau=np.asarray(clean().tau) * gains)
    assert "currents" in only(check(currents), "torque unit")
    assert "exchanged" in only(check(exchanged("tau", 1, 2)), "torque order", {2, 3})
    assert "exchanged" in only(check(exchanged("tau", 4, 5)), "torque order", {5, 6})


@pytest.mark.parametrize(("seconds", "way"), [(0.05, "50 ms late"), (-0.09, "90 ms early")])
def test_torques_on_another_clock_are_named(seconds: float, way: str) -> None:
    words = only(check(late("tau", seconds)), "torque delay")
    number, rest = way.split(" ", 1)
    found = float(words.split("torques are ")[1].split(" ms")[0])
    assert abs(found - float(number)) <= 3 and rest.split()[-1] in words


def test_currents_have_signs_but_no_unit() -> None:
    log = replace(clean(), tau=0.1 * np.asarray(clean().tau), effort="current")
    assert check(log).ok
    tau = np.array(log.tau)
    tau[:, 1] *= -1
    only(check(replace(log, tau=tau)), "torque sign", {2})


# Results.


def test_the_result_as_data_text_and_picture(tmp_path) -> None:
    result = check(exchanged("tau", 1, 2))
    data = result.to_dict()
    assert data["ok"] is False and data["faults"][0]["joints"] == [2, 3]
    assert len(data["joints"]) == 6 and data["joints"][0]["lag"] == pytest.approx(0.04, abs=0.01)
    assert "fault: torque order" in result.summary()
    assert result.grid().rows[0][1:3] == ("torque order", "2, 3")
    assert "armdyn-card" in result._repr_html_()
    figure = result.plot(tmp_path / "check.png")
    assert (tmp_path / "check.png").stat().st_size > 10_000
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert texts.count("torque order") == 2


def test_a_long_log_is_checked_too(tmp_path) -> None:
    clean().save(tmp_path / "log.csv")
    result = armdyn.check_log(Log.stream(tmp_path / "log.csv"), arm())
    assert result.ok


def test_another_number_of_joints_is_refused() -> None:
    with pytest.raises(armdyn.InputError, match="6 joints"):
        armdyn.check_log(clean(), armdyn.load("planar2"))


def test_curves_are_cut_between_episodes_and_steps_have_no_rounding() -> None:
    t = np.concatenate([0.02 * np.arange(5000), 500.0 + 0.02 * np.arange(300)])
    q = np.sin(np.outer(t, [1.0, 2.0]))
    log = Log(t, q, q_cmd=q, episodes=[slice(0, 5000), slice(5000, 5300)])
    figure = armdyn.check_log(log, None).plot()
    steps, *others = figure.subfigs[0].axes
    assert steps.get_ylim() == pytest.approx((19.0, 21.0), abs=0.01)
    for axes in (steps, *others):
        for line in axes.lines:
            assert np.isnan(line.get_ydata()).sum() in (1, 2)
    assert "[rad]" in others[0].get_title()
