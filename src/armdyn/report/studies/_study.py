"""What a study is: a set-up in words, tables, what a paper says beside what is found, a picture."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from armdyn.present import Grid, check_picture, matplotlib, new_figure, write_picture

Verdict: TypeAlias = Literal[
    "reproduced", "same size", "not reproduced", "contradiction", "doubtful"
]

# Noise is of the same size within this factor.
SAME_SIZE = 2.0


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


def write_plot(study: Study, path: Path) -> None:
    """Draw the picture of a study; the whole file or, if that fails, none."""
    check_picture(path)
    with matplotlib().rc_context({"font.size": 9}):
        figure = new_figure(10, 6)
        study.draw(figure)
        write_picture(figure, path, dpi=120)
