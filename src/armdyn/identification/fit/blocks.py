"""The rows of a regression as sums of squares and products, block by block in time.

Errors of real models are alike in neighbouring rows, so rows are left out by blocks: for cross
validation, which chooses terms, and for the jackknife, which gives error bars. A block needs the
matrix X^T X of its rows X = [A | tau], of every joint; the rows themselves are not kept, so this
works for logs of any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.groups import Work
from armdyn.identification.fit.regression import Prior
from armdyn.identification.fit.segments import Rows
from armdyn.progress import Progress

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Blocks of a log: with fewer the jackknife is too narrow, with more neighbours are too alike.
BLOCKS = 20
FEWEST = 4

# A block has at least this many rows.
LEAST_ROWS = 10


@dataclass(frozen=True, eq=False)
class Blocks:
    """X^T X of every block and joint.

    Attributes:
        model: the p columns.
        squares: ``(B, n, p + 1, p + 1)`` over all columns and the torque.
        counts: numbers of rows ``(B, n)``.
    """

    model: Model
    squares: Array
    counts: Array

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self.squares)

    def normal(self, weights: Array, prior: Prior, strength: float) -> Normal:
        """Return the normal equations of rows that are weighted by 1/weights, joint by joint."""
        G = np.tensordot(self.squares, weights**-2.0, axes=([1], [0]))
        P = strength**2 * prior.root.T @ prior.root + prior.fixed.T @ prior.fixed
        return Normal(G, P, P @ prior.mean)


@dataclass(frozen=True, eq=False)
class Normal:
    """Weighted normal equations of all blocks.

    Attributes:
        squares: ``(B, p + 1, p + 1)``, all joints together.
        prior: the precision P of the prior, ``(p, p)``.
        pull: P times the mean of the prior, ``(p,)``.
    """

    squares: Array
    prior: Array
    pull: Array

    def without(self, block: int | None) -> tuple[Array, Array]:
        """Return H ``(p, p)`` and g ``(p,)`` of H beta = g without one block, or of all."""
        total = self.squares.sum(axis=0)
        if block is not None:
            total = total - self.squares[block]
        return total[:-1, :-1] + self.prior, total[:-1, -1] + self.pull


def block_sums(
    rows: Rows, targets: Sequence[Array], kept: Sequence[Mask], progress: Progress
) -> Blocks:
    """Return the sums of the rows that count, in blocks of equal length."""
    model = rows.model
    n, p = model.n, len(model.columns)
    number = max(min(BLOCKS, rows.count // LEAST_ROWS), FEWEST)
    active = [np.append(model.active[j], p) for j in range(n)]
    packed = [np.zeros((number, len(a), len(a))) for a in active]
    counts = np.zeros((number, n))
    for group, sums in rows.each(_group_sums, targets, kept, given=(number, rows.count)):
        for b, (squares, found) in sums.items():
            for j in range(n):
                packed[j][b] += squares[j]
            counts[b] += found
        progress(group.start + group.count, rows.count, "friction")
    squares = np.zeros((number, n, p + 1, p + 1))
    for j, a in enumerate(active):
        squares[:, j, a[:, None], a] = packed[j]
    return Blocks(model, squares, counts)


def _group_sums(
    work: Work, targets: Array, kept: Mask, number: int, total: int
) -> dict[int, tuple[list[Array], Array]]:
    """Return X^T X of every joint, and the numbers of rows, of a group in every block of time."""
    model, start = work.model, work.group.start
    widths = [len(active) + 1 for active in model.active]
    sums: dict[int, tuple[list[Array], Array]] = {}
    for at, A in work.rows():
        block = np.arange(start + at.start, start + at.stop, dtype=np.int64) * number // total
        for b in range(int(block[0]), int(block[-1]) + 1):
            here = block == b
            if b not in sums:
                sums[b] = [np.zeros((p, p)) for p in widths], np.zeros(model.n)
            squares, counts = sums[b]
            for j in range(model.n):
                use = np.logical_and(here, kept[at, j])
                X = np.column_stack([A[use, model.part(j)], targets[at, j][use]])
                squares[j] += X.T @ X
                counts[j] += len(X)
    return sums
