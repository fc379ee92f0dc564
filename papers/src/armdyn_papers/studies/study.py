"""The interface of a study: its set-up as text, tables, findings about the paper, a figure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from armdyn.present.pictures import check_picture, matplotlib, new_figure, write_picture
from armdyn.present.tables import Grid

Verdict: TypeAlias = Literal[
    "reproduced", "same size", "not reproduced", "contradiction", "doubtful"
]

# Noise levels within this factor count as equal.
SAME_SIZE = 2.0


@dataclass(frozen=True)
class Finding:
    """A statement of a paper, the verdict on it, and the result here.

    A "contradiction" is one of the paper with itself; a "doubtful" statement is hardly possible.
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
        """Its name in `armdyn-papers study`."""
        ...

    @property
    def title(self) -> str:
        """The subject, and the place in the paper."""
        ...

    def setup(self) -> list[str]:
        """Return the set-up, as paragraphs."""
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
    """A number, and its range under changes that should not matter."""

    value: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        return f"{self.value:.3g} ({self.lowest:.3g} … {self.highest:.3g})"

    def verdict(self, printed: float) -> Verdict:
        """Return whether a printed number is in the range, or within a factor of two of it."""
        if self.lowest <= printed <= self.highest:
            return "reproduced"
        near = self.lowest / SAME_SIZE <= printed <= self.highest * SAME_SIZE
        return "same size" if near else "not reproduced"


def findings_grid(study: Study) -> Grid:
    """Return what reproduces and what does not as a table."""
    rows = tuple((f.claim, f.verdict, f.found) for f in study.findings())
    return Grid("What reproduces", ("the paper", "verdict", "found here"), 3, rows)


def write_plot(study: Study, path: Path) -> None:
    """Draw the picture of a study; the whole file or, if that fails, none."""
    check_picture(path)
    with matplotlib().rc_context({"font.size": 9}):
        figure = new_figure(10, 6)
        study.draw(figure)
        write_picture(figure, path, dpi=120)
