"""Fits without single folds, and their errors on those folds, with and without further columns.

Let T be the columns of every fit, and c further ones. With Z = -H_TT^-1 H_Tc the coefficients d of
the further columns solve (H_cc + H_cT Z) d = g_c - H_cT b_T, and the others become b_T + Z d. So
all hypotheses need one solve for each fold, and matrices of the size of c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit.gram import FOLDS, Exchange, Gram
from armdyn.numerics import scaled_solve

Indices = NDArray[np.int64]

# Weight of the prior that the coefficients of further columns be small, relative to theirs.
RIDGE = 1e-9

# Further columns are not told from the model if this share of their squares, or less, is new.
ALIKE = 1e-6


@dataclass(frozen=True, eq=False)
class _Solved:
    """The solution on some folds: what every further column needs."""

    values: Array  # of the columns of every fit
    change: Array  # of these values for each unit of a further column
    left: Array  # the further columns' normal matrix that the others leave
    right: Array  # their right side


@dataclass(frozen=True, eq=False)
class Trial:
    """A fit with some further columns.

    Attributes:
        values: of all columns ``(p,)``.
        folds: the same without each fold ``(FOLDS, p)``.
        halves: the same of the first and of the second half ``(2, p)``.
        squares: squared errors on the folds left out ``(FOLDS, n)``.
    """

    values: Array
    folds: Array
    halves: Array
    squares: Array

    def deviation(self) -> Array:
        """Return standard deviations by the jackknife over folds ``(p,)``."""
        off = self.folds - self.folds.mean(axis=0)
        return np.sqrt((FOLDS - 1.0) / FOLDS * np.sum(off**2, axis=0))


class Folds:
    """Fits of the same rows, with further columns or without."""

    def __init__(
        self,
        gram: Gram,
        weights: Array,
        precision: Array,
        mean: Array,
        always: Sequence[int],
        more: Sequence[int] = (),
        exchange: Exchange | None = None,
    ) -> None:
        """Solve for all data, without each fold, and for both halves.

        Args:
            gram: the rows, in as many blocks as there are folds.
            weights: of the joints ``(n,)``.
            precision: of the prior of the first columns ``(m, m)``, m <= p.
            mean: of that prior ``(m,)``; columns in no fit keep it.
            always: columns of every fit.
            more: columns that `trial` may add.
            exchange: torques that are taken for those of other joints.
        """
        self.gram, self.exchange, self.weights = gram, exchange, weights
        self.precision = np.zeros((gram.p, gram.p))
        self.precision[: len(mean), : len(mean)] = precision
        self.mean = np.zeros(gram.p)
        self.mean[: len(mean)] = mean
        self.base: Indices = np.array(always, np.int64)
        self.more: Indices = np.array(more, np.int64)
        self._place = {int(i): at for at, i in enumerate(self.more)}
        blocks = gram.weighted(weights, exchange)
        self.whole = blocks.sum(axis=0)
        half = FOLDS // 2
        self.all = self._solved(self.whole)
        self.without = [self._solved(self.whole - one) for one in blocks]
        self.halves = [
            self._solved(blocks[s].sum(axis=0)) for s in (slice(0, half), slice(half, None))
        ]
        self.plain = self.trial(())

    def distinguishes(self, columns: Sequence[int]) -> bool:
        """Whether the rows distinguish these columns from the model and from each other."""
        size = np.diag(self.whole)[list(columns)]
        if not (size > 0.0).all():
            return False
        left = self.left(columns) / np.sqrt(np.outer(size, size))
        return float(np.linalg.eigvalsh(left)[0]) > ALIKE

    def left(self, columns: Sequence[int]) -> Array:
        """Return the normal matrix of further columns that the others leave, on all data."""
        at = [self._place[i] for i in columns]
        return self.all.left[np.ix_(at, at)]

    def explained(self, columns: Sequence[int]) -> float:
        """Return the part of the weighted squares that further columns explain, on all data."""
        right = self.all.right[[self._place[i] for i in columns]]
        return float(right @ np.linalg.lstsq(self.left(columns), right)[0])

    def trial(self, columns: Sequence[int]) -> Trial:
        """Fit with further columns."""
        values = self._values(self.all, columns)
        folds = np.array([self._values(one, columns) for one in self.without])
        halves = np.array([self._values(one, columns) for one in self.halves])
        return Trial(values, folds, halves, self.gram.misfits(folds, self.exchange))

    def _solved(self, system: Array) -> _Solved:
        base, more = self.base, self.more
        H = system[:, :-1] + self.precision
        rest = self.mean.copy()
        rest[base] = rest[more] = 0.0
        g = system[:, -1] + self.precision @ self.mean - H @ rest
        inner = H[np.ix_(base, base)].copy()
        free = np.diag(self.precision)[base] == 0.0
        inner[free, free] *= 1.0 + RIDGE
        cross = H[np.ix_(base, more)]
        both = scaled_solve(inner, np.column_stack([g[base], cross]))
        values, change = both[:, 0], both[:, 1:]
        left = H[np.ix_(more, more)] - cross.T @ change
        return _Solved(values, change, left, g[more] - cross.T @ values)

    def _values(self, solved: _Solved, columns: Sequence[int]) -> Array:
        made = self.mean.copy()
        made[self.more] = 0.0
        if not len(columns):
            made[self.base] = solved.values
            return made
        at = [self._place[i] for i in columns]
        S = solved.left[np.ix_(at, at)]
        c = scaled_solve(S + RIDGE * np.diag(np.diag(S)), solved.right[at])
        made[self.base] = solved.values - solved.change[:, at] @ c
        made[list(columns)] = c
        return made
