"""How to read the lines of a text file: header, delimiter, decimal commas, text columns."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from armdyn.errors import LogError, shown
from armdyn.files import number_in

DELIMITERS = (",", ";", "\t", "|")
COMMENTS = ("#", "%", "//")
# Lines that are searched for the first row of numbers.
FIRST_LINES = 200
# A longer name [characters] is no name of a column: messages list them.
LONGEST_NAME = 1000


@dataclass(frozen=True)
class Layout:
    """How to read the lines of a file.

    Attributes:
        path: of the file.
        names: of the columns.
        delimiter: what separates them; None for runs of blanks.
        decimal_comma: whether numbers have commas for points.
        trailing: whether every line ends in a delimiter that separates nothing.
        numeric: which columns are numbers.
    """

    path: Path
    names: tuple[str, ...]
    delimiter: str | None
    decimal_comma: bool
    trailing: bool
    numeric: tuple[int, ...]

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line."""
        if self.delimiter is None:
            return line.split()
        cells = _split(line, self.delimiter)
        return cells[:-1] if self.trailing and not cells[-1] else cells


def find_header(path: Path, text: str, delimiter: str | None) -> tuple[str | None, int, str]:
    """Return the header, the number of the line after it, and the text from there.

    The header is the first line that is not a comment. If that line has numbers, it is the last
    comment before it if that has as many cells, else None.
    """
    at, number, comment = 0, 1, None
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].strip()
        if line.startswith(COMMENTS):
            comment = line.lstrip("#%/ \t")
        elif line:
            if not _all_numbers(line, delimiter):
                return line, number + 1, text[end + 1 :]
            if comment and len(_guess(comment, delimiter)) == len(_guess(line, delimiter)):
                return comment, number, text[at:]
            return None, number, text[at:]
        at, number = end + 1, number + 1
    raise LogError(path, "has no rows, only comments or blank lines.")


def find_layout(
    path: Path, header: str | None, rest: str, begin: int, delimiter: str | None
) -> tuple[Layout, dict[str, tuple[str, int]]]:
    """Return how to read the lines, and the columns that are not numbers.

    For each such column, a cell that is not a number and its line are given.
    """
    lines = ((begin + k, x) for k, x in enumerate(rest.split("\n", FIRST_LINES)[:FIRST_LINES]))
    at, row = next(((k, x) for k, x in lines if x.strip() and not x.startswith(COMMENTS)), (0, ""))
    model = header if header is not None else row
    separator = delimiter if delimiter is not None else separator_of(model)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\n'):
        if delimiter.strip():
            raise LogError(path, f"`delimiter` is {shown(delimiter)}, expected one character.")
        separator = None
    if separator == " ":
        separator = None
    cells = model.split() if separator is None else _split(model, separator)
    trailing = len(cells) > 1 and not cells[-1]
    if trailing:
        cells = cells[:-1]
    if header is None:
        cells = [str(k + 1) for k in range(len(cells))]
    _check_header(path, cells, begin - 1)
    decimal_comma = separator != "," and "," in row and "." not in row
    plain = Layout(path, tuple(cells), separator, decimal_comma, trailing, ())
    first = plain.cells(row.replace(",", ".") if decimal_comma else row)
    text: dict[str, tuple[str, int]] = {}
    if len(first) == len(cells):
        text = {
            name: (cell, at)
            for name, cell in zip(cells, first, strict=True)
            if cell and number_in(cell) is None
        }
    numeric = tuple(k for k, name in enumerate(cells) if name not in text)
    return Layout(path, tuple(cells), separator, decimal_comma, trailing, numeric), text


def _check_header(path: Path, names: list[str], line: int) -> None:
    seen: set[str] = set()
    for k, name in enumerate(names):
        if not name:
            raise LogError(path, f"column {k + 1} of the header has no name.", line)
        if len(name) > LONGEST_NAME:
            raise LogError(
                path,
                f"column {k + 1} of the header has a name of {len(name)} characters, expected at "
                f"most {LONGEST_NAME}: {shown(name)}. Close its quote, or begin with a header.",
                line,
            )
        if name in seen:
            raise LogError(path, f"two columns are called {shown(name)}.", line)
        seen.add(name)


def _split(line: str, delimiter: str) -> list[str]:
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    try:
        (cells,) = csv.reader([line], delimiter=delimiter, skipinitialspace=True)
    except csv.Error:  # a cell of more than 131,072 characters: a quote that is never closed
        cells = line.split(delimiter)
    return [cell.strip() for cell in cells]


def separator_of(line: str) -> str:
    """Return the separator of the cells of a line; a blank if there is no other."""
    best = max(DELIMITERS, key=line.count)
    return best if best in line else " "


def _guess(line: str, delimiter: str | None) -> list[str]:
    separator = delimiter or separator_of(line)
    return line.split() if not separator.strip(" ") else _split(line, separator)


def _all_numbers(line: str, delimiter: str | None) -> bool:
    cells = [cell for cell in _guess(line, delimiter) if cell]
    if all(number_in(cell) is not None for cell in cells):
        return True
    return "," in line and all(number_in(c.replace(",", ".")) is not None for c in cells)
