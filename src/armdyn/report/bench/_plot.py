"""A plot of a benchmark: batches of arms compared with other libraries, and growing chains."""

from __future__ import annotations

from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any

from armdyn.present import JOINT_COLOURS, check_picture, new_figure, write_picture
from armdyn.report.bench._results import Benchmark

MARKS = ("o", "s", "^", "D", "v")
STYLES = ("-", "--", ":", "-.")
# Height of the picture [inches]: without rows, and for each row.
HEIGHT, ROW = 3.0, 0.19


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
