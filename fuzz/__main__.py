"""`python -m fuzz`: see `fuzz`."""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from fuzz._runner import Runner, State
from fuzz._targets import TARGETS, target

# Failures of one kind that are told; the state file has all of them.
TOLD = 1


def main() -> int:
    """Run the command line; exit status 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Attack armdyn.")
    parser.add_argument("--targets", default=",".join(TARGETS), help="names, with commas")
    parser.add_argument("--seconds", type=float, help="end after this time")
    parser.add_argument("--cases", type=int, help="end after so many cases of all targets")
    parser.add_argument("--seed", type=int, default=1, help="of the first case of each target")
    parser.add_argument("--state", type=Path, default=Path("build/fuzz"), help="folder to keep")
    parser.add_argument("--resume", action="store_true", help="go on where the last run ended")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--patience", type=float, default=20.0, help="seconds a case may take")
    parser.add_argument("--replay", help="try one case here: target:seed, or target:first-last")
    given = parser.parse_args()
    folder: Path = given.state.absolute()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # workers are processes
    os.environ["ARMDYN_CACHE"] = str(folder / "cache")  # the user's is left alone
    if given.replay:
        return replay(given.replay)
    names = given.targets.split(",")
    for name in names:
        target(name)
    state = State(folder, given.seed, given.resume)
    runner = Runner(names, state, seconds=given.seconds, cases=given.cases,
                    workers=given.workers, patience=given.patience)  # fmt: skip
    console, begin = Console(width=None if sys.stdout.isatty() else 120), time.monotonic()
    told = Console(stderr=True)

    def show() -> None:
        if told.is_terminal:
            records = [state.of(name) for name in names]
            done, bad = sum(r["cases"] for r in records), sum(len(r["failures"]) for r in records)
            told.print(f"{time.monotonic() - begin:.0f} s: {done} cases, {bad} failed", end="\r")

    runner.run(show)
    return summary(console, names, state, runner.errors)


def summary(console: Console, names: list[str], state: State, errors: list[str]) -> int:
    """Print the table and the failures; return the exit status."""
    table = Table("target", *(("cases", "refused", "CPU s", "cases/s", "slowest", "failures")))
    for name in names:
        record = state.of(name)
        cases, cpu, (seconds, seed) = record["cases"], record["cpu"], record["slowest"]
        table.add_row(name, str(cases), f"{100 * record['refused'] / max(cases, 1):.0f} %",
                      f"{cpu:.1f}", f"{cases / cpu:.0f}" if cpu else "",
                      f"{seconds:.2f} s ({seed})",
                      str(len(record["failures"])))  # fmt: skip
    records = [state.of(name) for name in names]
    failed = sum(len(r["failures"]) for r in records)
    table.add_row("all, with starts", str(sum(r["cases"] for r in records)), "",
                  f"{state.data['cpu']:.1f}", "", "", str(failed))  # fmt: skip
    console.print(table)
    for name in names:
        kinds: Counter[str] = Counter()
        for failure in state.of(name)["failures"]:
            kind = kind_of(failure["what"])
            kinds[kind] += 1
            if kinds[kind] <= TOLD:
                console.print(f"\npython -m fuzz --replay {name}:{failure['seed']}", markup=False)
                console.print(failure["what"], markup=False, highlight=False, soft_wrap=True)
        for kind, count in kinds.items():
            if count > TOLD:
                console.print(f"{name}: {count} times {kind}", markup=False, soft_wrap=True)
    for error in errors:
        console.print(f"the runner failed: {error}", markup=False)
    return 1 if failed or errors else 0


def kind_of(what: str) -> str:
    """Return what failures of one cause have in common: the error, and where it came from."""
    lines = what.splitlines()
    places = [line.strip() for line in lines if line.startswith('  File "')]
    plain = re.sub(r"-?\d[\d.e+-]*", "#", lines[0])
    return f"{plain[:40]} {places[-1] if places else ''}"


def replay(which: str) -> int:
    """Try a case, or some in turn, in this process; print what happens."""
    from fuzz._worker import drawn, outcome, prepare

    name, _, seeds = which.rpartition(":")
    first, _, last = seeds.partition("-")
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        prepare(Path(scratch))
        for seed in range(int(first), int(last or first) + 1):
            if not last:
                print(repr(drawn(name, seed)[1])[:8000])
            found = outcome(name, seed)
            print(f"{name}:{seed}: {found or 'passed'}")
            failed |= found not in ("", "refused")
        os.chdir("/")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
