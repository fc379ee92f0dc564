"""Verdicts: three answers, reservations, and faults that are named with what mends them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Arm, InputError, Log
from armdyn.identification.fit.gravity import gravity_columns, tilts
from armdyn.identification.identify import identify
from armdyn.identification.judge.effects import EFFECTS, Hypothesis
from armdyn.identification.judge.faults import scale_findings
from armdyn.identification.judge.hypotheses import Outcome, believable
from armdyn.identification.judge.judge import gain_measures, odd_friction
from armdyn.identification.judge.judgement import Improvement
from armdyn.identification.judge.verdict import LIMITS
from armdyn.identification.signals.torque_scale import TorqueScale
from armdyn.identification.tables import verdict_lines
from armdyn.log.health import saturated
from support.identification import motion, recorded, small_arm, with_torque


def log_of(tau_of, *, seed: int = 0, noise: float = 0.02) -> Log:
    """A log of the small arm's motion with torques of a function of q, qd, qdd."""
    rng = np.random.default_rng([seed, 2])
    t = np.arange(4000) / 200.0
    q, qd, qdd = motion(3, t, seed)
    tau = tau_of(q, qd, qdd)
    tau = tau + noise * tau.std(axis=0) * rng.normal(size=tau.shape)
    return Log(t=t, q=q + 1e-5 * rng.normal(size=q.shape), tau=tau)


def true_torque(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    return small_arm().inverse_dynamics(q, qd, qdd)


def named(log: Log, arm: Arm | None = None, **options) -> dict[str, str]:
    """The options of the findings, by their kinds."""
    result = identify(arm or small_arm(), log, **options)
    for finding in result.findings:
        assert finding.what and finding.option
        assert finding.error_before >= finding.error_after >= 0.0
    return {finding.kind: finding.option for finding in result.findings}


def test_faultless_data_pass_and_the_verdict_names_its_box() -> None:
    result = identify(small_arm(), log_of(true_torque))
    assert result.verdict == "passed" and result.passed and result.usable
    assert result.verdicts == ("passed",) * 3
    assert result.reasons == () and result.reservations == ()
    q, qd, qdd = motion(3, np.arange(2800) / 200.0, 0)
    assert np.allclose(result.box.lower, np.quantile(q, 0.01, axis=0), atol=0.01)
    assert np.allclose(result.box.upper, np.quantile(q, 0.99, axis=0), atol=0.01)
    assert np.allclose(result.box.speed, np.quantile(np.abs(qd), 0.98, axis=0), rtol=0.02)
    assert np.allclose(result.box.acceleration, np.quantile(np.abs(qdd), 0.98, axis=0), rtol=0.1)
    text = "\n".join(verdict_lines(result))
    assert "Torque scale verified to: joint1 +-" in text and "joint3: -" in text


def test_states_of_the_box_are_inside_and_fill_it() -> None:
    box = identify(small_arm(), log_of(true_torque)).box
    q, qd, qdd = box.states(2000)
    assert (q >= box.lower).all() and (q <= box.upper).all()
    assert (np.abs(qd) <= box.speed).all() and (np.abs(qdd) <= box.acceleration).all()
    assert (np.ptp(q, axis=0) > 0.95 * (box.upper - box.lower)).all()


@pytest.mark.parametrize("j", [0, 1, 2])
def test_a_wrong_sign_is_named(j: int) -> None:
    signs = np.where(np.arange(3) == j, -1.0, 1.0)
    log = log_of(lambda *x: signs * true_torque(*x))
    assert identify(small_arm(), log).verdict == "not passed"
    assert named(log)["sign"] == f"--flip {j + 1}"


def test_swapped_torques_are_named() -> None:
    log = log_of(lambda *x: true_torque(*x)[:, [0, 2, 1]])
    assert identify(small_arm(), log).verdict == "not passed"
    assert "tau2 and tau3 exchanged" in named(log)["swap"]


@pytest.mark.parametrize("scale", [0.5, 1.3])
def test_a_wrong_scale_is_named_and_told(scale: float) -> None:
    log = log_of(lambda *x: true_torque(*x) * [1.0, 1.0, scale])
    result = identify(small_arm(), log)
    assert not result.passed
    (told,) = [f.what for f in result.findings if f.kind == "scale" and f.joints == (3,)]
    assert float(told.split(" is ")[1].split()[0]) == pytest.approx(scale, rel=0.05)


def test_a_scale_that_is_probably_wrong_counts_with_the_friction_of_the_joint() -> None:
    """A joint that carries little has the scale of its torque in its friction."""
    effect = next(e for e in EFFECTS if e.kind == "gain")
    whole, little, one = np.array([0.2, 0.2]), np.full(2, 1e-3), np.ones(1)
    for deviation, expected in ((0.1, 0.2), (0.4, 0.0)):
        tested = Outcome(
            Hypothesis(effect, (0,), 1), -0.5 * one, deviation * one, 0.0, False, True, little,
            0.1, 0.1,
        )  # fmt: skip
        gain, likely, unknown, _ = gain_measures([tested], whole)
        assert likely == pytest.approx([0.0, expected])
        assert not gain.any() and unknown.max() < LIMITS["gain_unknown"].reservation
    assert 0.0 < LIMITS["gain_likely"].reservation < 0.2


@pytest.mark.parametrize("seed", [0, 3])
def test_friction_that_changes_with_position_is_named(seed: int) -> None:
    def torque(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        tau = true_torque(q, qd, qdd)
        tau[:, 1] += 0.25 * tau[:, 1].std() * np.sin(q[:, 1] + 1.0) * np.sign(qd[:, 1])
        return tau

    result = identify(small_arm(), log_of(torque, seed=seed))
    assert [f.joints for f in result.findings if f.kind == "position friction"] == [(2,)]


def test_a_braking_joint_has_torques_of_the_right_sign() -> None:
    """Little hangs on the joint: its links may seem to have the wrong sign, its friction cannot."""
    gain = Hypothesis(next(e for e in EFFECTS if e.kind == "gain"), (0,), 1)
    one, none = np.ones(1), np.zeros(3)
    tested = Outcome(gain, -1.8 * one, 0.1 * one, -0.5, True, True, none, 0.1, 0.08)
    assert believable(tested, [True, False, True])
    assert not believable(tested, [False, True, False])
    # friction that was fitted to the errors of a wrong sign may brake
    assert believable(replace(tested, after=0.01), [False, True, False])


@pytest.mark.parametrize("angle", [0.02, 0.08])
def test_yielding_joints_are_named(angle: float) -> None:
    t = np.arange(4000) / 200.0
    q, qd, qdd = motion(3, t, 0)
    load = small_arm().inverse_dynamics(q, qd, qdd, friction=False)
    yielding = angle / np.abs(load).max()
    log = log_of(true_torque)
    result = identify(small_arm(), replace(log, q=log.q + yielding * load))
    (told,) = [f.what for f in result.findings if f.kind == "elasticity"]
    assert not result.passed
    found = float(told.split("elasticity of ")[1].split()[0])
    assert 0.5 * yielding < 1e-3 * found < 2.0 * yielding


@pytest.mark.parametrize("joints", [[2], [0, 1, 2]])
def test_backlash_is_named_and_is_no_delay(joints: list[int]) -> None:
    t = np.arange(4000) / 200.0
    load = small_arm().inverse_dynamics(*motion(3, t, 0), friction=False)
    width = np.radians(0.6) * np.isin(np.arange(3), joints)
    log = log_of(true_torque)
    behind = 0.5 * width * np.tanh(20.0 * load / load.std(axis=0))
    result = identify(small_arm(), replace(log, q=log.q + behind))
    told = [f for f in result.findings if f.kind == "backlash"]
    assert told and not result.passed and result.delay == 0.0
    assert set(told[0].joints) <= {j + 1 for j in joints}
    assert 0.3 * np.radians(0.6) < 2.0 * told[0].values[0] < 2.0 * np.radians(0.6)


def test_faultless_arms_have_no_backlash() -> None:
    assert "backlash" not in named(log_of(true_torque, noise=0.05))


def test_degrees_are_named() -> None:
    good = log_of(true_torque)
    wrong = replace(good, q=np.degrees(good.q))
    assert identify(small_arm(), wrong).verdict == "not passed"
    assert named(wrong) == {"degrees": "--units deg"}


def test_a_tilted_mount_is_named() -> None:
    angle = np.radians(6.0)
    gravity = (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
    tilted = Arm(replace(small_arm().robot, gravity=gravity))
    log = log_of(tilted.inverse_dynamics)
    as_described = identify(small_arm(), log, tilt=False)
    (tilt,) = [f for f in as_described.findings if f.kind == "tilt"]
    assert not as_described.passed and tilt.option == "gravity in the robot file"
    assert 4.0 < float(tilt.what.split("points ")[1].split()[0]) < 8.0
    assert as_described.tilt == 0.0 and as_described.arm.robot.gravity == small_arm().robot.gravity

    turned = identify(small_arm(), log)
    (tilt,) = [f for f in turned.findings if f.kind == "tilt"]
    assert turned.passed and tilt.applied
    assert tilt.error_after < 0.5 * tilt.error_before
    assert abs(turned.tilt - angle) < np.radians(0.5)
    assert np.allclose(turned.arm.robot.gravity, gravity, atol=0.08)
    states = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 20, turned.arm.n))
    assert np.allclose(turned.predict(*states), turned.arm.inverse_dynamics(*states), atol=1e-8)


def test_gravity_stays_as_described_without_a_clear_tilt() -> None:
    result = identify(small_arm(), log_of(small_arm().inverse_dynamics))
    assert result.tilt == 0.0 and result.arm.robot.gravity == small_arm().robot.gravity


def test_coupled_torques_are_named() -> None:
    mixed = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.25, 1.0]])
    log = log_of(lambda *x: true_torque(*x) @ mixed.T)
    result = identify(small_arm(), log)
    assert not result.passed
    assert "--coupling FILE" in [f.option for f in result.findings if f.kind == "coupling"]


def test_a_spring_is_named_and_an_extra_column_mends_it() -> None:
    def sprung(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        tau = true_torque(q, qd, qdd)
        tau[:, 0] += 1.5 * q[:, 0]
        return tau

    log = log_of(sprung)
    assert named(log)["spring"].startswith("--extra FILE")
    mended = identify(small_arm(), log, extra=[("spring", 1, lambda q, qd, qdd: q[:, 0])])
    assert mended.passed


def test_a_load_that_nobody_described_is_named() -> None:
    *others, last = small_arm().robot.joints
    held = replace(last, mass=2.0, com=(0.25, -0.01, 0.0))
    loaded = Arm(replace(small_arm().robot, joints=[*others, held]))
    result = identify(small_arm(), log_of(loaded.inverse_dynamics))
    (load,) = [f for f in result.findings if f.kind == "load"]
    assert "payload" in load.option and result.usable
    assert 0.6 < float(load.what.split("last link is ")[1].split()[0]) < 1.4
    # it was weighed with the link
    q = result.box.states(100, seed=3)[0]
    off = np.linalg.norm(result.arm.gravity(q) - loaded.gravity(q))
    assert off < 0.05 * np.linalg.norm(loaded.gravity(q)) and result.gravity_verdict == "passed"


@pytest.mark.parametrize("factor", [0.001, 0.1, 1000.0])
def test_errors_and_verdict_do_not_depend_on_the_unit_of_torque(factor: float) -> None:
    plain = identify(small_arm(), log_of(true_torque))
    other = identify(small_arm(), log_of(lambda *x: factor * true_torque(*x)))
    assert (plain.torque_scale, other.torque_scale) == (1.0, factor)
    assert other.verdict == plain.verdict
    np.testing.assert_allclose(other.torque_error, plain.torque_error, rtol=1e-6)
    assert plain.cause is None
    assert other.cause is not None and other.cause.kind == "unit"
    assert f"--gain {1.0 / factor:g}" in other.next_command
    mended = identify(small_arm(), log_of(lambda *x: factor * true_torque(*x)), gain=1.0 / factor)
    assert mended.cause is None
    np.testing.assert_allclose(mended.values, plain.values, rtol=1e-4, atol=1e-6)


def test_reversed_torques_are_named_first() -> None:
    result = identify(small_arm(), log_of(lambda *x: -true_torque(*x)))
    assert result.verdict == "not passed"
    assert result.cause is not None and result.cause.kind == "sign"
    assert result.reasons[0].startswith("all torques have the wrong sign")
    assert "--flip 1,2,3" in result.next_command
    right = identify(small_arm(), log_of(lambda *x: -true_torque(*x)), flip=[1, 2, 3])
    assert right.passed and right.cause is None


def test_several_reversed_joints_are_named_together() -> None:
    result = identify(small_arm(), log_of(lambda *x: true_torque(*x) * [-1.0, 1.0, -1.0]))
    assert result.verdict == "not passed" and result.cause is not None
    assert (result.cause.kind, result.cause.joints) == ("sign", (1, 3))
    assert "--flip 1,3" in result.next_command
    right = identify(small_arm(), log_of(true_torque))
    np.testing.assert_allclose(result.torque_error, right.torque_error, rtol=0.05)


@pytest.mark.parametrize("size", [1.0, 0.02])
def test_currents_are_named_whatever_their_common_size(size: float) -> None:
    """The gains of currents give N m, in which the arm is described."""
    factors = size * np.array([3.2, 1.1, 0.7])
    result = identify(small_arm(), log_of(lambda *x: factors * true_torque(*x)))
    assert result.cause is not None and result.cause.kind == "currents"
    np.testing.assert_allclose(result.cause.values, factors, rtol=0.1)


def test_scales_of_a_load_are_not_those_of_currents() -> None:
    """Torques grow towards the tip: the gains of currents would make the errors larger."""
    scale = TorqueScale(1.0, 2.5, (), (), np.array([0.7, 0.8, 1.0, 1.8, 2.4]))
    names = [f"joint{j}" for j in range(1, 6)]
    for after, kinds in ((0.2, []), (0.09, []), (0.01, ["currents"])):
        tried = Improvement((0.1, after), (0.1, after))
        told = scale_findings(scale, names, 0.1, lambda _, tried=tried: tried)
        assert [f.kind for f in told] == kinds


def test_friction_unlike_that_of_other_joints_is_told_where_no_scale_is_verified() -> None:
    friction, checked = np.array([0.1, 0.12, 1.5, 0.004]), np.array([0.2, 0.3, np.inf, np.inf])
    times = odd_friction(friction, checked)
    np.testing.assert_allclose(times, [1.0, 1.0, 1.5 / 0.11, 0.11 / 0.004])
    assert (times[2:] > LIMITS["friction_times"].reservation).all()
    assert (odd_friction(np.zeros(4), checked) == 1.0).all()  # friction that is not fitted
    assert (odd_friction(friction, np.zeros(4)) == 1.0).all()


def test_one_joint_in_another_unit_does_not_spoil_the_others() -> None:
    wrong = log_of(lambda *x: true_torque(*x) * [1.0, 0.05, 1.0])
    result = identify(small_arm(), wrong)
    assert result.verdict == "not passed"
    assert result.cause is not None
    assert (result.cause.kind, result.cause.joints) == ("unit", (2,))
    assert result.verdicts == ("passed", "not passed", "passed")
    assert "--ignore-torque 2" in result.next_command
    right = identify(small_arm(), log_of(true_torque))
    assert (result.torque_error[[0, 2]] < 1.2 * right.torque_error[[0, 2]]).all()
    asked = identify(small_arm(), wrong, ignore_torque=[2])
    assert asked.usable and np.isnan(asked.torque_error[1])
    assert any("torque was ignored" in words for words in asked.reservations)
    mended = identify(small_arm(), wrong, gain=[1.0, 20.0, 1.0])
    assert mended.passed


def test_a_joint_without_torque_leaves_the_others_identified() -> None:
    nothing = log_of(lambda *x: true_torque(*x) * [1.0, 1.0, 0.0])
    assert any("is constant" in words for words in identify(small_arm(), nothing).reasons)
    result = identify(small_arm(), nothing, ignore_torque=["joint3"])
    assert result.usable and not any("is constant" in words for words in result.reasons)
    with pytest.raises(InputError, match="all joints"):
        identify(small_arm(), nothing, ignore_torque=[1, 2, 3])


def test_currents_need_gains() -> None:
    gains = np.array([20.0, -16.0, 4.0])
    log = replace(log_of(lambda *x: true_torque(*x) / gains), effort="current")
    with pytest.raises(InputError, match="gain="):
        identify(small_arm(), log)
    result = identify(small_arm(), log, gain=gains)
    # the noise is that of a log in N m, times other factors
    assert (result.torque_error < 0.02).all() and result.cause is None
    for bad in (0.0, [1.0, 0.0, 1.0], [1.0, 2.0], "much", np.nan):
        with pytest.raises(InputError, match="gain"):
            identify(small_arm(), log, gain=bad)


def test_currents_that_are_called_torques_are_named_with_their_gains() -> None:
    factors = np.array([0.04, -0.12, 0.3])
    log = log_of(lambda *x: true_torque(*x) * factors)
    result = identify(small_arm(), log)
    assert result.verdict == "not passed"
    assert result.cause is not None and result.cause.kind == "currents"
    assert f" {result.cause.option} " in result.next_command
    gains = np.array([float(x) for x in result.cause.option.removeprefix("--gain=").split(",")])
    np.testing.assert_allclose(gains * factors, np.ones(3), rtol=0.25)
    mended = identify(small_arm(), log, gain=gains)
    assert mended.cause is None or mended.cause.kind != "currents"
    assert mended.total_error < result.total_error


def test_torques_that_are_cut_off_do_not_pass() -> None:
    log = log_of(true_torque)
    assert log.tau is not None
    most = np.array([np.inf, 0.6 * np.abs(log.tau[:, 1]).max(), np.inf])
    cut = with_torque(log, np.clip(log.tau, -most, most))
    assert identify(small_arm(), cut).verdict == "not passed"
    (said,) = saturated(["a", "b", "c"], [cut])
    assert "the torque of b stands at its extreme value" in said
    steps = with_torque(log, np.round(log.tau))
    assert saturated(["a", "b", "c"], [log]) == [] == saturated(["a", "b", "c"], [steps])


def test_little_data_are_usable_with_a_reservation() -> None:
    result = identify(small_arm(), recorded(small_arm(), duration=4.0), holdout=0.2)
    assert result.verdict != "passed"
    assert any("s of data, expected" in x for x in result.reservations)


def test_plain_data_of_a_verdict() -> None:
    told = identify(small_arm(), log_of(lambda *x: true_torque(*x) * [1.0, -1.0, 1.0])).to_dict()
    assert told["verdict"] == "not passed" and told["passed"] is False
    assert told["findings"][0]["option"] == "--flip 2"
    assert len(told["box"]["speed"]) == 3


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_torques_of_weight_in_any_direction(name: str) -> None:
    arm = armdyn.load(name)
    turn = np.array(
        [[0.0, 0.0, 1.0, 0.1], [1.0, 0.0, 0.0, 0.2], [0.0, 1.0, 0.0, 0.3], [0, 0, 0, 1]]
    )
    gravity = (1.0, -2.0, 3.0)
    other = Arm(replace(arm.robot, gravity=gravity, base=turn))
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (5, arm.n))
    columns = gravity_columns(other.robot, other.parameters, q)
    np.testing.assert_allclose(columns @ np.array(gravity), other.gravity(q), atol=1e-10)


def test_tilts_are_across_gravity() -> None:
    g = np.array([1.0, 2.0, -9.0])
    for change in tilts(g):
        assert abs(change @ g) < 1e-9
        assert np.linalg.norm(change) == pytest.approx(np.linalg.norm(g))


def test_gravity_has_a_verdict_of_its_own() -> None:
    result = identify(small_arm(), log_of(true_torque))
    assert result.gravity_verdict == "passed" and result.gravity_error.shape == (3,)
    q = result.box.states(100, seed=3)[0]
    off = result.arm.gravity(q) - small_arm().gravity(q)
    size = np.sqrt(np.mean(small_arm().gravity(q) ** 2, axis=0))
    assert (np.sqrt(np.mean(off**2, axis=0)) < 0.05 * np.maximum(size, 0.1 * size.max())).all()
    wrong = identify(small_arm(), log_of(lambda *x: -true_torque(*x)))
    assert wrong.gravity_verdict == "not passed"


def test_expected_errors_are_near_those_of_other_motions() -> None:
    ratios = []
    for seed in range(4):
        log, other = (recorded(small_arm(), seed=s, duration=15.0) for s in (seed, 50 + seed))
        result = identify(small_arm(), log, test=other)
        ratios.append(result.expected_total / result.total_error)
        assert (result.expected_error > result.parameter_error / 2).all()
    assert 0.5 < np.median(ratios) < 1.6


def test_the_next_command_keeps_signs_gains_and_joints_without_torque() -> None:
    """What was asked for before is asked for again, together with the remedy."""
    nothing = log_of(lambda *x: true_torque(*x) * [1.0, -1.0, 0.0])
    result = identify(small_arm(), nothing, flip=[1, 2], gain=2.0, cutoff=10.0)
    assert "--ignore-torque 3" in result.next_command
    assert "--flip 1,2" in result.next_command and "--gain 2" in result.next_command
