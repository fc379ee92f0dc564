"""The truth table of verdicts: a tenth of `benchmarks/verdicts.py`, and its cases."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from support.identification import example_robot

FOLDER = Path(__file__).parents[2] / "benchmarks"


def module(name: str, monkeypatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, made)
    spec.loader.exec_module(made)
    return made


def test_cases_repeat_and_torques_are_those_of_the_truth(monkeypatch) -> None:
    cases = module("verdict_cases", monkeypatch)
    one, two = (cases.make(3, 8, ("puma560",), "spring") for _ in range(2))
    assert (one.log.q == two.log.q).all() and (one.log.tau == two.log.tau).all()
    t, q = one.log.t, one.log.q
    qd = np.gradient(q, t, axis=0)
    off = one.log.tau - one.truth(q, qd, np.gradient(qd, t, axis=0))
    inside = off[5:-5][np.abs(qd[5:-5]).min(axis=1) > 0.02]
    assert (np.median(np.abs(inside), axis=0) < 0.12 * one.log.tau.std(axis=0)).all()


def test_every_fault_changes_what_it_should(monkeypatch) -> None:
    cases = module("verdict_cases", monkeypatch)
    shares = [cases.fault_of(i) for i in range(100)]
    assert {name: shares.count(name) for name in cases.FAULTS} == {
        name: count for name, (_, count) in cases.FAULTS.items()
    }
    good = cases.make(0, 0, ("puma560",), "faultless")
    for fault in cases.FAULTS:
        case = cases.make(0, 0, ("puma560",), fault)
        assert case.fault == fault and np.isfinite(case.log.tau).all()
        same = case.log.tau.shape == good.log.tau.shape and (case.log.tau == good.log.tau).all()
        described = np.array_equal(case.described.parameters, good.described.parameters)
        seen = case.log.q.shape == good.log.q.shape and (case.log.q == good.log.q).all()
        assert (same and described and seen) == (fault == "faultless"), fault


def test_shares_are_counted(monkeypatch) -> None:
    verdicts = module("verdicts", monkeypatch)
    told = [
        {"fault": "faultless", "verdict": "passed", "error": [0.02], "named": [], "joints": []},
        {"fault": "sign", "verdict": "passed", "error": [0.2], "joints": [2], "named": []},
        {"fault": "sign", "verdict": "not passed", "error": [0.2], "joints": [2],
         "named": [["sign", [2], "..."]]},
    ]  # fmt: skip
    text = verdicts.table(told)
    assert "wrong called passed, all else: 1 of 2 (50.0%)" in text
    assert "faultless called passed: 1 of 1 (100.0%)" in text
    assert "faults named: 1 of 2 (50.0%)" in text


@pytest.mark.slow
def test_a_tenth_of_the_table(tmp_path) -> None:
    example_robot("panda_description/urdf/panda.urdf")
    kept = tmp_path / "cases.json"
    command = [sys.executable, FOLDER / "verdicts.py", "--cases", "40", "--seed", "7"]
    run = subprocess.run(
        [*command, "--json", kept], capture_output=True, text=True, timeout=3600, check=False
    )
    assert run.returncode == 0, run.stderr
    cases = json.loads(kept.read_text())
    assert len(cases) == 40
    wrong = [c for c in cases if "refused" in c or max(c["error"]) > 0.1]
    assert not [c for c in wrong if c["verdict"] == "passed" and c["fault"] != "scale"], run.stdout
    good = [c["verdict"] for c in cases if c["fault"] == "faultless"]
    assert "not passed" not in good, run.stdout
    assert good.count("passed") >= 0.7 * len(good), run.stdout
    assert all(c["reservations"] for c in cases if c["verdict"] == "usable")
