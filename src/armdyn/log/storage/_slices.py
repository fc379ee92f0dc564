"""Slices of columns in memory or in a file: the same code serves both."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from armdyn.log.storage._file_rows import FileRows

Array = NDArray[np.float64]

# Rows of a block.
BLOCK = 1 << 14

# Rows that are compared together: NumPy is slow on short rows.
SIDE = 64


def is_in_file(column: object) -> bool:
    """Whether a column lies in a file."""
    return isinstance(column, FileRows)


def part_of(column: Array, a: int, b: int) -> Array:
    """Return rows a to b of a column, as a view or unread."""
    if isinstance(column, FileRows):
        return cast(Array, column.part(a, b))
    return column[a:b]


def blocks(count: int, least: int = 1) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of consecutive blocks of rows, no shorter than `least`."""
    size = max(BLOCK, least)
    for a in range(0, count, size):
        yield a, min(a + size, count)


def extremes(columns: Sequence[Array]) -> tuple[Array, Array]:
    """Return the lowest and highest of each column of arrays ``(N, n)``."""
    n = columns[0].shape[1]
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    for column in columns:
        for a, b in blocks(len(column)):
            side = SIDE if (b - a) % SIDE == 0 else 1
            rows = column[a:b].reshape(-1, side * n)
            low = np.minimum(low, rows.min(axis=0).reshape(side, n).min(axis=0))
            high = np.maximum(high, rows.max(axis=0).reshape(side, n).max(axis=0))
    return low, high


def picked(column: Array, rows: NDArray[np.int64]) -> Array:
    """Return single rows of a column, given in order."""
    if not isinstance(column, FileRows):
        return column[rows]
    found = [np.zeros((0, *column.shape[1:]))]
    for a, b in blocks(len(column)):
        first, last = np.searchsorted(rows, (a, b)).tolist()
        if last > first:
            found.append(column[a:b][rows[first:last] - a])
    return np.concatenate(found)


def runs(count: int, most: int, length: int) -> list[tuple[int, int]]:
    """Return (start, stop) of up to `most` runs of rows, evenly spread; all rows if they are few.

    Such runs represent a long log where a sample of it suffices.
    """
    if count <= most * length:
        return [(0, count)] if count else []
    starts = [round(k * (count - length) / max(most - 1, 1)) for k in range(most)]
    return [(a, a + length) for a in starts]


def first_not_before(t: Array, time: float) -> int:
    """Return the first row of increasing stamps that is not before a time."""
    return bisect.bisect_left(range(len(t)), time, key=lambda k: float(t[k : k + 1][0]))
