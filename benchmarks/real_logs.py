"""Errors of models of real logs on other parts of these logs, in a band that belongs to the log.

    python benchmarks/real_logs.py [NAME ...]

Each line names what was fitted and what it was tested on, the error of all joints together and of
each, in per cent of the torque, on rows where a joint moves. Nothing but the fitted rows takes part
in a choice. "expected / seen" is `expected_error` over the error of the test, of all joints. Names
such as "lwr4" or "ur10 1>2" pick lines. The logs and the measure of errors lie beside the project,
in ../shared. The measure differentiates the test log by its stamps: where these are not the times
of the samples, the error at the times of the source is told, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import armdyn
import cutoffs
from armdyn import Log
from armdyn.log.clock import at_source_times


def splits() -> Iterator[tuple[str, cutoffs.Case, list[Log], Log]]:
    """Name, case, logs of the fit and log of the test."""
    for case in cutoffs.cases():
        logs = case.logs
        if len(logs) == 1:
            middle = len(logs[0]) // 2
            logs = [logs[0].part(0, middle), logs[0].part(middle, len(logs[0]))]
        for k, test in enumerate(logs, 1):
            others = [i for i in range(1, len(logs) + 1) if i != k]
            for group in [others] if case.key == "kr300" else [[i] for i in others]:
                name = f"{case.key} {'+'.join(map(str, group))}>{k}"
                yield name, case, [logs[i - 1] for i in group], test


def main() -> None:
    from yardstick import CUTOFF, torque_error

    print(f"{'fit > test':14} {'error':>6}  each joint; verdict, tilt, cut-off, expected error")
    for name, case, train, test in splits():
        if sys.argv[1:] and not any(name.startswith(asked) for asked in sys.argv[1:]):
            continue
        result = armdyn.identify(case.arm, train, test=test, extra=case.extra)
        total, joints = torque_error(result.predict, test, CUTOFF[case.key])
        mended, repaired = at_source_times(test), ""
        if mended is not test:
            other, _ = torque_error(result.predict, mended, CUTOFF[case.key])
            repaired = f"; {100 * other:.2f} at the times of the source"
        each = " ".join(f"{100 * x:.1f}" for x in joints)
        tilt = f"{57.3 * result.tilt:.2f} deg"
        print(
            f"{name:14} {100 * total:6.2f}  {each}; "
            f"{result.verdict}, {tilt}, {result.cutoff:.3g} Hz, "
            f"expected / seen {result.expected_total / result.total_error:.2f}{repaired}",
            flush=True,
        )


if __name__ == "__main__":
    main()
