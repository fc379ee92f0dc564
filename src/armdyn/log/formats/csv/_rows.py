"""Rows of numbers in a piece of text.

A fast reader reads the piece first. If it fails, or if the numbers of lines and rows differ, the
piece is read again line by line, to accept empty cells or locate the fault.
"""

from __future__ import annotations

import importlib
import io
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError, shown
from armdyn.files import number_in
from armdyn.log.formats.csv._layout import COMMENTS, Layout, separator_of

Array = NDArray[np.float64]

# For longer texts (characters) importing a faster reader pays off.
LONG = 1 << 20


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
