"""Text files of columns, read in blocks; errors name the line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from armdyn.errors import LogError
from armdyn.log.columns._table import Table
from armdyn.log.formats._registry import read_in_words
from armdyn.log.formats.csv._layout import find_header, find_layout
from armdyn.log.formats.csv._rows import numbers_of

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
