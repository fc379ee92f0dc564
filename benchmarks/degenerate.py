"""Logs with degenerate columns, five hundred of them: a finite answer or a clear error each.

    python benchmarks/degenerate.py [--logs 500] [--seed 0] [--arms planar2,small,...]

Joints rest, torques are zero, there is no noise, stamps are jittered and true: all combinations in
turn (`tests/support/degenerate.py`). Each log goes through `identify`, `identify_payload`,
`identify_drive_gains` and a `MomentumObserver`. Told are exceptions that are not armdyn's,
warnings, numbers that are not finite though they should be, verdicts that pass what cannot pass,
true stamps that were replaced, and by how much this changes the torque error against the truth,
relative to itself. The exit status is 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np

from armdyn import ArmdynError, Log
from armdyn.identification import arguments as _arguments
from support.degenerate import (
    VERBS,
    Case,
    cases,
    faults,
    log_of,
    states,
    torques,
)

ARMS = ("planar2", "small", "planar2", "small", "planar2", "small", "planar2", "puma560", "ur5")
SAME = 1e-3


def error_against_truth(case: Case, log: Log, result: object) -> float:
    """Relative error of the torques that moving joints have at the true states of the log."""
    state, tau = states(case, log.t), torques(case, log.t)
    moving = np.ptp(state[0], axis=0) > 0.0
    off = (result.predict(*state) - tau)[:, moving]
    return float(np.linalg.norm(off) / max(np.linalg.norm(tau[:, moving]), 1e-12))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--arms", default=",".join(ARMS))
    given = parser.parse_args()
    warnings.simplefilter("error")
    told: Counter[str] = Counter()
    bad: list[str] = []
    start, largest = time.process_time(), 0.0
    for k, case in enumerate(cases(tuple(given.arms.split(",")), given.logs, given.seed)):
        log = log_of(case)
        for name, verb in VERBS.items():
            outcome, result = tried(verb, case, log)
            told[f"{name}: {outcome.split(':')[0]}"] += 1
            if outcome != "an answer" and not outcome.startswith("an error"):
                bad.append(f"{case}: {name}: {outcome}")
            if name == "identify" and outcome == "an answer":
                change = changed_by_stamps(case, log, result)
                largest = max(largest, change)
                if change > SAME:
                    bad.append(f"{case}: error against the truth changes by {change:.2g}")
        if (k + 1) % 50 == 0:
            print(f"{k + 1} logs, {time.process_time() - start:.0f} s", flush=True)
    for what, count in sorted(told.items()):
        print(f"{count:5} {what}")
    print(f"largest change of the error against the truth by replaced stamps: {largest:.2g}")
    print(f"{len(bad)} failures")
    print(*bad, sep="\n")
    sys.exit(bool(bad))


def tried(verb: Callable[[Case, Log], object], case: Case, log: Log) -> tuple[str, object]:
    """What came of a verb, in words, and its result."""
    try:
        result = verb(case, log)
    except ArmdynError as error:
        return f"an error: {error}", None
    except Exception as error:
        at = [f for f in traceback.extract_tb(error.__traceback__) if "armdyn" in f.filename][-1]
        return f"{type(error).__name__}: {error} at {Path(at.filename).name}:{at.lineno}", None
    wrong = faults(case, result)
    return (f"wrong: {', '.join(wrong)}" if wrong else "an answer"), result


def changed_by_stamps(case: Case, log: Log, result: object) -> float:
    """Relative change of the error against the truth if stamps are taken as they are."""
    if _arguments.at_source_times(log) is log:
        return 0.0
    kept, _arguments.at_source_times = _arguments.at_source_times, lambda log: log
    try:
        other = VERBS["identify"](case, log)
    finally:
        _arguments.at_source_times = kept
    true = error_against_truth(case, log, other)
    return abs(error_against_truth(case, log, result) - true) / max(true, 1e-12)


if __name__ == "__main__":
    main()
