"""Compare a benchmark with what armdyn sets out to reach: ratios within one run, and times.

    python benchmarks/targets.py [docs/benchmarks.json]

The numbers are those of `armdyn bench --json`. The exit status is 1 if a target is missed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

OURS, CPP, PYTHON = "armdyn", "Pinocchio C++", "Pinocchio Python"

BATCH_QUANTITIES = (
    "mass_matrix",
    "inverse_dynamics",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
)
# Speed-up over Pinocchio in C++ on one core, by arm, in the order of `BATCH_QUANTITIES`.
BATCH = {
    "generic6": (17.0, 31.0, 35.0, 27.0),
    "ur5": (22.0, 38.0, 42.0, 30.0),
    "panda": (22.0, 38.0, 42.0, 30.0),
}
FRACTION = 0.70
ONE_STATE = 0.25
ONE_STATE_QUANTITIES = ("mass_matrix", "inverse_dynamics")
CHAINS = {30: 20.0, 100: 20.0}
CHAIN_QUANTITIES = ("inverse_dynamics", "forward_dynamics")
EXPONENT = 1.1
COMPILE = 0.15
COMPILE_DERIVATIVE = 0.5
COMPILE_CHAIN = 0.5
LOAD = 5e-3
THREADS = 1.7
IMPORT = 2.0
SHORT_ARM = "generic7"


class Verdict(NamedTuple):
    """A target and the measured value, None if it was not measured."""

    what: str
    target: float
    at_least: bool
    measured: float | None
    unit: str = "x"

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if nothing was measured."""
        if self.measured is None:
            return None
        return self.measured >= self.target if self.at_least else self.measured <= self.target

    def __str__(self) -> str:
        word = {True: "met", False: "MISSED", None: "not measured"}[self.met]
        sign = "≥" if self.at_least else "≤"
        measured = "-" if self.measured is None else f"{self.measured:.2f}{self.unit}"
        return f"{word:12} {sign} {self.target:g}{self.unit}  {measured:>10}  {self.what}"


def verdicts(found: dict[str, Any]) -> Iterator[Verdict]:
    """Yield all targets that apply to a benchmark, met or not."""
    for cell in found["cells"]:
        yield from _of_cell(cell, found["batch"])
    for growth in found["growth"]:
        yield from _of_chains(growth)
    for start in found["starts"]:
        name = f"{start['kind']} of {start['robot']}"
        derivative = start["kind"].endswith("_derivatives")
        short = COMPILE_DERIVATIVE if derivative else COMPILE
        target = short if start["robot"] == SHORT_ARM else COMPILE_CHAIN
        yield Verdict(f"{name}, compile, CPU time", target, False, start["compile"], " s")
        yield Verdict(f"{name}, load from the cache", 1e3 * LOAD, False, 1e3 * start["load"], " ms")
    for row in found["threads"]:
        what = f"{row['kind']} of {row['robot']}, batch of {row['states']}, two threads over one"
        yield Verdict(what, THREADS, True, row["speedup"])
    if found["imports"]:
        ratio = found["imports"]["ratio"]
        yield Verdict("import armdyn over import numpy", IMPORT, False, ratio)


def _of_cell(cell: dict[str, Any], batch: int) -> Iterator[Verdict]:
    name, kind = f"{cell['kind']} of {cell['robot']}", cell["kind"]
    if kind in BATCH_QUANTITIES and cell["robot"] in BATCH:
        target = BATCH[cell["robot"]][BATCH_QUANTITIES.index(kind)]
        for words, key in ((f"batch of {batch}", "batch"), ("batch in the cache", "cached")):
            ratio = cell[key]["ratios"].get(CPP)
            yield Verdict(f"{name}, {words}, one core, over {CPP}", target, True, ratio)
    if cell["limit"]:
        fraction = cell["limit"]["fraction"]
        yield Verdict(f"{name}, fraction of the multiply limit", FRACTION, True, fraction, "")
    if kind in ONE_STATE_QUANTITIES:
        ratio = cell["one"]["ratios"].get(PYTHON)
        what = f"{name}, one state from Python, time over {PYTHON}"
        yield Verdict(what, ONE_STATE, False, ratio and 1.0 / ratio)


def _of_chains(growth: dict[str, Any]) -> Iterator[Verdict]:
    if growth["kind"] in CHAIN_QUANTITIES:
        for n, times in zip(growth["n"], growth["times"], strict=True):
            if n in CHAINS and OURS in times["seconds"]:
                what = f"{growth['kind']} of a chain of {n}, batch, one core, over {CPP}"
                yield Verdict(what, CHAINS[n], True, times["ratios"].get(CPP))
    if growth["kind"] == "forward_dynamics":
        what = f"exponent of forward_dynamics on n, from {growth['fitted_from']} joints on"
        yield Verdict(what, EXPONENT, False, growth["exponent"], "")


def main(path: str = "docs/benchmarks.json") -> bool:
    """Print all verdicts; return whether none is missed."""
    judged = list(verdicts(json.loads(Path(path).read_text(encoding="utf-8"))))
    print(*judged, sep="\n")
    return all(verdict.met is not False for verdict in judged)


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
