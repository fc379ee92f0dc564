"""Rows in memory, filled from the front."""

from __future__ import annotations

import mmap

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# For arrays of more bytes, one system call that maps all pages pays off.
LARGE = 1 << 22


class MemoryRows:
    """Rows in memory, filled from the front; the counterpart of `FileRows`."""

    def __init__(self, *shape: int) -> None:
        """Make room for all rows."""
        self.rows = _room(shape)
        self._at = 0

    def append(self, rows: Array) -> None:
        """Add rows at the end."""
        self.rows[self._at : self._at + len(rows)] = rows
        self._at += len(rows)


def _room(shape: tuple[int, ...]) -> Array:
    """Return an uninitialised array.

    For a large array, Linux can map all pages at once, which takes a fraction of the time of
    mapping each at first access.
    """
    size = 8 * int(np.prod(shape, dtype=np.int64))
    populate = getattr(mmap, "MAP_POPULATE", 0)
    if size < LARGE or not populate:
        return np.empty(shape)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | populate
    return np.frombuffer(mmap.mmap(-1, size, flags=flags), dtype=np.float64).reshape(shape)
