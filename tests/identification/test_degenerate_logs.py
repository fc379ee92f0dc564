"""Logs with joints at rest, torques of zero, no noise, true jitter: answers or clear errors.

`benchmarks/degenerate.py` tries all combinations on more arms. Warnings are errors in all tests.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import armdyn
from armdyn import ArmdynError, InputError
from armdyn.cli.app import main
from armdyn.log.clock import at_source_times
from support.degenerate import RESTS, TORQUES, VERBS, Case, described_arm, faults, log_of
from support.identification import recorded
from support.payloads import arm_called

# Every rest and every torque, with and without noise, velocities and jitter.
CASES = [
    Case("small" if k % 3 else "planar2", rest, torque, float(k % 2),
         "jittered" if k % 5 else "equal", k % 4 > 1, joint=k % 2, seed=k)
    for k, (rest, torque) in enumerate((r, t) for r in RESTS for t in TORQUES)
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_degenerate_logs_give_answers_or_clear_errors(case: Case) -> None:
    log = log_of(case)
    assert at_source_times(log) is log
    for name, verb in VERBS.items():
        try:
            result = verb(case, log)
        except ArmdynError as error:
            assert name in ("gains", "identify"), error
        else:
            assert not faults(case, result), name


def test_torques_of_zero_are_ignored_and_named() -> None:
    case = Case("planar2", torque="one zero", noise=1.0, seed=2)
    result = VERBS["identify"](case, log_of(case))
    assert np.isnan(result.torque_error[1])
    assert result.verdict == "not passed"
    assert result.cause is not None and result.cause.kind == "constant"
    assert "--ignore-torque 2" in result.next_command


def test_numbers_beyond_measure_are_refused() -> None:
    log = log_of(Case("planar2"))
    for name in ("q", "tau"):
        wrong = armdyn.Log(**{k: 1e150 * getattr(log, k) if k == name else getattr(log, k)
                              for k in ("t", "q", "tau")})  # fmt: skip
        with pytest.raises(InputError, match="expected at most 1e"):
            armdyn.identify(described_arm("planar2"), wrong)


def test_the_command_line_and_its_report_take_degenerate_logs(tmp_path, monkeypatch) -> None:
    case = Case("small", "at an angle", "one zero at rest", joint=2)
    armdyn.save(described_arm("small"), tmp_path / "small.toml")
    log_of(case).save(tmp_path / "log.csv")
    words = ["armdyn", "identify", str(tmp_path / "small.toml"), str(tmp_path / "log.csv")]
    monkeypatch.setattr(sys, "argv", [*words, "-o", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code in (0, 1)
    found = json.loads((tmp_path / "out" / "result.json").read_text())
    assert found["passed"] is False


def test_instrumental_variables_see_unknowns_of_any_size() -> None:
    """Rotors that were not chosen have 1e-7 of their spread; unscaled, they hid all else."""
    arm = arm_called("puma560")
    log = recorded(arm, duration=8.0, rate=50.0)
    result = armdyn.identify(arm, log, physical=False)
    assert 0.0 < result.bias.expected < 0.01
    assert result.bias.change < 0.01
    assert np.isfinite(result.bias.values).all()


def test_slow_clocks_and_cut_offs_beyond_the_rate() -> None:
    arm = described_arm("planar2")
    t = np.linspace(0.0, 20.0, 400)
    motion = np.sin(t)[:, None] * [1.0, 0.7], np.cos(t)[:, None] * [1.0, 0.7]
    tau = arm.inverse_dynamics(*motion, -motion[0])
    with pytest.raises(ArmdynError, match=r"`cutoff` is 10 Hz, but at 19\.95 samples a second"):
        armdyn.identify(arm, armdyn.Log(t, *motion, tau=tau), cutoff=10.0)
    slow = armdyn.Log(3600.0 * t, *motion, tau=tau)  # samples come every three minutes
    try:
        assert np.isfinite(armdyn.identify(arm, slow, physical=False).torque_error).all()
    except ArmdynError as error:
        assert "short" in str(error)
    with pytest.raises(ArmdynError, match="a single sample"):
        armdyn.identify_payload(arm, armdyn.Log(t[:1], *(x[:1] for x in motion), tau=tau[:1]))
