"""Text files of columns, read in blocks and written with all digits; errors name the line."""

from __future__ import annotations

import csv
import importlib
import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import LogError, shown
from armdyn.files import number_in
from armdyn.log.columns import Table
from armdyn.log.formats import WrittenColumns, read_in_words
from armdyn.log.recognition.names import Meaning, meaning
from armdyn.log.text.cells import Flattening
from armdyn.log.text.layout import COMMENTS, Layout, find_beginning, find_layout, separator_of

if TYPE_CHECKING:
    from armdyn.log.log import Log

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
    first = tables[0]
    return Table(
        path, columns, lines, first.text, notes=first.notes, lost=lost, meanings=first.meanings
    )


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
    begin = find_beginning(path, first, delimiter)
    layout, text = find_layout(path, begin, delimiter)
    notes: list[str] = []
    if begin.skipped:
        notes.append(f"{begin.skipped} lines before the header are skipped.")
    if layout.decimal_comma:
        notes.append("numbers are written with decimal commas.")
    if begin.header is None and layout.names[0] == "1":
        notes.append("there is no header: columns are called 1, 2, ... as they stand.")
    flattening = Flattening.of(layout.names, layout.row)
    plain, meanings = layout, dict[str, Meaning]()
    if flattening is not None:
        every = tuple(range(len(flattening.names)))
        plain = Layout(path, flattening.names, ",", False, False, every)
        text = {name: text[name] for name in flattening.words}
        meanings = _meanings(flattening)
    names = [plain.names[k] for k in plain.numeric]
    block, at, count = begin.rest, begin.line, 0
    while True:
        following = next(blocks, None)
        lost: list[str] = []
        if flattening is not None:
            block = _flat(layout, flattening, block, at, following is None, lost)
        array, lines = numbers_of(plain, block, at, following is None, lost)
        count += len(array)
        if following is None and not count:
            raise LogError(path, "has a header but no rows of numbers.")
        columns = {name: array[:, k] for k, name in enumerate(names)}
        yield Table(path, columns, lines, text, notes=notes, lost=lost, meanings=meanings)
        if following is None:
            return
        (at, block), notes = following, []


def _meanings(flattening: Flattening) -> dict[str, Meaning]:
    """Return that the column of dates is the time, if no other column is."""
    others = [meaning(name) for name in flattening.names if name != flattening.stamps]
    is_other = any(one is not None and one.role == "t" for one in others)
    if is_other or not flattening.stamps:
        return {}
    return {flattening.stamps: Meaning("t", unit="ns")}


def _flat(
    layout: Layout, flattening: Flattening, text: str, begin: int, last: bool, lost: list[str]
) -> str:
    """Return text with the same lines, in which dates and lists are numbers."""
    lines = text.split("\n")
    final = max((k for k, line in enumerate(lines) if line.strip()), default=-1) if last else -1
    for k, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith(COMMENTS):
            lines[k] = ""
            continue
        cells, fault = layout.cells(line), ""
        numbers: list[str] = []
        if len(cells) != len(layout.names):
            fault = f"has {len(cells)} columns, the header has {len(layout.names)}"
        else:
            numbers, fault = flattening.numbers(cells, layout.decimal_comma)
        if fault and k != final:
            raise LogError(layout.path, f"{fault}.", begin + k)
        if fault:
            lost.append(f"the last line, {begin + k}, is cut off and was left out ({fault}).")
        lines[k] = ",".join(numbers)
    return "\n".join(lines)


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
        raise LogError(path, "is UTF-16 text. Convert it: iconv -f UTF-16 -t UTF-8 LOG > utf8.csv")
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
