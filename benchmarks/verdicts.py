"""The truth table of verdicts: synthetic logs, with and without faults, judged by `identify`.

    python benchmarks/verdicts.py [--cases 400] [--seed 0] [--arms ur5,panda] [--fault sign,tilt]
                                  [--json FILE] [--processes 2]

A model is wrong if its torques at 150 random states in the box of the log differ from the truth by
more than 10 % (rms, of the size of the joint's torque) on some joint that moved. With --json the
cases are kept in a file, and a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import armdyn
from verdict_cases import ARMS, FAULTS, Case, make

WRONG = 0.10
STATES = 150
ANSWERS = ("passed", "usable", "not passed")


def judged(seed: int, index: int, arms: tuple[str, ...], fault: str | None) -> dict[str, Any]:
    """Identify the arm of a case, and compare with the truth."""
    start = time.perf_counter()
    case = make(seed, index, arms, fault)
    told: dict[str, Any] = {
        "seed": seed, "index": index, "arm": case.arm, "fault": case.fault,
        "degree": case.degree, "joints": case.joints,
    }  # fmt: skip
    try:
        result = armdyn.identify(case.described, case.log)
    except armdyn.ArmdynError as error:
        return {**told, "verdict": "not passed", "refused": str(error), "wrong": None, "named": []}
    measures = result.judgement.measures
    return {
        **told,
        "verdict": result.verdict, "reasons": list(result.reasons),
        "reservations": list(result.reservations),
        "named": [[f.kind, list(f.joints), f.what] for f in result.findings],
        "delay": float(getattr(result, "delay", 0.0) or 0.0),
        "error": true_error(result, case),
        "gain_checked": np.minimum(measures.gain_checked, 9.9).tolist(),
        "measures": {
            key: [round(float(x), 4) for x in getattr(measures, key)]
            for key in ("blocked", "delivered", "held_out", "spread", "bias", "curve", "gain",
                        "gain_unknown", "friction")
        },
        "seconds": time.perf_counter() - start,
    }  # fmt: skip


def true_error(result: armdyn.Result, case: Case) -> list[float]:
    """The errors of the delivered model in the box, relative to the sizes of torques."""
    states = result.box.states(STATES, seed=1)
    off = result.predict(*states) - case.truth(*states)
    moved = np.ptp(case.log.q, axis=0) > 1e-3
    error = np.sqrt(np.mean(off**2, axis=0)) / result.judgement.measures.size
    return np.where(moved, error, 0.0).tolist()


def is_wrong(told: dict[str, Any]) -> bool:
    """Whether the delivered model is wrong; a log that is refused has none."""
    return "refused" in told or max(told["error"]) > WRONG


def is_named(told: dict[str, Any]) -> bool | None:
    """Whether the fault is named, or mended by itself; None if there is nothing to name."""
    kind = FAULTS[told["fault"]][0]
    if kind is None:
        return None
    if kind == "degrees" and "refused" in told:
        return "degrees" in told["refused"]
    if kind == "delay" and abs(told.get("delay", 0.0) - told["degree"]) < 0.5 * told["degree"]:
        return True
    at = set(told["joints"])
    return any(name == kind and (not at or at & set(j)) for name, j, _ in told["named"])


def table(cases: list[dict[str, Any]]) -> str:
    """Return the truth table as text."""
    lines = [f"{'fault':18}{'cases':>6}{'wrong':>6} | {'wrong: ':8}"
             f"{'passed':>7}{'usable':>7}{'not':>5} | {'right: ':8}{'passed':>7}{'usable':>7}"
             f"{'not':>5} | named"]  # fmt: skip
    for fault in FAULTS:
        mine = [c for c in cases if c["fault"] == fault]
        if mine:
            lines.append(_line(fault, mine))
    gain = [c for c in cases if c["fault"] == "scale"]
    other = [c for c in cases if c["fault"] != "scale"]
    good = [c for c in cases if c["fault"] == "faultless"]
    faulty = [c for c in cases if FAULTS[c["fault"]][0]]
    lines += [_line("all", cases), ""]
    for name, group in (("drive gain", gain), ("all else", other)):
        wrong = [c for c in group if is_wrong(c)]
        lines.append(
            _share(f"wrong called passed, {name}", wrong, lambda c: c["verdict"] == "passed")
        )
    lines += [
        _share("faultless called not passed", good, lambda c: c["verdict"] == "not passed"),
        _share("faultless called passed", good, lambda c: c["verdict"] == "passed"),
        _share("faults named", faulty, lambda c: bool(is_named(c))),
        _share("faults of wrong models named", [c for c in faulty if is_wrong(c)],
               lambda c: bool(is_named(c))),
    ]  # fmt: skip
    return "\n".join(lines)


def _line(name: str, cases: list[dict[str, Any]]) -> str:
    wrong = [c for c in cases if is_wrong(c)]
    right = [c for c in cases if not is_wrong(c)]
    first, second = ([sum(c["verdict"] == a for c in x) for a in ANSWERS] for x in (wrong, right))
    told = [is_named(c) for c in cases]
    known = [x for x in told if x is not None]
    named = f"{sum(known)} of {len(known)}" if known else ""
    return (
        f"{name:18}{len(cases):6}{len(wrong):6} | {'':8}{first[0]:7}{first[1]:7}{first[2]:5} | "
        f"{'':8}{second[0]:7}{second[1]:7}{second[2]:5} | {named}"
    )


def _share(name: str, cases: list[dict[str, Any]], count: Any) -> str:
    hits = sum(bool(count(c)) for c in cases)
    return f"{name}: {hits} of {len(cases)} ({hits / max(len(cases), 1):.1%})"


def main() -> None:
    """Run the cases and print the table."""
    parser = argparse.ArgumentParser(description="The truth table of verdicts.")
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--fault", default="", help="these faults only, separated by commas")
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    arms, faults = tuple(asked.arms.split(",")), asked.fault.split(",") if asked.fault else []
    done: list[dict[str, Any]] = []
    if asked.json and asked.json.exists():
        done = json.loads(asked.json.read_text())
    known = {(c["seed"], c["index"]) for c in done}
    todo = [
        (asked.seed, i, arms, faults[i % len(faults)] if faults else None)
        for i in range(asked.cases) if (asked.seed, i) not in known
    ]  # fmt: skip
    with ProcessPoolExecutor(asked.processes) as pool:
        for told in pool.map(judged, *zip(*todo, strict=True)) if todo else ():
            done.append(told)
            if asked.json:
                part = asked.json.with_suffix(".part")
                part.write_text(json.dumps(done))
                part.replace(asked.json)
    print(table(done))


if __name__ == "__main__":
    main()
