"""Text files of columns, read in blocks; what is wrong with them is told with its line.

A block goes through NumPy's reader. Where that stumbles, or where lines and rows do not agree, the
block is read again line by line, which finds empty cells and the fault.
"""

from __future__ import annotations

import csv
import importlib
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError, shown
from armdyn.log.formats._table import Table

Array = NDArray[np.float64]

BLOCK = 1 << 24

# Texts beyond this are worth the import of a faster reader.
LONG = 1 << 20
DELIMITERS = (",", ";", "\t", "|")
COMMENTS = ("#", "%", "//")
WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class _Layout:
    """How the lines of a file are to be read."""

    path: Path
    names: tuple[str, ...]
    delimiter: str | None  # None: runs of blanks
    decimal_comma: bool
    trailing: bool  # every line ends in a delimiter that separates nothing
    numeric: tuple[int, ...]

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line."""
        if self.delimiter is None:
            return line.split()
        cells = _split(line, self.delimiter)
        return cells[:-1] if self.trailing and not cells[-1] else cells


def read_csv(path: Path, delimiter: str | None = None) -> Table:
    """Read a text file of columns with a header; the arguments are those of `csv_blocks`."""
    tables = list(csv_blocks(path, delimiter))
    columns = {
        name: np.concatenate([table.columns[name] for table in tables])
        for name in tables[0].columns
    }
    lines = np.concatenate([table.lines for table in tables if table.lines is not None])
    lost = [words for table in tables for words in table.lost]
    return Table(path, columns, lines, tables[0].text, notes=tables[0].notes, lost=lost)


def csv_blocks(path: Path, delimiter: str | None = None) -> Iterator[Table]:
    """Yield the rows of a text file of columns with a header, block by block.

    Args:
        path: the file.
        delimiter: what separates the columns; if left out, the one of comma, semicolon, tabulator
            and bar that the header has most of, or else blanks.
    """
    blocks = _whole_lines(path)
    try:
        _, first = next(blocks)
    except StopIteration:
        raise LogError(path, "is empty; a log has a header and rows of numbers.") from None
    header, begin, rest = _header(path, first, delimiter)
    layout, text = _layout(path, header, rest, begin, delimiter)
    notes: list[str] = []
    if layout.decimal_comma:
        notes.append("numbers are written with decimal commas.")
    if header is None:
        notes.append("there is no header: columns are called 1, 2, ... as they stand.")
    names = [layout.names[k] for k in layout.numeric]
    block, at, count = rest, begin, 0
    while True:
        following = next(blocks, None)
        lost: list[str] = []
        array, lines = _numbers(layout, block, at, following is None, lost)
        count += len(array)
        if following is None and not count:
            raise LogError(path, "has a header but no rows of numbers.")
        columns = {name: array[:, k] for k, name in enumerate(names)}
        yield Table(path, columns, lines, text, notes=notes, lost=lost)
        if following is None:
            return
        (at, block), notes = following, []


def _whole_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield pieces of the file that end at an end of line, each with the number of its first line.

    The last line is kept together with the piece before it as long as it may be the last of all.
    """
    carry, number = b"", 1
    with path.open("rb") as file:
        while piece := file.read(BLOCK):
            if not carry and number == 1:
                _check_text(path, piece)
                piece = piece.removeprefix(b"\xef\xbb\xbf")
            elif b"\0" in piece:
                raise LogError(path, "is not a text file: it has zero bytes.")
            carry += piece
            end = carry.rstrip(b"\r\n").rfind(b"\n") + 1
            if end == 0:
                if len(carry) > 4 * BLOCK:
                    raise LogError(path, "has a line of more than 64 MB.", number)
                continue
            text = _decoded(path, carry[:end])
            carry = carry[end:]
            yield number, text
            number += text.count("\n")
    if carry.strip():
        text = _decoded(path, carry)
        yield number, text


def _check_text(path: Path, piece: bytes) -> None:
    if piece.startswith(WIDE):
        raise LogError(path, "is UTF-16 text; save it as UTF-8.")
    if b"\0" in piece:
        raise LogError(
            path,
            "is not a text file. Logs are read from .csv, .txt and .tsv, .npz, .mat and .parquet.",
        )


def _decoded(path: Path, data: bytes) -> str:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _header(path: Path, text: str, delimiter: str | None) -> tuple[str | None, int, str]:
    """Return the header, the number of the line behind it, and the text from there.

    The header is the first line; a comment, if it is the last before a line of numbers; None if
    the first line is one of numbers.
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


def _layout(
    path: Path, header: str | None, rest: str, begin: int, delimiter: str | None
) -> tuple[_Layout, dict[str, tuple[str, int]]]:
    lines = ((begin + k, x) for k, x in enumerate(rest.split("\n", 200)[:200]))
    at, row = next(((k, x) for k, x in lines if x.strip() and not x.startswith(COMMENTS)), (0, ""))
    model = header if header is not None else row
    separator = delimiter if delimiter is not None else _separator(model)
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
    plain = _Layout(path, tuple(cells), separator, decimal_comma, trailing, ())
    first = plain.cells(row.replace(",", ".") if decimal_comma else row)
    text: dict[str, tuple[str, int]] = {}
    if len(first) == len(cells):
        text = {
            name: (cell, at)
            for name, cell in zip(cells, first, strict=True)
            if cell and _number(cell) is None
        }
    numeric = tuple(k for k, name in enumerate(cells) if name not in text)
    return _Layout(path, tuple(cells), separator, decimal_comma, trailing, numeric), text


def _check_header(path: Path, names: list[str], line: int) -> None:
    seen: set[str] = set()
    for k, name in enumerate(names):
        if not name:
            raise LogError(path, f"column {k + 1} of the header has no name.", line)
        if name in seen:
            raise LogError(path, f"two columns are called {shown(name)}.", line)
        seen.add(name)


def _numbers(
    layout: _Layout, text: str, begin: int, last: bool, lost: list[str]
) -> tuple[Array, NDArray[np.int64]]:
    """Return the rows of a piece of text, and their lines."""
    if layout.decimal_comma:
        text = text.replace(",", ".")
    count = text.count("\n") + (not text.endswith("\n"))
    if not last or text.endswith("\n"):
        array = _fast(layout, text, count)
        if array is not None:
            return array, np.arange(begin, begin + count)
    return _slow(layout, text, begin, last, lost)


def _fast(layout: _Layout, text: str, count: int) -> Array | None:
    k = len(layout.names)
    if not layout.numeric or not text.strip():
        return None
    if layout.delimiter and text.count(layout.delimiter) != count * (k - 1 + layout.trailing):
        return None
    array = _by_arrow(layout, text) if len(text) > LONG else None
    if array is None:
        try:
            array = np.loadtxt(
                io.StringIO(text),
                delimiter=layout.delimiter,
                comments=None,
                quotechar='"',
                usecols=layout.numeric if len(layout.numeric) < k or layout.trailing else None,
                ndmin=2,
            )
        except ValueError:
            return None
    return array if array.shape == (count, len(layout.numeric)) else None


def _by_arrow(layout: _Layout, text: str) -> Array | None:
    """Return numbers read by pyarrow, several times as fast, if it is there and has no doubts."""
    if layout.delimiter is None or layout.trailing:
        return None
    try:
        arrow: Any = importlib.import_module("pyarrow")
        reader: Any = importlib.import_module("pyarrow.csv")
    except ImportError:
        return None
    names = [str(k) for k in range(len(layout.names))]
    wanted = [names[k] for k in layout.numeric]
    try:
        table = reader.read_csv(
            io.BytesIO(text.encode()),
            read_options=reader.ReadOptions(column_names=names, use_threads=False),
            parse_options=reader.ParseOptions(delimiter=layout.delimiter, ignore_empty_lines=False),
            convert_options=reader.ConvertOptions(
                include_columns=wanted,
                column_types=dict.fromkeys(wanted, arrow.float64()),
                null_values=[],
            ),
        )
    except arrow.ArrowException:
        return None
    return np.stack([column.to_numpy() for column in table.columns], axis=1)


def _slow(
    layout: _Layout, text: str, begin: int, last: bool, lost: list[str]
) -> tuple[Array, NDArray[np.int64]]:
    rows: list[list[float]] = []
    where: list[int] = []
    lines = text.split("\n")
    ended = not lines[-1]
    final = max((k for k, line in enumerate(lines) if line.strip()), default=-1) if last else -1
    for k, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith(COMMENTS):
            continue
        fault = _row(layout, line, rows)
        if fault is None:
            where.append(begin + k)
        elif (
            k == final
            and (not ended or "columns" in fault)
            and len(layout.cells(line)) <= len(layout.names)
        ):
            lost.append(f"the last line, {begin + k}, is cut off and was left out ({fault}).")
        else:
            raise LogError(layout.path, f"{fault}.", begin + k)
    array = np.array(rows, dtype=np.float64).reshape(len(rows), len(layout.numeric))
    return array, np.array(where, dtype=np.int64)


def _row(layout: _Layout, line: str, rows: list[list[float]]) -> str | None:
    """Append the numbers of a line, or return what is wrong with it."""
    cells = layout.cells(line)
    if len(cells) != len(layout.names):
        other = _separator(line)
        hint = ""
        if layout.delimiter and layout.delimiter not in line and other != " ":
            hint = f", separated by {other!r}; the header is separated by {layout.delimiter!r}"
        elif layout.delimiter == "," and len(cells) == 2 * len(layout.names):
            hint = "; numbers with decimal commas need another delimiter, as ';'"
        return f"has {len(cells)} columns, the header has {len(layout.names)}{hint}"
    row: list[float] = []
    for k in layout.numeric:
        value = math.nan if not cells[k] else _number(cells[k])
        if value is None:
            return f"{layout.names[k]!r} is {shown(cells[k])}, not a number"
        row.append(value)
    rows.append(row)
    return None


def _split(line: str, delimiter: str) -> list[str]:
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    (cells,) = csv.reader([line], delimiter=delimiter, skipinitialspace=True)
    return [cell.strip() for cell in cells]


def _separator(line: str) -> str:
    best = max(DELIMITERS, key=line.count)
    return best if best in line else " "


def _guess(line: str, delimiter: str | None) -> list[str]:
    separator = delimiter or _separator(line)
    return line.split() if not separator.strip(" ") else _split(line, separator)


def _all_numbers(line: str, delimiter: str | None) -> bool:
    cells = [cell for cell in _guess(line, delimiter) if cell]
    if all(_number(cell) is not None for cell in cells):
        return True
    return "," in line and all(_number(c.replace(",", ".")) is not None for c in cells)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
