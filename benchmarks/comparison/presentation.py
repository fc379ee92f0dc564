"""A benchmark as tables of text, as a page of Markdown, and as a plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any

from armdyn.present.pictures import JOINT_COLOURS, check_picture, new_figure, write_picture
from armdyn.present.tables import Grid
from comparison.results import OURS, Benchmark, Growth, Times

ABSENT = "-"
REFUSED = "refused"

MARKS = ("o", "s", "^", "D", "v")
STYLES = ("-", "--", ":", "-.")
# Height of the picture [inches]: without rows, and for each row.
HEIGHT, ROW = 3.0, 0.19

HEAD = """\
# Benchmarks

Written by `make bench`; change nothing here by hand. Times depend on the machine and on who else
uses it. So whatever is compared was run in turn, round after round in one process, the shortest
time of each was kept, and what is worth remembering are ratios and fractions. Friction is left out,
since others do not have it. Every other library's answers were compared with ours before it was
timed; one that disagrees is named below and not timed. Our batches are calls of the public
function, checks of inputs and results included, into the arrays that a first call returned; others'
loops are not charged for any, and leave their results in the cache, where those of the next state
replace them: the like of that is our batch in the cache. A large batch has to go to memory as well.

The multiply limit is the least time that the multiplying instructions of a function can take,
measured by a program of nothing else, in turn with the function, since clocks change. A function
that writes many numbers for few multiplications is far from it whatever is done: its rows alone
take as long as stands beside it, measured by a program that reads and writes as many numbers and
computes nothing. The last column counts both.
"""


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


def page(benchmark: Benchmark, plot: str | None) -> str:
    """Return the page.

    Args:
        benchmark: what was measured.
        plot: name of the picture in the folder of the page.
    """
    parts = [HEAD, _pairs("Machine", benchmark.machine)]
    if benchmark.peers:
        told = {k: f"{v}: {benchmark.peer_notes[k]}" for k, v in benchmark.peers.items()}
        parts.append(_pairs("Compared with", told))
    said = [*benchmark.disagreements, *benchmark.notes]
    if said:
        parts.append("## Not measured\n\n" + "\n".join(f"- {words}" for words in said) + "\n")
    if plot:
        parts.append(f"![Times of armdyn and others]({plot})\n")
    parts += [grid.markdown() for grid in grids(benchmark)]
    return "\n".join(parts)


def _pairs(title: str, pairs: Mapping[str, str]) -> str:
    rows = [f"- {key}: {value}" for key, value in pairs.items()]
    return f"## {title}\n\n" + "\n".join(rows) + "\n"


def write_plot(benchmark: Benchmark, path: Path) -> None:
    """Draw the picture; the whole file or, if that fails, none."""
    check_picture(path)
    height = max(4.5, HEIGHT + ROW * len(benchmark.cells))
    figure = new_figure(12, height)
    left, right = figure.subplots(1, 2)
    _draw_cells(left, benchmark)
    _draw_growth(right, benchmark, import_module("matplotlib.ticker"))
    write_picture(figure, path)


def _draw_cells(axes: Any, benchmark: Benchmark) -> None:
    cells = benchmark.cells
    names = list(dict.fromkeys(name for cell in cells for name in cell.cached.seconds))
    for i, cell in enumerate(cells):
        times = [1e9 * seconds for seconds in cell.cached.seconds.values()]
        axes.plot([min(times), max(times)], [i, i], color="0.85", zorder=0)
        if i and cell.robot != cells[i - 1].robot:
            axes.axhline(i - 0.5, color="0.5", linewidth=0.5)
    for name, mark, colour in zip(names, cycle(MARKS), cycle(JOINT_COLOURS)):
        at = [
            (1e9 * c.cached.seconds[name], i)
            for i, c in enumerate(cells)
            if name in c.cached.seconds
        ]
        axes.plot(*zip(*at, strict=True), mark, color=colour, label=name)
    axes.set_yticks(range(len(cells)), [f"{c.robot}  {c.kind}" for c in cells], fontsize=8)
    axes.invert_yaxis()
    axes.margins(y=0.5 / max(1, len(cells)))
    axes.set_xscale("log")
    axes.set_xlabel("ns for one state, one core")
    _title(axes, "Batches in the cache", len(names))


def _draw_growth(axes: Any, benchmark: Benchmark, ticker: Any) -> None:
    drawn = 0
    for growth, color in zip(benchmark.growth, cycle(JOINT_COLOURS)):
        names = list(dict.fromkeys(name for times in growth.times for name in times.seconds))
        for name, style in zip(names, cycle(STYLES)):
            rows = zip(growth.n, growth.times, strict=True)
            points = [(n, 1e9 * t.seconds[name]) for n, t in rows if name in t.seconds]
            label = f"{growth.kind}, {name}"
            axes.plot(*zip(*points, strict=True), style, color=color, marker=".", label=label)
            drawn += 1
    axes.set_xscale("log")
    axes.set_yscale("log")
    if benchmark.growth:
        axes.set_xticks(benchmark.growth[0].n)
        axes.xaxis.set_major_formatter(ticker.ScalarFormatter())
        axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel("joints")
    axes.set_ylabel("ns for one state, one core")
    axes.grid(alpha=0.3)
    _title(axes, "Chains, batches in the cache", drawn)


def _title(axes: Any, words: str, n_labels: int) -> None:
    """Write the title, and above it, outside the axes, the legend."""
    axes.set_title(words, loc="left", fontsize=10)
    if n_labels:
        where = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.05), "borderaxespad": 0.0}
        axes.legend(fontsize=8, ncols=2, frameon=False, **where)
