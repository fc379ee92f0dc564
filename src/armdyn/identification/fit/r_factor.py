"""One triangular factor that replaces any number of rows in a regression.

Rows [A | b] come in blocks. The factor of a block is R with R^T R = [A | b]^T [A | b]. The factor
of two stacked factors is the factor of all their rows. Factors of equal weight are merged as they
come, like the carries of a binary counter: memory and rounding grow with the logarithm of the
number of blocks, and the same blocks give the same bits.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from armdyn.arrays import Array

# For larger matrices (rows times columns) the linear algebra library starts threads. That takes
# longer than the work, and the bits would depend on the number of threads.
SINGLE = 9000


class RFactor:
    """The triangular factor of rows [A | b] that were added in blocks."""

    def __init__(self, columns: int) -> None:
        """Begin without rows.

        Args:
            columns: number of columns of A.
        """
        self.columns = columns
        self.count = 0
        self._levels: list[Array | None] = []

    def add(self, A: Array, b: Array) -> None:
        """Add the rows of a block."""
        if not len(b):
            return
        self.count += len(b)
        self._carry(r_factor(np.column_stack([A, b])))

    def merge(self, factor: Array, count: int) -> None:
        """Add the factor of `count` rows."""
        if count:
            self.count += count
            self._carry(factor)

    def factor(self) -> Array:
        """Return R, ``(c, columns + 1)`` with c at most columns + 1."""
        held = [R for R in self._levels if R is not None]
        if not held:
            return np.zeros((0, self.columns + 1))
        return held[0] if len(held) == 1 else r_factor(np.vstack(held))

    def _carry(self, factor: Array) -> None:
        level = 0
        while level < len(self._levels) and (held := self._levels[level]) is not None:
            self._levels[level] = None
            factor = r_factor(np.vstack([held, factor]))
            level += 1
        self._levels += [None] * (level + 1 - len(self._levels))
        self._levels[level] = factor


def r_factor(rows: Array) -> Array:
    """Return the triangular factor of a matrix; few rows are returned as they are."""
    count = rows.shape[1]
    step = max(SINGLE // max(count, 1) - count, count, 1)
    factor = rows[:0]
    for a in range(0, len(rows), step):
        factor = np.vstack([factor, rows[a : a + step]])
        if len(factor) > count:
            factor = cast(Array, np.linalg.qr(factor, mode="r"))
    return factor
