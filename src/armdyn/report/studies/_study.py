"""What a study is: a set-up in words, tables, what a paper says beside what is found, a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from armdyn.errors import FileError, MissingExtraError
from armdyn.report.bench import Grid
from armdyn.robot import whole_file

Verdict: TypeAlias = Literal[
    "reproduced", "same size", "not reproduced", "contradiction", "doubtful"
]

SUFFIXES = (".png", ".svg")

# Noise is of the same size within this factor.
SAME_SIZE = 2.0

Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True)
class Finding:
    """A statement of a paper, whether it is found to be so, and what is found.

    A "contradiction" is one of the paper with itself; "doubtful" is what can hardly be so.
    """

    claim: str
    verdict: Verdict
    found: str

    def to_dict(self) -> dict[str, str]:
        """Return plain values for JSON."""
        return asdict(self)


class Study(Protocol):
    """A study that was run."""

    @property
    def name(self) -> str:
        """What `armdyn study` calls it."""
        ...

    @property
    def title(self) -> str:
        """What is studied, and where a paper does it."""
        ...

    def setup(self) -> list[str]:
        """Return what was done, as paragraphs."""
        ...

    def grids(self) -> list[Grid]:
        """Return the numbers as tables."""
        ...

    def findings(self) -> list[Finding]:
        """Return what reproduces and what does not, judged from the numbers."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values for JSON."""
        ...

    def draw(self, figure: Any) -> None:
        """Draw the numbers into a figure of Matplotlib."""
        ...


@dataclass(frozen=True)
class Spread:
    """A number, and the range that it has when nothing that matters is changed."""

    value: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        return f"{self.value:.3g} ({self.lowest:.3g} … {self.highest:.3g})"

    def verdict(self, printed: float) -> Verdict:
        """Say whether a printed number is in the range, or within a factor of two of it."""
        if self.lowest <= printed <= self.highest:
            return "reproduced"
        near = self.lowest / SAME_SIZE <= printed <= self.highest * SAME_SIZE
        return "same size" if near else "not reproduced"


def findings_grid(study: Study) -> Grid:
    """Return what reproduces and what does not as a table."""
    rows = tuple((f.claim, f.verdict, f.found) for f in study.findings())
    return Grid("What reproduces", ("the paper", "verdict", "found here"), 3, rows)


def check_plot(path: Path) -> None:
    """Refuse, before anything is computed, a picture that could not be drawn."""
    if path.suffix.lower() not in SUFFIXES:
        raise FileError(path, f"pictures are written as {' or '.join(SUFFIXES)}.")
    if not path.parent.is_dir():
        raise FileError(path, f"cannot be written: no folder {path.parent}; make it first.")
    _matplotlib()


def write_plot(study: Study, path: Path) -> None:
    """Draw the picture of a study; the whole file or, if that fails, none."""
    check_plot(path)
    library, figure_of = _matplotlib()
    # ids in an SVG are random otherwise, and the file another one every time
    with library.rc_context({"svg.hashsalt": study.name, "font.size": 9}):
        figure = figure_of(figsize=(10, 6), layout="constrained")
        study.draw(figure)
        suffix = path.suffix.lower()[1:]
        quiet = {"Date": None} if suffix == "svg" else None
        with whole_file(path) as file:
            figure.savefig(file, format=suffix, metadata=quiet, dpi=120)


def _matplotlib() -> tuple[Any, Any]:
    """Return what is needed of Matplotlib; no window is opened, no backend chosen."""
    try:
        return import_module("matplotlib"), import_module("matplotlib.figure").Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "the picture") from None
