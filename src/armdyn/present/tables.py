"""Tables and numbers as text for people: terminal, Markdown, HTML and notebooks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from armdyn.present.html import Html, joined, table, tag

# A table of text for the terminal, Markdown and HTML.

# The tone of a cell: good, marginal, bad, unimportant, or most important.
Tone: TypeAlias = Literal["good", "fair", "bad", "faint", "strong"]


class Toned(str):
    """The text of a cell with a color."""

    __slots__ = ("tone",)

    def __new__(cls, text: str, tone: Tone | None) -> Toned:
        """Make the text; without a tone it has no color."""
        made = super().__new__(cls, text)
        made.tone = tone
        return made

    tone: Tone | None


@dataclass(frozen=True)
class Grid:
    """A table: a title, heads of columns, and rows.

    Attributes:
        title: above the table; may be empty.
        heads: of the columns.
        words: how many of the first columns hold words; the others hold numbers.
        rows: cells; a `Toned` cell has a color.
        words_after: how many of the last columns also hold words.
        breaks: rows that begin a new group.
    """

    title: str
    heads: tuple[str, ...]
    words: int
    rows: tuple[tuple[str, ...], ...]
    words_after: int = 0
    breaks: frozenset[int] = frozenset()

    def is_number(self, column: int) -> bool:
        """Return whether a column holds numbers, which are aligned to the right."""
        return self.words <= column < len(self.heads) - self.words_after

    def markdown(self, level: int = 2) -> str:
        """Return the table as Markdown, with its title as a heading of this level."""
        marks = ["---:" if self.is_number(k) else "---" for k in range(len(self.heads))]
        rows = [self.heads, marks, *self.rows]
        lines = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows)
        head = f"{'#' * level} {self.title}\n\n" if self.title else ""
        return head + "".join(f"| {line} |\n" for line in lines)

    def text(self) -> str:
        """Return the table as plain lines, columns aligned."""
        widths = [max(map(len, column)) for column in zip(self.heads, *self.rows, strict=True)]
        lines = [self.title] if self.title else []
        for row in (self.heads, *self.rows):
            cells = (
                cell.rjust(width) if self.is_number(k) else cell.ljust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def html(self) -> Html:
        """Return the table as HTML, without its title."""
        numbers = [self.is_number(k) for k in range(len(self.heads))]
        return table(self.heads, [[_cell(cell) for cell in row] for row in self.rows], numbers)


def _cell(cell: str) -> str:
    if isinstance(cell, Toned) and cell.tone:
        return tag("span", str(cell), class_=cell.tone)
    return cell


# Numbers as text for people.

MINUS = "\N{MINUS SIGN}"

# Larger shares are shown as "more than" this.
MOST_PERCENT = 1000


def number(x: float, digits: int = 4) -> str:
    """Return a number to some significant digits."""
    if not math.isfinite(x):
        return "–"
    return f"{x:.{digits}g}".replace("-", MINUS)


def percent(x: float) -> str:
    """Return a share as percent, with as many digits as are useful."""
    if math.isnan(x):
        return "–"
    share = 100.0 * x
    if share > MOST_PERCENT:
        return f"> {MOST_PERCENT} %"
    return f"{share:.{0 if share >= 99.5 else 1 if share >= 10.0 else 2}f} %"


def with_deviation(value: float, std: float) -> str:
    """Return a value with the digits that its standard deviation leaves."""
    if not math.isfinite(std) or std <= 0.0:
        return number(value)
    places = min(max(1 - math.floor(math.log10(std)), 0), 12)
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", MINUS)


# Objects in notebooks: a title, some facts and a table, in the colours of the notebook.

# Colours are those of the notebook, light or dark; tones are readable on both.
STYLE = """\
.armdyn-card{font:13px/1.45 system-ui,sans-serif;color:inherit;max-width:60em;margin:.3em 0}
.armdyn-card .title{font-weight:600}
.armdyn-card .facts{opacity:.75;margin:.1em 0 .4em}
.armdyn-card .facts b{font-weight:600}
.armdyn-card .scroll{overflow:auto;max-height:24em}
.armdyn-card table{color:inherit;font:inherit;border-collapse:collapse;margin:0;
 font-variant-numeric:tabular-nums}
.armdyn-card th,.armdyn-card td{padding:.15em .8em .15em 0;text-align:left;color:inherit;
 background:none;border:0;border-bottom:1px solid rgba(128,128,128,.3);white-space:nowrap}
.armdyn-card th{font-weight:600;opacity:.75}
.armdyn-card .number{text-align:right}
.armdyn-card .good{color:#1a9641}.armdyn-card .fair{color:#d08700}.armdyn-card .bad{color:#d7301f}
.armdyn-card .faint{opacity:.6}.armdyn-card .strong{font-weight:600}
"""
STYLE_OF_CARDS = Html(f"<style>{STYLE}</style>")

# Longer tables are cut: a card is a glance.
ROWS = 40


def card(
    title: str, facts: Mapping[str, str], grid: Grid | None = None, notes: Iterable[str] = ()
) -> str:
    """Return an object as HTML for a notebook.

    Args:
        title: what it is.
        facts: short values by their names.
        grid: a table; of long ones the first rows are shown.
        notes: sentences below.
    """
    told = joined([Html(f"{tag('b', value)} {tag('span', name)}") for name, value in facts.items()],
                  between=" · ")  # fmt: skip
    parts = [tag("div", title, class_="title"), tag("div", told, class_="facts")]
    if grid is not None:
        shown = Grid("", grid.heads, grid.words, grid.rows[:ROWS], grid.words_after)
        parts.append(shown.html())
        if len(grid.rows) > ROWS:
            parts.append(tag("div", f"and {len(grid.rows) - ROWS} more", class_="faint"))
    parts += [tag("div", note, class_="faint") for note in notes]
    return joined([STYLE_OF_CARDS, tag("div", *parts, class_="armdyn-card")])
