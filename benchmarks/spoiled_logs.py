"""Logs with one fault of a recording each, written to CSV, read and identified as a user would.

    python benchmarks/spoiled_logs.py [--logs 200] [--seed 0] [--fault degrees,reversed]
                                       [--json FILE]

Logs are those of faultless cases of `verdict_cases` and, where ../shared is beside the project, of
real arms. The model of the spoiled log is compared with that of the same log without the fault, at
150 states in the box of the motion. A fault is "named" if the reader refuses it with an error that
says it, or if a note, a finding or a reason of the result does; it is "harmless" if the models
differ by less than 5 % of a joint's torque; else the model is silently different. With --json, a
run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import armdyn
import cutoffs
from armdyn import Arm, Log, Result
from armdyn.writing import whole_file
from verdict_cases import ARMS, make

HARMLESS = 0.05
STATES = 150
REAL_SHARE = 0.2

Spoiler = Callable[[Log, np.random.Generator], Log]


def thousandfold(log: Log, rng: np.random.Generator) -> Log:
    """All torques in mN m."""
    return replace(log, tau=1000.0 * _torques(log))


def currents(log: Log, rng: np.random.Generator) -> Log:
    """Motor currents under the name of torques; every drive has a constant of its own."""
    factors = 0.2 * 3.0 ** rng.uniform(-1.0, 1.0, log.q.shape[1])
    return replace(log, tau=_torques(log) * factors)


def reversed_signs(log: Log, rng: np.random.Generator) -> Log:
    """All torques with the other sign."""
    return replace(log, tau=-_torques(log))


def no_torque(log: Log, rng: np.random.Generator) -> Log:
    """One joint whose torque was not recorded: zeros."""
    tau = _torques(log).copy()
    tau[:, rng.integers(tau.shape[1])] = 0.0
    return replace(log, tau=tau)


def exchanged(log: Log, rng: np.random.Generator) -> Log:
    """The torques of two joints under each other's name."""
    order = np.arange(log.q.shape[1])
    i, j = rng.permutation(len(order))[:2]
    order[[i, j]] = order[[j, i]]
    return replace(log, tau=_torques(log)[:, order])


def degrees(log: Log, rng: np.random.Generator) -> Log:
    """Positions in degrees."""
    qd = None if log.qd is None else np.degrees(log.qd)
    return replace(log, q=np.degrees(log.q), qd=qd, qdd=None)


def shifted(log: Log, rng: np.random.Generator) -> Log:
    """Torques whose clock is late or early by 50 ms."""
    late = 0.05 * float(rng.choice([-1.0, 1.0]))
    tau = [np.interp(log.t - late, log.t, column) for column in _torques(log).T]
    return replace(log, tau=np.column_stack(tau))


def repeated(log: Log, rng: np.random.Generator) -> Log:
    """Rows that the recorder wrote again, with a new stamp."""
    again = np.sort(rng.choice(len(log.t) - 1, len(log.t) // 20, replace=False)) + 1
    rows = np.arange(len(log.t))
    rows[again] = again - 1
    qd = None if log.qd is None else log.qd[rows]
    return replace(log, q=log.q[rows], qd=qd, tau=_torques(log)[rows], qdd=None)


def resting(log: Log, rng: np.random.Generator) -> Log:
    """Stamps late by up to half a step; one joint rests (its torque holds it)."""
    step = float(np.median(np.diff(log.t)))
    t = log.t + 0.5 * step * rng.random(len(log.t))
    return replace(log, t=t)


FAULTS: dict[str, tuple[Spoiler, tuple[str, ...]]] = {
    "thousandfold": (thousandfold, ("unit", "times those")),
    "currents": (currents, ("current", "unit", "scale")),
    "reversed": (reversed_signs, ("wrong sign",)),
    "no torque": (no_torque, ("constant", "zero", "ignore")),
    "exchanged": (exchanged, ("exchanged",)),
    "degrees": (degrees, ("degrees",)),
    "shifted": (shifted, ("delay", "late", "lag")),
    "repeated": (repeated, ("repeat the row before",)),
    "resting": (resting, ("stamps",)),
}
"""What spoils a log, and words of which one must be said if it is told."""


def _torques(log: Log) -> np.ndarray:
    assert log.tau is not None
    return np.asarray(log.tau)


def clean_case(seed: int, index: int, fault: str) -> tuple[str, Arm, Log]:
    """An arm as described, and a log of it without a fault of the recording."""
    rng = np.random.default_rng([seed, index, 1])
    real = [(case.key, case.arm, log) for case in cutoffs.cases() if not case.extra
            for log in case.logs]  # fmt: skip
    if real and rng.random() < REAL_SHARE and fault != "resting":
        return real[int(rng.integers(len(real)))]
    case = make(seed, index, ARMS, "resting" if fault == "resting" else "faultless")
    log = case.log
    if fault == "resting":  # the stamps before they were late
        log = replace(log, t=np.linspace(log.t[0], log.t[-1], len(log.t)))
    return case.arm, case.described, log


def write(log: Log, arm: Arm, path: Path) -> None:
    """Write a log as CSV with one column of stamps, positions and torques a joint."""
    names = ["t", *(f"q_{x}" for x in arm.joint_names), *(f"tau_{x}" for x in arm.joint_names)]
    columns = np.column_stack([log.t, log.q, _torques(log)])
    np.savetxt(path, columns, delimiter=",", header=",".join(names), comments="", fmt="%.10g")


def judged(seed: int, index: int, fault: str) -> dict[str, Any]:
    """Identify a log with and without a fault, and compare."""
    name, arm, log = clean_case(seed, index, fault)
    spoil, words = FAULTS[fault]
    clean = armdyn.identify(arm, replace(log, qd=None, qdd=None))
    case: dict[str, Any] = {"index": index, "arm": name, "fault": fault, "clean": clean.verdict}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        write(spoil(log, np.random.default_rng([seed, index, 2])), arm, path)
        try:
            result = armdyn.identify(arm, Log.read(path, joints=arm))
        except armdyn.ArmdynError as error:
            said = str(error)
            return case | {"answer": "error", "named": _says(said, words), "said": said[:300]}
    said = " ".join([*texts(result), f"delay of {result.delay} s" if result.delay else ""])
    return case | {
        "answer": result.verdict, "named": _says(said, words), "change": change(clean, result),
        "said": [f.what for f in result.findings],
    }  # fmt: skip


def texts(result: Result) -> list[str]:
    """Everything that a result says in words."""
    return [*result.notes, *result.reasons, *result.reservations,
            *(f"{f.kind}: {f.what}" for f in result.findings)]  # fmt: skip


def _says(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)


def change(clean: Result, result: Result) -> float:
    """The largest difference of the torques of two models, relative to the size of a joint's."""
    states = clean.box.states(STATES, seed=1)
    off = result.predict(*states) - clean.predict(*states)
    return float(np.max(np.sqrt(np.mean(off**2, axis=0)) / clean.judgement.measures.size))


def outcome(case: dict[str, Any]) -> str:
    """Return "named", "harmless", "unnamed" (but not passed) or "silent"."""
    if case["named"]:
        return "named"
    if case["answer"] == "error":
        return "unnamed"
    if case["change"] < HARMLESS:
        return "harmless"
    return "unnamed" if case["answer"] == "not passed" else "silent"


def main() -> None:
    """Run the logs and print the table."""
    parser = argparse.ArgumentParser(description="Logs with one fault of a recording each.")
    parser.add_argument("--logs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", default="")
    parser.add_argument("--json", type=Path, default=None)
    asked = parser.parse_args()
    faults = asked.fault.split(",") if asked.fault else list(FAULTS)
    cases: list[dict[str, Any]] = []
    if asked.json and asked.json.exists():  # a run that was stopped
        cases = json.loads(asked.json.read_text())
    for index in range(len(cases), asked.logs):
        case = judged(asked.seed, index, faults[index % len(faults)])
        cases.append(case)
        print(index, case["arm"], case["fault"], case["answer"], outcome(case),
              f"{case.get('change', 0.0):.3f}", file=sys.stderr, flush=True)  # fmt: skip
        if asked.json:
            with whole_file(asked.json) as file:
                file.write(json.dumps(cases).encode())
    for fault in faults:
        counts = Counter(outcome(c) for c in cases if c["fault"] == fault)
        print(f"{fault:14}", dict(sorted(counts.items())))
    good = sum(outcome(c) in ("named", "harmless") for c in cases)
    silent = sum(outcome(c) == "silent" for c in cases)
    print(f"named or harmless: {good} of {len(cases)} ({good / max(len(cases), 1):.1%})")
    print(f"silently different: {silent}")


if __name__ == "__main__":
    main()
