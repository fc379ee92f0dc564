"""Text files of columns, read in blocks and written with all digits; errors name the line."""

from __future__ import annotations

import csv
import importlib
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import LogError, shown
from armdyn.files import number_in
from armdyn.log.columns import Table
from armdyn.log.formats import WrittenColumns, read_in_words

if TYPE_CHECKING:
    from armdyn.log.log import Log

# How to read the lines of a text file: header, delimiter, decimal commas, text columns.

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


# Rows of numbers in a piece of text.
#
# A fast reader reads the piece first. If it fails, or if the numbers of lines and rows differ, the
# piece is read again line by line, to accept empty cells or locate the fault.

# For longer texts (characters) importing a faster reader pays off.
LONG_TEXT_CHARACTERS = 1 << 20


def numbers_of(
    layout: Layout, text: str, begin: int, last: bool, lost: list[str]
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


def _fast(layout: Layout, text: str, count: int) -> Array | None:
    k = len(layout.names)
    # Readers differ on non-ASCII digits, which are not numbers here.
    if not layout.numeric or not text.strip() or not text.isascii():
        return None
    if layout.delimiter and text.count(layout.delimiter) != count * (k - 1 + layout.trailing):
        return None
    array = _by_arrow(layout, text) if len(text) > LONG_TEXT_CHARACTERS else None
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


def _by_arrow(layout: Layout, text: str) -> Array | None:
    """Return numbers read by pyarrow, several times faster; None if it is missing or fails."""
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
    layout: Layout, text: str, begin: int, last: bool, lost: list[str]
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


def _row(layout: Layout, line: str, rows: list[list[float]]) -> str | None:
    """Append the numbers of a line, or return its fault."""
    cells = layout.cells(line)
    if len(cells) != len(layout.names):
        other = separator_of(line)
        hint = ""
        if layout.delimiter and layout.delimiter not in line and other != " ":
            hint = f", separated by {other!r}; the header is separated by {layout.delimiter!r}"
        elif layout.delimiter == "," and len(cells) == 2 * len(layout.names):
            hint = "; numbers with decimal commas need another delimiter, as ';'"
        return f"has {len(cells)} columns, the header has {len(layout.names)}{hint}"
    row: list[float] = []
    for k in layout.numeric:
        value = math.nan if not cells[k] else number_in(cells[k])
        if value is None:
            return f"{layout.names[k]!r} is {shown(cells[k])}, not a number"
        row.append(value)
    rows.append(row)
    return None


# Text files of columns, read in blocks; errors name the line.

# Bytes that are read together.
BLOCK = 1 << 24
# The marks of UTF-8 and of UTF-16 at the beginning of a text.
UTF_8 = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


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
        delimiter: separator of the columns; if left out, whichever of comma, semicolon, tab and bar
            the header has most of, else blanks.
    """
    blocks = _whole_lines(path)
    try:
        _, first = next(blocks)
    except StopIteration:
        raise LogError(path, "is empty; a log has a header and rows of numbers.") from None
    header, begin, rest = find_header(path, first, delimiter)
    layout, text = find_layout(path, header, rest, begin, delimiter)
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
        array, lines = numbers_of(layout, block, at, following is None, lost)
        count += len(array)
        if following is None and not count:
            raise LogError(path, "has a header but no rows of numbers.")
        columns = {name: array[:, k] for k, name in enumerate(names)}
        yield Table(path, columns, lines, text, notes=notes, lost=lost)
        if following is None:
            return
        (at, block), notes = following, []


def _whole_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield pieces of the file that end with a whole line, each with the number of its first line.

    The last line read is kept for the next piece, since it may be the last of the file.
    """
    carry, number = b"", 1
    with path.open("rb") as file:
        while piece := file.read(BLOCK):
            if not carry and number == 1:
                _check_text(path, piece)
                piece = piece.removeprefix(UTF_8)
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
    if piece.startswith(UTF_16):
        raise LogError(path, "is UTF-16 text; save it as UTF-8.")
    if b"\0" in piece:
        raise LogError(path, f"is not a text file. {read_in_words()}")


def _decoded(path: Path, data: bytes) -> str:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


# Logs as text: a header, then all digits of every number.

# Rows that are written together.
ROWS = 10_000


def write_csv(log: Log, file: BinaryIO) -> None:
    """Write a log as comma-separated text."""
    columns = WrittenColumns(log)
    header = io.StringIO()
    csv.writer(header, lineterminator="\n").writerow(columns.names)
    file.write(header.getvalue().encode("utf-8"))
    for a in range(0, len(log), ROWS):
        rows = columns.rows(a, a + ROWS).tolist()
        text = "\n".join([",".join(map(repr, row)) for row in rows])
        file.write(f"{text}\n".encode())
