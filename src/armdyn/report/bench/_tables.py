"""A benchmark as tables of text, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from armdyn.present import Grid
from armdyn.report.bench._results import OURS, Benchmark, Growth, Times

ABSENT = "-"
REFUSED = "refused"


def grids(benchmark: Benchmark) -> Iterator[Grid]:
    """Yield all tables that have something to show."""
    arms = (_one, _batch, _cached, _kinematics, _planning, _limits)
    made = (*arms, _growth, _starts, _threads, _imports)
    for make in made:
        grid = make(benchmark)
        if grid.rows:
            yield grid


def duration(seconds: float) -> str:
    """Return a time with three digits and a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _one(benchmark: Benchmark) -> Grid:
    rows = [(c.robot, c.kind, c.one) for c in benchmark.cells]
    title = "One state in a call from Python; in brackets times slower than armdyn"
    return _comparison(title, rows)


def _batch(benchmark: Benchmark) -> Grid:
    rows = [(c.robot, c.kind, c.batch) for c in benchmark.cells]
    title = f"Batch of {benchmark.batch} states, one core, for one state; in brackets times slower"
    return _comparison(title, rows)


def _cached(benchmark: Benchmark) -> Grid:
    rows = [(c.robot, c.kind, c.cached) for c in benchmark.cells]
    title = "Batch that fits into the cache, one core, for one state; in brackets times slower"
    return _comparison(title, rows)


def _kinematics(benchmark: Benchmark) -> Grid:
    table = _comparison("", [(k.robot, k.words, k.times) for k in benchmark.kinematics])
    title = (
        f"All branches of inverse kinematics, batch of {benchmark.batch} poses, one core, for one "
        "pose; in brackets times slower"
    )
    rows = tuple(
        (*row, f"{k.same} of {k.compared}" if k.compared else ABSENT)
        for row, k in zip(table.rows, benchmark.kinematics, strict=True)
    )
    return Grid(title, ("arm", "closed form", *table.heads[2:], "same sets"), 2, rows)


def _comparison(title: str, rows: Sequence[tuple[str, str, Times]]) -> Grid:
    names = list(dict.fromkeys(name for _, _, times in rows for name in times.seconds))
    table = tuple(
        (robot, quantity, *(_cell(times, name) for name in names))
        for robot, quantity, times in rows
    )
    return Grid(title, ("arm", "quantity", *names), 2, table)


def _cell(times: Times, name: str) -> str:
    if name not in times.seconds:
        return REFUSED if name in times.refused else ABSENT
    told = duration(times.seconds[name])
    ratio = times.ratio(name)
    return told if name.startswith(OURS) or ratio is None else f"{told} ({ratio:.1f})"


def _limits(benchmark: Benchmark) -> Grid:
    rows = tuple(
        (
            c.robot, c.kind, c.operations, str(c.limit.work.instructions),
            duration(c.limit.least_seconds), duration(c.limit.moving_seconds),
            duration(c.limit.seconds), duration(c.limit.call_seconds),
            f"{c.limit.graph_fraction:.2f}", f"{c.limit.fraction:.2f}",
            f"{c.limit.rows_fraction:.2f}",
        )
        for c in benchmark.cells
        if c.limit
    )  # fmt: skip
    heads = (
        "arm", "quantity", "operations", "multiplying instructions", "these at the least",
        "rows alone", "machine code", "call", "fraction, graph alone", "fraction",
        "fraction, rows and all",
    )  # fmt: skip
    return Grid("Fraction of the machine's multiply limit, in cache, one core", heads, 2, rows)


def _growth(benchmark: Benchmark) -> Grid:
    rows = [
        (str(n), g.kind, t) for g in benchmark.growth for n, t in zip(g.n, g.times, strict=True)
    ]
    table = _comparison("", rows)
    fitted = ", ".join(f"{g.kind} {_exponent(g)}" for g in benchmark.growth)
    title = f"Chains, batch in the cache, one core; fitted exponents: {fitted}"
    return Grid(title, ("joints", *table.heads[1:]), 2, table.rows)


def _exponent(growth: Growth) -> str:
    return ABSENT if growth.exponent is None else f"{growth.exponent:.2f}"


def _starts(benchmark: Benchmark) -> Grid:
    rows = tuple(
        (s.robot, s.kind, duration(s.trace), duration(s.compile), duration(s.load))
        for s in benchmark.starts
    )
    heads = ("arm", "quantity", "trace (CPU)", "compile (CPU)", "load from cache")
    return Grid("Until a function can be called, in a fresh process", heads, 2, rows)


def _threads(benchmark: Benchmark) -> Grid:
    rows = tuple(
        (t.robot, t.kind, str(t.states), duration(t.one), duration(t.two), f"{t.speedup:.2f}")
        for t in benchmark.threads
    )
    heads = ("arm", "quantity", "states", "one thread", "two threads", "times faster")
    return Grid("Threads, for one state", heads, 2, rows)


def _imports(benchmark: Benchmark) -> Grid:
    seen = benchmark.imports
    told = (duration(seen.armdyn), duration(seen.numpy), f"{seen.ratio:.2f}") if seen else None
    heads = ("armdyn", "numpy", "ratio")
    return Grid("Import in a fresh process", heads, 0, (told,) if told else ())


def _planning(benchmark: Benchmark) -> Grid:
    found = benchmark.planning
    title = "Time-optimal motions, for one path; in brackets times slower"
    if found is None:
        return Grid(title, ("arm",), 1, ())
    names = tuple(found.times.seconds)
    words = f"{found.pieces} pieces, batches of {found.paths}"
    cells = (_cell(found.times, name) for name in names)
    return Grid(title, ("arm", "paths", *names), 2, ((found.robot, words, *cells),))
