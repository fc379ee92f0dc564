"""A benchmark as a picture: batches of arms beside others, and chains as they grow."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from armdyn.errors import FileError, MissingExtraError
from armdyn.report.bench._results import Benchmark
from armdyn.robot import whole_file

SUFFIXES = (".png", ".svg")


def check_plot(path: Path) -> None:
    """Refuse, before anything is measured, a picture that could not be drawn."""
    if path.suffix.lower() not in SUFFIXES:
        raise FileError(path, f"pictures are written as {' or '.join(SUFFIXES)}.")
    if not path.parent.is_dir():
        raise FileError(path, f"cannot be written: no folder {path.parent}; make it first.")
    _matplotlib()


def write_plot(benchmark: Benchmark, path: Path) -> None:
    """Draw the picture; the whole file or, if that fails, none."""
    check_plot(path)
    figure_of, ticker = _matplotlib()
    figure: Any = figure_of(figsize=(11, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_cells(left, benchmark)
    _draw_growth(right, benchmark, ticker)
    suffix = path.suffix.lower()[1:]
    with whole_file(path) as file:
        figure.savefig(file, format=suffix, metadata={"Date": None} if suffix == "svg" else None)


def _matplotlib() -> tuple[Any, Any]:
    """Return what is needed of Matplotlib; no window is opened, no backend chosen."""
    try:
        return import_module("matplotlib.figure").Figure, import_module("matplotlib.ticker")
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "the picture") from None


def _draw_cells(axes: Any, benchmark: Benchmark) -> None:
    cells = benchmark.cells
    names = list(dict.fromkeys(name for cell in cells for name in cell.cached.seconds))
    for k, name in enumerate(names):
        at = [(i, c.cached.seconds[name]) for i, c in enumerate(cells) if name in c.cached.seconds]
        heights = [1e9 * seconds for _, seconds in at]
        places = [i + 0.8 * (k + 0.5) / len(names) - 0.4 for i, _ in at]
        axes.bar(places, heights, 0.8 / len(names), label=name)
    axes.set_xticks(
        range(len(cells)), [f"{c.robot} {c.kind}" for c in cells], rotation=90, fontsize=5
    )
    axes.set_yscale("log")
    axes.set_ylabel("ns for one state, one core")
    axes.set_title("Batches in the cache")
    if names:
        axes.legend(fontsize=7)


def _draw_growth(axes: Any, benchmark: Benchmark, ticker: Any) -> None:
    for growth in benchmark.growth:
        names = list(dict.fromkeys(name for times in growth.times for name in times.seconds))
        for name in names:
            rows = zip(growth.n, growth.times, strict=True)
            points = [(n, 1e9 * t.seconds[name]) for n, t in rows if name in t.seconds]
            axes.plot(*zip(*points, strict=True), marker=".", label=f"{growth.kind}, {name}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    if benchmark.growth:
        axes.set_xticks(benchmark.growth[0].n)
        axes.xaxis.set_major_formatter(ticker.ScalarFormatter())
        axes.xaxis.set_minor_locator(ticker.NullLocator())
        axes.legend(fontsize=6)
    axes.set_xlabel("joints")
    axes.set_ylabel("ns for one state, one core")
    axes.set_title("Chains")
