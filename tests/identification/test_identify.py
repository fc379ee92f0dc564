"""Identification from synthetic logs, end to end."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Extra, FileError, InputError, Log
from armdyn.identification.arguments import checked_gain
from armdyn.identification.files import FILES
from armdyn.identification.identify import identify
from support.identification import motion, recorded, small_arm, true_values, with_torque


def prediction_error(result: armdyn.Result, truth: armdyn.Arm, noise: float) -> float:
    """Rms of the error of torques on another motion, beside the noise of a sample."""
    q, qd, qdd = motion(truth.n, np.arange(0, 10, 0.02), seed=77)
    off = result.model.predicted(result.values, q, qd, qdd) - truth.inverse_dynamics(q, qd, qdd)
    return float(np.sqrt(np.mean(off**2))) / noise


def test_parameters_come_out_with_honest_error_bars() -> None:
    truth, blank = small_arm(), small_arm(described=False)
    scores, errors = [], []
    for seed in range(6):
        result = identify(blank, recorded(truth, seed=seed), holdout=0.0)
        scores.append((result.values - true_values(truth)) / result.std)
        errors.append(prediction_error(result, truth, 0.05))
        assert result.passed
    # Error bars allow for terms of friction that this arm does not have.
    assert 0.3 < np.sqrt(np.mean(np.square(scores))) < 1.1
    assert np.mean(np.abs(scores) < 2.0) > 0.92
    assert np.mean(errors) < 0.1


def test_the_identified_arm_has_the_torques_of_the_model() -> None:
    truth = small_arm()
    result = identify(truth, recorded(truth))
    q, qd, qdd = motion(3, np.arange(0, 5, 0.1), seed=8)
    np.testing.assert_allclose(
        result.arm.inverse_dynamics(q, qd, qdd),
        result.model.predicted(result.values, q, qd, qdd),
        atol=1e-9,
    )
    np.testing.assert_allclose(result.parameters, result.arm.parameters, rtol=1e-12, atol=1e-12)
    assert result.held_out
    assert result.torque_error.shape == (3,)
    assert 0.0 < result.torque_error_total < 0.02


def test_an_arm_without_masses_gets_an_arm_with_the_right_torques() -> None:
    truth = small_arm()
    result = identify(small_arm(described=False), recorded(truth))
    q, qd, qdd = motion(3, np.arange(0, 5, 0.1), seed=8)
    off = result.arm.inverse_dynamics(q, qd, qdd) - truth.inverse_dynamics(q, qd, qdd)
    assert np.sqrt(np.mean(off**2)) < 0.02


def test_two_runs_give_the_same_bits() -> None:
    log = recorded(small_arm())
    first, second = (identify(small_arm(), log) for _ in range(2))
    np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(first.std, second.std)
    assert first.files() == second.files()


def test_several_logs_are_better_than_one() -> None:
    truth = small_arm()
    logs = [recorded(truth, seed=seed) for seed in range(4)]
    one = identify(small_arm(described=False), logs[0], holdout=0.0)
    four = identify(small_arm(described=False), logs, holdout=0.0)
    assert np.median(four.std / one.std) < 0.75
    assert {series.log for series in four.train} == {0, 1, 2, 3}


def test_whole_logs_can_be_held_out() -> None:
    truth = small_arm()
    result = identify(truth, recorded(truth, seed=1), test=recorded(truth, seed=2))
    assert result.held_out
    assert result.test[0].t[-1] - result.test[0].t[0] > 15.0
    assert result.torque_error_total < 0.02


def test_outliers_are_pulled_in() -> None:
    truth = small_arm()
    log = recorded(truth)
    rng = np.random.default_rng(9)
    assert log.tau is not None
    hit = rng.random(log.tau.shape) < 0.02
    bad = with_torque(log, log.tau + hit * 30 * 0.05 * rng.choice([-1, 1], log.tau.shape))
    robust = identify(truth, bad, holdout=0.0)
    plain = identify(truth, bad, holdout=0.0, robust=False)
    assert prediction_error(robust, truth, 0.05) < 0.6 * prediction_error(plain, truth, 0.05)
    np.testing.assert_allclose(robust.clipped, 0.02, atol=0.01)
    assert any("outliers" in note for note in robust.notes)


def test_rotor_inertias_are_found_where_they_can_be_told_apart() -> None:
    described, rotors = small_arm(), (0.1, 0.2, 0.3)
    joints = [
        replace(j, rotor_inertia=x) for j, x in zip(described.robot.joints, rotors, strict=True)
    ]
    truth = armdyn.Arm(armdyn.Robot(joints, name="small"))
    result = identify(described, recorded(truth), rotor=True)
    at = result.names.index("Jm3")
    assert abs(result.values[at] - 0.3) < 4 * result.std[at]
    assert result.arm.robot.joints[2].rotor_inertia == pytest.approx(result.values[at])
    assert result.torque_error_total < 0.02


def test_known_rotors_and_friction_are_taken_as_described() -> None:
    described = small_arm()
    joints = [replace(j, rotor_inertia=0.2) for j in described.robot.joints]
    truth = armdyn.Arm(armdyn.Robot(joints, name="small"))
    result = identify(truth, recorded(truth), friction=False)
    assert not any(name.startswith("F") for name in result.names)
    assert result.torque_error_total < 0.02
    assert result.arm.robot.joints[1].coulomb == 0.9


def test_an_extra_column_is_fitted() -> None:
    truth = small_arm()
    log = recorded(truth)
    assert log.tau is not None
    spring = np.zeros_like(log.tau)
    spring[:, 1] = 7.0 * np.sin(2 * log.q[:, 1])
    column = armdyn.Extra("spring", "joint2", lambda q, qd, qdd: np.sin(2 * q[:, 1]), "N m")
    result = identify(truth, with_torque(log, log.tau + spring), extra=[column])
    at = result.names.index("spring")
    assert abs(result.values[at] - 7.0) < 4 * result.std[at] + 0.01
    without = identify(truth, with_torque(log, log.tau + spring))
    assert result.torque_error_total < 0.2 * without.torque_error_total


def test_stribeck_friction_is_found_and_only_where_it_is() -> None:
    truth = small_arm()
    log = recorded(truth, rate=500.0, duration=40.0)
    _, qd, _ = motion(3, log.t, seed=0)
    assert log.tau is not None
    speed = 0.1 * np.abs(qd[:, 1]).max()
    more = np.zeros_like(log.tau)
    more[:, 1] = 2.0 / (1.0 + (qd[:, 1] / speed) ** 2) * np.sign(qd[:, 1])
    result = identify(truth, with_torque(log, log.tau + more), dead_band=0.0, decimate=4)
    assert [name for name in result.names if name.startswith("Fs")] == ["Fs2"]
    assert "stribeck" in result.friction_terms["joint2"]
    at_rest, (_, second, _) = result.arm.friction([1e-9] * 3)[1], result.arm.robot.joints
    assert at_rest - second.offset == pytest.approx(0.9 + 2.0, rel=0.1)


def test_couplings_of_drives() -> None:
    truth = small_arm()
    joints = [replace(j, viscous=0.0, coulomb=0.0, offset=0.0) for j in truth.robot.joints]
    smooth = armdyn.Arm(armdyn.Robot(joints, name="small"))
    log = recorded(smooth)
    K = np.array([[1.0, 0, 0], [0, 1.0, 0.5], [0, 0, 1.0]])
    assert log.tau is not None
    coupled = with_torque(log, log.tau @ K.T)
    result = identify(smooth, coupled, coupling=K)
    assert result.torque_error_total < 0.02
    assert identify(smooth, coupled).torque_error_total > 2 * result.torque_error_total
    np.testing.assert_allclose(
        result.values[: len(smooth.minimal)], smooth.minimal.values, atol=0.02
    )


def test_a_joint_that_never_moves_is_told() -> None:
    truth = small_arm()
    t = np.arange(4000) / 200.0
    q, qd, qdd = motion(3, t, seed=0)
    q[:, 2], qd[:, 2], qdd[:, 2] = 0.3, 0.0, 0.0
    result = identify(truth, Log(t=t, q=q, tau=truth.inverse_dynamics(q, qd, qdd)))
    assert not result.passed
    assert "joint3 never moves" in result.verdict_text


def test_a_constant_torque_is_told() -> None:
    truth = small_arm()
    log = recorded(truth)
    assert log.tau is not None
    result = identify(truth, with_torque(log, np.where([True, False, True], log.tau, 1.5)))
    assert not result.passed
    assert "the torque of joint2 is constant (1.5)" in result.verdict_text


def test_a_motion_that_shows_little_does_not_pass() -> None:
    truth = small_arm()
    t = np.arange(4000) / 200.0
    phase = 2 * np.pi * 0.1 * t[:, None]
    q, qd = 0.2 * np.sin(phase) * np.ones(3), 0.04 * np.pi * np.cos(phase) * np.ones(3)
    tau = truth.inverse_dynamics(q, qd, -((0.2 * np.pi) ** 2) * q)
    noise = np.random.default_rng(0).normal(size=tau.shape)
    result = identify(small_arm(described=False), Log(t=t, q=q, tau=tau + noise))
    assert not result.passed
    assert "under-exciting" in result.verdict_text


def test_noisy_positions_show_as_bias() -> None:
    truth = small_arm()
    clean = identify(truth, recorded(truth, encoder=1e-6))
    noisy = identify(truth, recorded(truth, encoder=3e-3), cutoff=60.0)
    assert clean.bias.small
    assert clean.bias.change < 0.002
    assert noisy.bias.change > 5 * clean.bias.change


def test_what_is_not_identifiable_is_named() -> None:
    hidden = identify(small_arm(), recorded(small_arm())).not_identifiable
    assert any("m_1" in line and "cannot be seen at all" in line for line in hidden)
    assert any("m_3" in line and "U2_33" in line for line in hidden)


def test_progress_is_told() -> None:
    told: list[tuple[int, int, str]] = []
    identify(small_arm(), recorded(small_arm()), progress=lambda *now: told.append(now))
    assert {"filter", "regressor", "outliers"} <= {what for _, _, what in told}
    assert all(0 <= done <= total for done, total, _ in told)
    with pytest.raises(InputError, match="`progress` is 3"):
        identify(small_arm(), recorded(small_arm()), progress=3)


def test_a_result_is_told_in_text_and_in_plain_data() -> None:
    result = identify(small_arm(), recorded(small_arm()))
    text, plain = result.summary(), result.to_dict()
    assert result.verdict_text.split(". ")[0] in text and all(
        name in text for name in result.arm.joint_names
    )
    assert json.loads(json.dumps(plain)) == plain
    assert plain["weak"] == list(result.weak) and plain["advice"] == list(result.advice)
    with pytest.raises(InputError, match="`folder` is 3") as caught:
        result.save(3)  # pyright: ignore[reportArgumentType]
    assert caught.value.argument == "folder"


def test_files_are_written_together_or_not_at_all(tmp_path) -> None:
    result = identify(small_arm(), recorded(small_arm()))
    result.save(tmp_path / "new" / "folder")
    written = tmp_path / "new" / "folder"
    assert sorted(p.name for p in written.iterdir()) == sorted(FILES)
    read = json.loads((written / "result.json").read_text())
    assert read["passed"] is True
    assert read["parameters"][0]["name"] == result.names[0]
    again = armdyn.load(written / "identified.toml")
    q, qd, qdd = motion(3, np.arange(0, 1, 0.1), seed=8)
    np.testing.assert_allclose(
        again.inverse_dynamics(q, qd, qdd), result.arm.inverse_dynamics(q, qd, qdd), atol=1e-9
    )
    blocked = tmp_path / "blocked"
    (blocked / "identified.urdf").mkdir(parents=True)
    with pytest.raises(FileError, match=r"identified\.urdf"):
        result.save(blocked)
    assert [p.name for p in blocked.iterdir()] == ["identified.urdf"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"holdout": 1.0}, "`holdout` is 1.0"),
        ({"holdout": True}, "`holdout` is True"),
        ({"decimate": 0}, "`decimate` is 0"),
        ({"decimate": 2.5}, "`decimate` is 2.5"),
        ({"dead_band": -1.0}, "`dead_band` is -1.0"),
        ({"weights": [1.0, 2.0]}, r"`weights` has shape \(2,\)"),
        ({"prior": "strong"}, "`prior` is 'strong'"),
        ({"prior": np.ones(3)}, "`prior` is array"),
        ({"cutoff": "3"}, "`cutoff` is '3'"),
        ({"cutoff": 10**400}, "`cutoff` is"),
        ({"dead_band": np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])}, "masked entries"),
        ({"weights": [1.0, 2.0, 3j]}, "complex numbers"),
        ({"weights": ["1", "2", "3"]}, "`weights` has text"),
        ({"coupling": np.eye(3).astype("m8[s]")}, "durations"),
        ({"coupling": [[object()] * 3] * 3}, "`coupling` is"),
        ({"extra": [(object(), object(), object(), object())]}, "`extra` has"),
        ({"extra": 3}, "`extra` is 3"),
        ({"friction": 1}, "`friction` is 1"),
        ({"coupling": np.zeros((3, 3))}, "`coupling` is"),
        ({"extra": [("a", 4, np.sin)]}, "joint is 4"),
        ({"extra": [("a", 1)]}, r"expected \(name, joint, function"),
        ({"extra": [("a", 1, lambda q, qd, qdd: q)]}, "column 'a' of joint 1 gives the shape"),
        ({"cutoff": 1000.0}, "`cutoff` is 1000"),
        ({"test": 5}, "`test` is 5"),
        ({"test": "other.csv"}, "other.csv: there is no such file"),
    ],
)
def test_wrong_arguments_are_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        identify(small_arm(), recorded(small_arm()), **change)
    if "no such file" not in words and "gives the shape" not in words:
        assert caught.value.argument == next(iter(change))


def test_logs_of_another_arm_are_refused() -> None:
    log = recorded(small_arm())
    with pytest.raises(InputError, match=r"has 3 joints .* but puma560 has 6"):
        identify(armdyn.load("puma560"), log)
    turned = replace(log, joint_names=("joint2", "joint1", "joint3"))
    with pytest.raises(InputError, match="in another order"):
        identify(small_arm(), turned)
    with pytest.raises(InputError, match="has no torques"):
        identify(small_arm(), replace(log, tau=None))
    with pytest.raises(InputError, match="motor currents"):
        identify(small_arm(), replace(log, effort="current"))
    with pytest.raises(InputError, match=r"expected an armdyn\.Log"):
        identify(small_arm(), [])


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(InputError, match=r"too (few|short)"):
        identify(small_arm(), recorded(small_arm(), duration=0.3))


def test_a_log_without_any_torque_is_refused_and_one_joint_without_is_told() -> None:
    truth, log = small_arm(), recorded(small_arm())
    assert log.tau is not None
    with pytest.raises(InputError, match="all torques of the log are zero"):
        identify(truth, with_torque(log, 0.0 * log.tau))
    result = identify(truth, with_torque(log, np.where([True, True, False], log.tau, 0.0)))
    assert "the torque of joint3 is constant (0)" in result.verdict_text


def test_an_arm_that_never_moves_is_refused() -> None:
    truth = small_arm()
    t = np.arange(2000) / 200.0
    tau = np.random.default_rng(0).normal(size=(2000, 3))
    with pytest.raises(InputError, match="the arm never moves"):
        identify(truth, Log(t=t, q=np.full((2000, 3), 0.2), tau=tau))


def test_gaps_and_rates_of_logs_may_differ() -> None:
    truth = small_arm()
    log = recorded(truth, rate=500.0)
    t = np.where(np.arange(len(log)) < 5000, log.t, log.t + 3.0)
    result = identify(truth, [recorded(truth, rate=100.0, seed=1), replace(log, t=t)])
    assert result.passed
    assert result.torque_error_total < 0.02
    assert any("gap" in note for note in result.notes)


def test_a_slow_log_can_test_a_fit_to_a_fast_one() -> None:
    truth = small_arm()
    fast, slow = recorded(truth, rate=500.0), recorded(truth, rate=20.0, seed=2)
    result = identify(truth, fast, test=slow)
    assert result.torque_error_total < 0.02


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"name": object()}, "name"),
        ({"name": ""}, "name"),
        ({"joint": object()}, "joint"),
        ({"joint": True}, "joint"),
        ({"joint": 0}, "joint"),
        ({"function": object()}, "function"),
        ({"unit": object()}, "unit"),
    ],
)
def test_an_extra_column_is_checked_when_it_is_made(change: dict, argument: str) -> None:
    good = {"name": "spring", "joint": 1, "function": lambda q, qd, qdd: q[:, 0], "unit": "N m"}
    assert Extra(**good).name == "spring"
    with pytest.raises(InputError, match=f"`{argument}`") as caught:
        Extra(**{**good, **change})
    assert caught.value.argument == argument


def test_a_recorder_without_new_data_does_not_spoil_the_model() -> None:
    arm = small_arm()
    t, period = np.arange(0.01, 25.0, 1 / 30.0), 1 / 29.3
    sent = np.floor(t / period) * period
    q, qd, qdd = motion(arm.n, sent, 0)
    tau = arm.inverse_dynamics(q, qd, qdd) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    # noise of the torques is part of a message, too
    first = np.maximum.accumulate(np.where(np.diff(sent, prepend=-1.0) > 0.0, np.arange(len(t)), 0))
    result = identify(arm, Log(t, q, tau=tau[first], joint_names=arm.joint_names), rotor=False)
    assert any("rows repeat the row before" in note for note in result.notes)
    states = result.box.states(100, seed=3)
    off = result.predict(*states) - arm.inverse_dynamics(*states)
    assert np.sqrt(np.mean(off**2)) < 0.01 * np.sqrt(np.mean(arm.inverse_dynamics(*states) ** 2))


# Newton metres in a unit: kgf of the CGPM of 1901, lb of 1959.
UNITS = {
    "Nm": 1.0, "N*mm": 1e-3, "mN m": 1e-3, "n cm": 1e-2, "daN m": 10.0, "KN M": 1e3,
    "kgf cm": 0.0980665, "kg-cm": 0.0980665, "ozf in": 0.00706155181422604,
    "lbf ft": 1.3558179483314004, "ft lb": 1.3558179483314004, "lbf in": 0.1129848290276167,
}  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_units_of_torque_have_their_factors(unit: str) -> None:
    gain = checked_gain(None, unit, small_arm())
    np.testing.assert_allclose(gain, UNITS[unit] * np.ones(3), rtol=1e-15)


def test_torques_in_a_given_unit_are_converted() -> None:
    truth = small_arm()
    log = recorded(truth)
    assert log.tau is not None
    inches = with_torque(log, log.tau / UNITS["lbf in"])
    plain, result = identify(truth, log), identify(truth, inches, torque_unit="lbf in")
    np.testing.assert_allclose(result.values, plain.values, rtol=1e-6, atol=1e-9)
    assert result.torque_scale == 1.0 and result.verdict == plain.verdict


def test_a_wrong_unit_of_torque_is_refused() -> None:
    truth = small_arm()
    log = recorded(truth, duration=5.0)
    for bad in ("A", "kg", "m", "", 3.0, "Nm/A"):
        with pytest.raises(InputError, match="torque_unit"):
            identify(truth, log, torque_unit=bad)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="one of them"):
        identify(truth, log, torque_unit="Nm", gain=2.0)
    with pytest.raises(InputError, match="currents"):
        identify(truth, replace(log, effort="current"), torque_unit="mN m")
    slider = armdyn.Arm(armdyn.Robot([armdyn.Joint(), armdyn.Joint(kind="prismatic")]))
    assert checked_gain(None, "N m", slider) is not None
    with pytest.raises(InputError, match="gain"):
        checked_gain(None, "kgf cm", slider)
