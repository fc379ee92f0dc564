"""A table of text for the terminal, Markdown and HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from armdyn.present._html import Html, table, tag

Tone: TypeAlias = Literal["good", "fair", "bad", "faint", "strong"]
"""The tone of a cell: good, marginal, bad, unimportant, or most important."""


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
