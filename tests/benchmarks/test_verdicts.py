"""Bookkeeping of the truth table and of low-cost arms: faults, causes, advice that is followed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import armdyn
import gravity
import verdict_cases as cases
import verdicts


def made(fault: str, index: int = 0) -> cases.Case:
    return cases.make(0, index, ("puma560",), fault)


def states(log: armdyn.Log) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    qd = np.gradient(log.q, log.t, axis=0)
    return log.q, qd, np.gradient(qd, log.t, axis=0)


def factors(case: cases.Case) -> np.ndarray:
    """How many times the true torques the recorded ones are, of every joint."""
    return np.median(case.log.tau / case.truth(*states(case.log)), axis=0)


def test_first_cases_keep_their_faults_and_more_follow() -> None:
    turn = [cases.fault_of(i) for i in range(cases.TURN + cases.MORE_TURN)]
    assert turn[:100] * 4 == turn[: cases.TURN] and cases.fault_of(len(turn)) == turn[0]
    listed = sum(count for _, count in cases.MORE_FAULTS.values())
    assert cases.MORE_TURN % listed == 0
    assert {name: turn.count(name) for name in cases.MORE_FAULTS} == {
        name: count * cases.MORE_TURN // listed for name, (_, count) in cases.MORE_FAULTS.items()
    }


def test_factors_of_torques() -> None:
    case = made("reversed")
    assert factors(case) == pytest.approx(-np.ones(6), rel=0.1)
    assert {made("factor", k).degree for k in range(12)} > {0.001, 1000.0}
    for k in range(3):
        case = made("factor", k)
        assert factors(case) == pytest.approx(np.full(6, case.degree), rel=0.1)
        case = made("amperes", k)
        expected = np.ones(6)
        expected[case.joints[0] - 1] = case.degree
        assert factors(case) == pytest.approx(expected, rel=0.1)
        assert 0.02 <= case.degree <= 0.2 or 5.0 <= case.degree <= 50.0


def test_currents_have_factors_near_a_common_one_and_some_have_other_signs() -> None:
    found = [made("currents", k) for k in range(8)]
    assert 0 < sum("sign" in case.causes for case in found) < 8
    for case in found:
        assert (factors(case) < 0.0).tolist() == [j in case.joints for j in range(1, 7)]
        assert ("sign" in case.causes) == bool(case.joints) and "unit" in case.causes
        assert (np.abs(np.log(np.abs(factors(case)) / case.degree)) < np.log(3.3)).all()


def test_positions_and_stamps_of_faults() -> None:
    good, zero, rest, play = (made(x) for x in ("faultless", "zero", "resting", "play"))
    off = np.median(zero.log.q - good.log.q, axis=0)
    (j,) = zero.joints
    assert j >= 2 and 1.0 <= abs(np.degrees(off[j - 1])) <= 5.0
    assert np.delete(np.abs(off), j - 1).max() < 1e-4
    assert factors(zero) == pytest.approx(np.ones(6), rel=0.1)  # at positions as they are told
    assert np.ptp(rest.log.q[:, rest.joints[0] - 1]) < 1e-3
    assert np.ptp(np.diff(rest.log.t)) > 0.1 * np.diff(rest.log.t).mean()
    assert (np.diff(rest.log.t) > 0.0).all() and np.ptp(np.diff(good.log.t)) < 1e-9
    widest = np.degrees(2.0 * np.abs(play.log.q - good.log.q).max(axis=0))
    assert widest == pytest.approx(np.full(6, np.degrees(play.degree)), rel=0.05)
    assert 0.3 <= np.degrees(play.degree) <= 0.8


def test_steps_and_noise_of_torques() -> None:
    tau = made("quantised").log.tau
    assert tau is not None
    for column in tau.T:
        steps = np.diff(np.unique(column))
        step = steps.min()
        assert 0.004 < step / np.ptp(column) < 0.022
        assert np.abs(steps / step - np.round(steps / step)).max() < 1e-6
    case = made("noise-free")
    off = np.abs(case.log.tau - case.truth(*states(case.log)))
    assert (np.median(off, axis=0) < 1e-3 * case.log.tau.std(axis=0)).all()


def told(**more: object) -> dict:
    return {"fault": "sign", "verdict": "not passed", "error": [0.5], "joints": [2],
            "causes": ["sign"], "named": [], **more}  # fmt: skip


def test_the_first_cause_counts_and_its_joint() -> None:
    right, other = ["sign", [2], "..."], ["sign", [3], "..."]
    assert verdicts.is_named(told(named=[other, right], first=right), first=True)
    assert not verdicts.is_named(told(named=[other, right], first=other), first=True)
    assert verdicts.is_named(told(named=[other, right], first=other))
    assert not verdicts.is_named(told(named=[right], first=[]), first=True)
    mixed = told(fault="currents", causes=["unit", "sign"])
    assert verdicts.is_named({**mixed, "first": ["unit", [], ""]}, first=True)
    assert not verdicts.is_named({**mixed, "first": ["sign", [1], ""]}, first=True)
    text = verdicts.table([
        told(first=right), told(first=other, followed={"rises": True}),
        told(fault="amperes", causes=["unit", "scale"], verdict="passed"),
        told(fault="noise-free", causes=[], error=[0.0], verdict="passed"),
    ])  # fmt: skip
    for line in (
        "wrong called passed: 1 of 3", "wrong called passed, single gains: 1 of 1",
        "wrong called passed, all else: 0 of 2", "faultless called passed: 1 of 1",
        "faultless called not passed: 0 of 1", "right cause first: 1 of 3",
        "advice followed raises the held-out error: 1 of 1",
    ):  # fmt: skip
        assert line in text


def test_the_cause_of_a_result_goes_before_its_findings() -> None:
    one, two = (SimpleNamespace(kind=x, joints=(1,), what="") for x in ("scale", "unit"))
    first = verdicts.first_cause
    assert first(SimpleNamespace(findings=(one, two))) == ["scale", [1], ""]
    assert first(SimpleNamespace(findings=(one, two), cause=two)) == ["unit", [1], ""]
    assert first(SimpleNamespace(findings=(one,), cause=None)) == []
    assert first(SimpleNamespace(findings=())) == []


def test_options_of_commands_are_applied() -> None:
    case = made("faultless")
    advised, tau = verdicts.advised, np.asarray(case.log.tau)
    for nothing in ("", "armdyn excite puma560 --out x", "armdyn identify puma560 run.csv",
                    "armdyn identify puma560 run.csv --extra FILE"):  # fmt: skip
        assert advised(nothing, case) is None
    start = "armdyn identify puma560 run.csv "
    name = case.described.joint_names[3]
    assert advised(f"{start}--flip 2,{name}", case) == (case.log, {"flip": [2, 4]}, [2, 4])
    found = advised(f"{start}--delay=0.02 --cutoff 5", case)
    assert found == (case.log, {"delay": 0.02, "cutoff": 5.0}, [])
    log, options, joints = advised(f"{start}--gain 3=0.5", case)
    assert (log.tau[:, 2] == 0.5 * tau[:, 2]).all() and (log.tau[:, 1] == tau[:, 1]).all()
    assert (options, joints) == ({}, [3])
    log, options, joints = advised(f"{start}--gain 0.001", case)
    assert (log.tau == 0.001 * tau).all() and (options, joints) == ({}, [])
    log, _, joints = advised(f"{start}--units deg", case)
    assert (log.q == np.radians(case.log.q)).all() and joints == []


@pytest.mark.parametrize("rises", [False, True])
def test_good_advice_lowers_the_error_and_bad_advice_raises_it(
    monkeypatch: pytest.MonkeyPatch, rises: bool
) -> None:
    case = made("sign")
    option = "--delay 0.05" if rises else f"--flip {case.joints[0]}"
    result = armdyn.identify(case.described, case.log)
    advice = f"armdyn identify puma560 a.csv {option}"
    monkeypatch.setattr(armdyn.Result, "next_command", advice)
    found = verdicts.followed(result, case)
    assert found is not None and found["rises"] is rises
    monkeypatch.setattr(armdyn.Result, "next_command", "armdyn identify puma560 a.csv")
    assert verdicts.followed(result, case) is None


def test_logs_of_low_cost_arms() -> None:
    for seed in range(4):
        described, real, log = gravity.make(seed)
        assert described.n in (5, 6) and log.tau is not None
        assert log.rate == pytest.approx(50.0) and 29.0 < log.t[-1] < 60.0
        counts = log.q / gravity.ENCODER
        assert np.abs(counts - np.round(counts)).max() < 1e-6
        steps = np.diff(np.unique(log.tau))
        least = steps[steps > 1e-9].min()
        assert 0.0015 < least < 0.0031
        share = np.mean(np.abs(np.diff(log.q, axis=0)).max(axis=1) == 0.0)
        assert 0.1 < share < 0.7  # pauses
        q = log.q[::50]
        assert gravity.errors(real, real, q).max() == 0.0
        assert gravity.errors(described, real, q).max() > 0.02


def test_gravity_of_a_low_cost_arm_is_judged() -> None:
    found = gravity.judged(0)
    assert max(found["errors"]) < max(found["described"])
    text = gravity.table([
        {**found, "errors": [0.01, 0.04], "verdict": "passed", "gravity": "passed"},
        {**found, "errors": [0.01, 0.10], "verdict": "usable", "gravity": "passed"},
        {**found, "errors": [0.01, 0.30], "verdict": "usable", "gravity": None},
        {**found, "errors": [], "refused": "no", "verdict": "not passed", "gravity": None},
    ])  # fmt: skip
    assert "4 arms, 1 refused" in text and "within 5%: 25%, within 15%: 50%" in text
    assert "gravity passed, within 15 %: 1" in text and "verdict usable, worse: 1" in text
