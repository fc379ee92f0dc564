"""Performance targets of armdyn compared with measured ratios of one run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from armdyn.report.bench._results import OURS, Benchmark, Cell, Times

CPP, PYTHON = "Pinocchio C++", "Pinocchio Python"

BATCH_QUANTITIES = (
    "mass_matrix",
    "inverse_dynamics",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
)
# Target speed-up over Pinocchio in C++ on one core, by arm, in the order of `BATCH_QUANTITIES`.
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
SHORT_ARM = 7


@dataclass(frozen=True)
class Verdict:
    """A target and the measured value.

    Attributes:
        what: description of the target.
        target: the bound.
        at_least: whether it is a lower bound; else it is an upper bound.
        measured: the measured value; None if not measured.
        unit: of both numbers.
    """

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


def verdicts(benchmark: Benchmark) -> tuple[Verdict, ...]:
    """Return all targets that apply to this run, met or not."""
    parts = (_batches, _fractions, _one_state, _chains, _starts, _rest)
    return tuple(verdict for part in parts for verdict in part(benchmark))


def _batches(benchmark: Benchmark) -> Iterator[Verdict]:
    for cell in benchmark.cells:
        for quantity, target in zip(BATCH_QUANTITIES, BATCH.get(cell.robot, ()), strict=False):
            if quantity == cell.kind:
                name = f"{quantity} of {cell.robot}, {{}}, one core, over {CPP}"
                large, small = f"batch of {benchmark.batch}", "batch in the cache"
                yield Verdict(name.format(large), target, True, cell.batch.ratio(CPP))
                yield Verdict(name.format(small), target, True, cell.cached.ratio(CPP))


def _fractions(benchmark: Benchmark) -> Iterator[Verdict]:
    for cell in benchmark.cells:
        if cell.limit:
            what = f"{cell.kind} of {cell.robot}, fraction of the multiply limit"
            yield Verdict(what, FRACTION, True, cell.limit.fraction, "")


def _one_state(benchmark: Benchmark) -> Iterator[Verdict]:
    for cell in benchmark.cells:
        if cell.kind in ONE_STATE_QUANTITIES:
            what = f"{cell.kind} of {cell.robot}, one state from Python, time over {PYTHON}"
            yield Verdict(what, ONE_STATE, False, _inverse(cell))


def _inverse(cell: Cell) -> float | None:
    ratio = cell.one.ratio(PYTHON)
    return None if ratio is None else 1.0 / ratio


def _chains(benchmark: Benchmark) -> Iterator[Verdict]:
    for growth in benchmark.growth:
        if growth.kind in CHAIN_QUANTITIES:
            by_size: dict[int, Times] = dict(zip(growth.n, growth.times, strict=True))
            for n, target in CHAINS.items():
                if n in by_size and OURS in by_size[n].seconds:
                    what = f"{growth.kind} of a chain of {n}, batch, one core, over {CPP}"
                    yield Verdict(what, target, True, by_size[n].ratio(CPP))
        if growth.kind == "forward_dynamics":
            what = f"exponent of forward_dynamics on n, from {growth.fitted_from} joints on"
            yield Verdict(what, EXPONENT, False, growth.exponent, "")


def _starts(benchmark: Benchmark) -> Iterator[Verdict]:
    for start in benchmark.starts:
        name = f"{start.kind} of {start.robot}"
        short = start.robot == f"generic{SHORT_ARM}"
        derivative = start.kind.endswith("_derivatives")
        target = (COMPILE_DERIVATIVE if derivative else COMPILE) if short else COMPILE_CHAIN
        yield Verdict(f"{name}, compile, CPU time", target, False, start.compile, " s")
        yield Verdict(f"{name}, load from the cache", LOAD * 1e3, False, start.load * 1e3, " ms")


def _rest(benchmark: Benchmark) -> Iterator[Verdict]:
    for row in benchmark.threads:
        what = f"{row.kind} of {row.robot}, batch of {row.states}, two threads over one"
        yield Verdict(what, THREADS, True, row.speedup)
    if benchmark.imports:
        yield Verdict("import armdyn over import numpy", IMPORT, False, benchmark.imports.ratio)
