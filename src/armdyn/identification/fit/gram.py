"""The rows of a regression as Gram matrices, by blocks of time and joints.

For joint j and block b the matrix is Z^T Z with Z = [columns of joint j | torques of all joints],
over the rows in which joint j moves. All that follows is linear algebra on these small matrices:
the fit, the choice of terms, folds, halves, hypotheses, torques of other joints or of the other
sign, error bars. Logs of any length take one pass, and the rows are not kept.

Errors of real models are alike in neighbouring rows, so rows are left out by blocks of time, never
one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.rows import Rows, Work
from armdyn.progress import Progress

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Parts of the data that are left out in turn, to test what a fit to the others predicts.
FOLDS = 8

# Blocks of time whose scatter gives error bars: with fewer the bars are themselves uncertain, with
# more, neighbours are too alike (`benchmarks/errorbars.py`).
BLOCKS = 3 * FOLDS

# Rows of a block; shorter logs have fewer blocks, but at least one for each fold.
LEAST_ROWS = 10


@dataclass(frozen=True)
class Exchange:
    """Torques taken for those of other joints: of joint order[j], with the sign signs[j]."""

    order: tuple[int, ...]
    signs: tuple[float, ...]

    @property
    def flipped(self) -> tuple[int, ...]:
        """Joints whose torques change their sign."""
        return tuple(j for j, sign in enumerate(self.signs) if sign < 0.0)

    @property
    def swapped(self) -> tuple[int, ...]:
        """Joints that take the torque of another one."""
        return tuple(j for j, i in enumerate(self.order) if i != j)


@dataclass(frozen=True, eq=False)
class Gram:
    """Sums of products of rows.

    Attributes:
        places: the columns that each joint has, ascending.
        products: of every joint, ``(B, m + n, m + n)``: its m columns, then all n torques.
        counts: numbers of rows ``(B, n)``.
        p: number of all columns.
    """

    places: tuple[Indices, ...]
    products: tuple[Array, ...]
    counts: Array
    p: int

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.places)

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.counts)

    def target(self, j: int, exchange: Exchange | None = None) -> Array:
        """Return the combination of the columns of `products` that is the torque of joint j."""
        unit = np.zeros(len(self.places[j]) + self.n)
        if exchange is None:
            unit[len(self.places[j]) + j] = 1.0
        else:
            unit[len(self.places[j]) + exchange.order[j]] = exchange.signs[j]
        return unit

    def squares(self) -> Array:
        """Return X^T X of the rows X = [all columns | torque] of every joint, ``(n, p+1, p+1)``."""
        made = np.zeros((self.n, self.p + 1, self.p + 1))
        for j, at in enumerate(self.places):
            own = [*range(len(at)), len(at) + j]
            wide = np.append(at, self.p)
            made[j][np.ix_(wide, wide)] = self.products[j].sum(axis=0)[np.ix_(own, own)]
        return made

    def weighted(self, weights: Array, exchange: Exchange | None = None) -> Array:
        """Return [H | g] of the normal equations H beta = g of every block, ``(B, p, p + 1)``.

        Rows of joint j are divided by weights[j].
        """
        made = np.zeros((self.blocks, self.p, self.p + 1))
        for j, at in enumerate(self.places):
            G, m = self.products[j] / weights[j] ** 2, len(at)
            made[:, at[:, None], at] += G[:, :m, :m]
            made[:, at, -1] += G[:, :m] @ self.target(j, exchange)
        return made

    def misfits(self, values: Array, exchange: Exchange | None = None) -> Array:
        """Return sums of squared residuals ``(B, n)`` for values ``(p,)``, or a set of each block.

        Rounding may make those of a perfect fit negative; they are 0.
        """
        each = np.broadcast_to(values, (self.blocks, self.p))
        made = np.zeros((self.blocks, self.n))
        for j, at in enumerate(self.places):
            x = np.zeros((self.blocks, len(at) + self.n))
            x[:, : len(at)] = each[:, at]
            x -= self.target(j, exchange)
            made[:, j] = np.einsum("bi,bik,bk->b", x, self.products[j], x)
        return np.maximum(made, 0.0)

    def part(self, blocks: slice | Mask) -> Gram:
        """Return some of the blocks."""
        return replace(
            self, products=tuple(G[blocks] for G in self.products), counts=self.counts[blocks]
        )

    def by_folds(self) -> Gram:
        """Return the sums of the blocks of each fold."""

        def merged(x: Array) -> Array:
            return x.reshape(FOLDS, -1, *x.shape[1:]).sum(axis=1)

        products = tuple(merged(G) for G in self.products)
        return replace(self, products=products, counts=merged(self.counts))


@dataclass(frozen=True, eq=False)
class MoreColumns:
    """Columns beside those of the model, which need the samples in their order.

    Attributes:
        places: the columns that each joint has, counted from the end of the model's.
        count: number of all of them.
        columns: returns those of all joints side by side, ``(N, sum of the lengths of places)``,
            for q, qd, qdd, tau ``(N, n)`` and the time between samples [s].
    """

    places: Sequence[Indices]
    count: int
    columns: Any


def gram_of(
    rows: Rows,
    targets: Sequence[Array],
    kept: Sequence[Mask],
    progress: Progress,
    *,
    blocks: int = BLOCKS,
    more: MoreColumns | None = None,
    stride: int = 1,
) -> Gram:
    """Return the Gram matrices of the rows that count, in blocks of equal length.

    Args:
        rows: of the model.
        targets: filtered torques ``(M, n)`` of every segment.
        kept: which rows count, joint by joint.
        progress: called with (done, total, what).
        blocks: their number at most, a multiple of `FOLDS`.
        more: further columns.
        stride: of a long log, one stretch of rows out of this many is used.
    """
    model = rows.model
    n, p = model.n, len(model.columns)
    number = max(min(blocks, rows.count // LEAST_ROWS // FOLDS * FOLDS), FOLDS)
    places = list(model.active)
    if more is not None:
        places = [np.concatenate([a, p + b]) for a, b in zip(places, more.places, strict=True)]
        p += more.count
    products = [np.zeros((number, len(at) + n, len(at) + n)) for at in places]
    counts = np.zeros((number, n))
    given = (number, rows.count, more, stride)
    for group, sums in rows.each(_group_products, targets, kept, given=given):
        for b, (squares, here) in sums.items():
            for j in range(n):
                products[j][b] += squares[j]
            counts[b] += here
        progress(group.start + group.count, rows.count, "regressor")
    return Gram(tuple(places), tuple(products), counts, p)


def _group_products(
    work: Work,
    targets: Array,
    kept: Mask,
    number: int,
    total: int,
    more: MoreColumns | None,
    stride: int,
) -> dict[int, tuple[list[Array], Array]]:
    """Return Z^T Z of every joint, and the numbers of rows, of a group in every block of time."""
    model, start = work.model, work.group.start
    sums: dict[int, tuple[list[Array], Array]] = {}
    for at, A, samples in work.rows(stride):
        tau = targets[at]
        beside = None
        if more is not None:
            beside = work.group.band.rows(more.columns(*samples, work.group.step))
            ends = np.cumsum([0, *(len(one) for one in more.places)])
        block = np.arange(start + at.start, start + at.stop, dtype=np.int64) * number // total
        for j in range(model.n):
            own = [A[:, model.part(j)], tau]
            if beside is not None:
                own.insert(1, beside[:, ends[j] : ends[j + 1]])  # pyright: ignore[reportPossiblyUnboundVariable]
            Z, use = np.column_stack(own), kept[at, j]
            for b in np.unique(block[use]).tolist():
                if b not in sums:
                    width = [_width(model, more, i) for i in range(model.n)]
                    sums[b] = [np.zeros((w, w)) for w in width], np.zeros(model.n)
                X = Z[use & (block == b)]
                sums[b][0][j] += X.T @ X
                sums[b][1][j] += len(X)
    return sums


def _width(model: Model, more: MoreColumns | None, j: int) -> int:
    return len(model.active[j]) + (0 if more is None else len(more.places[j])) + model.n


def gram_root(G: Array) -> Array:
    """Return T ``(c, p)`` with T^T T = G, for a Gram matrix whose columns have sizes of any order.

    Directions that G shows only to rounding are left out.
    """
    size = np.sqrt(np.maximum(np.diag(G), 0.0))
    scale = np.where(size > 0.0, size, 1.0)
    e, V = np.linalg.eigh(G / np.outer(scale, scale))
    seen = e > len(G) * np.finfo(np.float64).eps * max(float(e[-1]), 0.0)
    return (V[:, seen] * np.sqrt(e[seen])).T * scale
