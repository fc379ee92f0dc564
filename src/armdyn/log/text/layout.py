"""The layout of a text file of columns: header, units, delimiter, decimal commas, text columns."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from armdyn.errors import LogError, shown
from armdyn.files import number_in
from armdyn.log.recognition.units import UNKNOWN_UNITS, is_unit
from armdyn.log.text.cells import NUMBER, TEXT, kind_of, named_by_cells, names_of_joint_states

DELIMITERS = (",", ";", "\t", "|")
COMMENTS = ("#", "%", "//")
# Lines that are searched for the first row of numbers.
FIRST_LINES = 200
# Rows after a header that have as many cells as it; lines of a preamble rarely have.
ROWS_ALIKE = 4
# Least share of numbers in a row.
LEAST_VALUES = 0.5
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
        row: the cells of the first row.
    """

    path: Path
    names: tuple[str, ...]
    delimiter: str | None
    decimal_comma: bool
    trailing: bool
    numeric: tuple[int, ...]
    row: tuple[str, ...] = ()

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line."""
        cells = _split(line, self.delimiter)
        return cells[:-1] if self.trailing and not cells[-1] else cells


@dataclass(frozen=True)
class Beginning:
    """The beginning of a file.

    Attributes:
        header: the line with the names of columns; None if there is none.
        units: the line with their units; "" if there is none.
        line: number of the line after it.
        rest: the text from there.
        skipped: lines before the header that are no comments.
    """

    header: str | None
    units: str
    line: int
    rest: str
    skipped: int = 0


@dataclass(frozen=True)
class _Line:
    text: str
    number: int
    end: int
    is_comment: bool


def find_beginning(path: Path, text: str, delimiter: str | None) -> Beginning:
    """Return the header and the text after it.

    The header is the last line before the first row of numbers that has as many cells; a line of
    units may be between them. It may be a comment if no other line is before the row.

    Raises:
        LogError: there are only comments or blank lines.
    """
    lines = [*_lines(text)]
    rows = [line for line in lines if not line.is_comment]
    if not rows:
        raise LogError(path, "has no rows, only comments or blank lines.")
    for k, row in enumerate(rows):
        before = rows[:k]
        units = ""
        if len(before) > 1 and _is_row_of_units(before[-1].text, row.text, delimiter):
            units = before.pop().text
        following = [line.text for line in rows[k : k + ROWS_ALIKE]]
        if before and _is_header(before[-1].text, following, delimiter):
            after = rows[k - 1]
            rest = text[after.end :]
            return Beginning(before[-1].text, units, after.number + 1, rest, len(before) - 1)
        comments = [line for line in lines if line.is_comment and line.number < row.number]
        if not before and comments and _is_header(comments[-1].text, following, delimiter):
            return Beginning(comments[-1].text, "", row.number, _from(text, row))
    first = rows[0]
    if _has_numbers(first.text, delimiter):
        return Beginning(None, "", first.number, _from(text, first))
    return Beginning(first.text, "", first.number + 1, text[first.end :])


def _lines(text: str) -> Iterator[_Line]:
    """Yield the first lines that are not blank; comments without their mark."""
    at, number, count = 0, 1, 0
    while at < len(text) and count < FIRST_LINES:
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end].strip()
        is_comment = line.startswith(COMMENTS)
        if line:
            yield _Line(line.lstrip("#%/ \t") if is_comment else line, number, end, is_comment)
            count += not is_comment
        at, number = end, number + 1


def _from(text: str, line: _Line) -> str:
    """Return the text from the beginning of a line."""
    return text[text.rfind("\n", 0, line.end - 1) + 1 :]


def _is_header(header: str, rows: Sequence[str], delimiter: str | None) -> bool:
    """Whether a line has a word where the first row has a number, and as many cells as all rows."""
    separator = _separator(header, delimiter)
    names, cells = _split(header, separator), _split(rows[0], separator)
    if any(len(names) != len(_split(row, separator)) for row in rows):
        return False
    if _share_of_values(cells) < LEAST_VALUES:
        return False
    return any(
        name and kind_of(name) == TEXT and kind_of(cell) != TEXT
        for name, cell in zip(names, cells, strict=True)
        if cell
    )


def _is_row_of_units(line: str, row: str, delimiter: str | None) -> bool:
    """Whether every cell of a line is a unit."""
    separator = _separator(line, delimiter)
    cells = [*map(_unit, _split(line, separator))]
    words = [cell for cell in cells if cell]
    return bool(words) and len(cells) == len(_split(row, separator)) and all(map(is_unit, words))


def _unit(cell: str) -> str:
    return cell.strip("[](){} ")


def _share_of_values(cells: Sequence[str]) -> float:
    there = [cell for cell in cells if cell]
    return sum(kind_of(cell) != TEXT for cell in there) / max(len(there), 1)


def _has_numbers(line: str, delimiter: str | None) -> bool:
    """Whether a line has two or more numbers, or nothing else, and no header can have them."""
    cells = [cell for cell in _split(line, _separator(line, delimiter)) if cell]
    numbers = sum(kind_of(cell) == NUMBER for cell in cells)
    return numbers == len(cells) or (numbers > 1 and 2 * numbers >= len(cells))


def find_layout(
    path: Path, begin: Beginning, delimiter: str | None
) -> tuple[Layout, dict[str, tuple[str, int]]]:
    """Return how to read the lines, and the columns that are not numbers.

    For each such column, a cell that is not a number and its line are given.

    Raises:
        LogError: two columns have the same name, or one is too long.
    """
    lines = enumerate(begin.rest.split("\n", FIRST_LINES)[:FIRST_LINES], begin.line)
    at, row = next(((k, x) for k, x in lines if x.strip() and not x.startswith(COMMENTS)), (0, ""))
    model = begin.header if begin.header is not None else row
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\n') and delimiter.strip():
        raise LogError(path, f"`delimiter` is {shown(delimiter)}, expected one character.")
    separator = _separator(model, delimiter)
    cells = _split(model, separator)
    trailing = len(cells) > 1 and not cells[-1]
    if trailing:
        cells = cells[:-1]
    if begin.header is None:
        cells = names_of_joint_states(cells) or [str(k + 1) for k in range(len(cells))]
    cells = _with_units(cells, _split(begin.units, separator))
    plain = Layout(path, tuple(cells), separator, False, trailing, ())
    first = plain.cells(row)
    numbers = "".join(cell for cell in first if kind_of(cell) == TEXT)
    decimal_comma = separator != "," and "," in numbers and "." not in numbers
    if decimal_comma:
        first = [x.replace(",", ".") if kind_of(x) == TEXT else x for x in first]
    text: dict[str, tuple[str, int]] = {}
    if len(first) == len(cells):
        cells = named_by_cells(cells, first)
        text = {
            name: (cell, at)
            for name, cell in zip(cells, first, strict=True)
            if cell and number_in(cell) is None
        }
    check_header(path, cells, begin.line - 1)
    numeric = tuple(k for k, name in enumerate(cells) if name not in text)
    names = tuple(cells)
    return Layout(path, names, separator, decimal_comma, trailing, numeric, tuple(first)), text


def _with_units(names: Sequence[str], units: Sequence[str]) -> list[str]:
    """Return names with their units in brackets, and names for columns that have none."""
    plain = [name or f"column {k}" for k, name in enumerate(names, 1)]
    each = [*map(_unit, units[: len(plain)])] + [""] * (len(plain) - len(units))
    return [
        f"{name} [{unit}]" if unit and unit not in ("-", *UNKNOWN_UNITS[-1:]) else name
        for name, unit in zip(plain, each, strict=True)
    ]


def check_header(path: Path, names: Sequence[str], line: int) -> None:
    """Check the names of columns.

    Raises:
        LogError: two are the same, or one is too long.
    """
    seen: set[str] = set()
    for k, name in enumerate(names):
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


def _separator(line: str, delimiter: str | None) -> str | None:
    """Return the separator of the cells of a line; None for blanks."""
    separator = delimiter if delimiter is not None else separator_of(line)
    return separator if separator.strip(" ") else None


def separator_of(line: str) -> str:
    """Return the separator of the cells of a line; a blank if there is no other."""
    best = max(DELIMITERS, key=line.count)
    return best if best in line else " "


def _split(line: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return line.split()
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    try:
        (cells,) = csv.reader([line], delimiter=delimiter, skipinitialspace=True)
    except csv.Error:  # a cell of more than 131,072 characters: a quote that is never closed
        cells = line.split(delimiter)
    return [cell.strip() for cell in cells]
