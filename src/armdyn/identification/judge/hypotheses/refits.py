"""Fits with further terms, without single blocks of time, and their errors on those blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit.regression import Fit
from armdyn.identification.judge.hypotheses.time_blocks import BLOCKS, TimeBlocks
from armdyn.numerics import scaled_solve

Indices = NDArray[np.int64]

# A term whose column is the model's to this share (of squares) cannot be told from the model.
ALIKE = 1e-6

# Weight of the wish that the coefficients of further terms be small, relative to their columns.
RIDGE = 1e-9

# A row counts at least as the inverse of this squared, however long errors last. Friction is
# believed to be small with this share of its weight in the fit.
LASTING = 3.0
WEAK = 0.01

# Terms are tested if they explain this share, times the number of joints, of the squared errors of
# the joint that has least. The mean logarithm of the joints' errors falls by half of it then.
PROMISING = 0.01

# Errors below this share of the size of a joint's torque are as good as none.
NEGLIGIBLE = 1e-3


def weights_of(fit: Fit) -> Array:
    """Return the deviations of the rows of every joint ``(n,)``.

    Errors of a wrong model last long. A joint whose rows count little for that would hide its
    fault behind what is believed beforehand.
    """
    return np.minimum(fit.weights, LASTING * fit.sigma)


def precision_of(fit: Fit) -> Array:
    """Return the weight of what is believed beforehand ``(p, p)``; of friction hardly anything."""
    prior = fit.prior
    fixed = WEAK * prior.fixed.T @ prior.fixed
    return fit.strength**2 * prior.root.T @ prior.root + fixed


@dataclass(frozen=True, eq=False)
class _Fold:
    """The solution on some blocks: what every further term needs."""

    values: Array  # of the model and of terms that are always in
    change: Array  # of these values for each unit of a term
    left: Array  # the terms' normal matrix that the model leaves
    right: Array  # their right side


@dataclass(frozen=True, eq=False)
class Trial:
    """A fit with some further terms.

    Attributes:
        values: of all columns, model and terms ``(p + terms,)``.
        folds: the same without each block ``(blocks, p + terms)``.
        halves: the same of the first and of the second half ``(2, p + terms)``.
        squares: squared errors on the blocks left out ``(blocks, n)``.
    """

    values: Array
    folds: Array
    halves: Array
    squares: Array

    def deviation(self) -> Array:
        """Return standard deviations by the jackknife over blocks ``(p + terms,)``."""
        off = self.folds - self.folds.mean(axis=0)
        return np.sqrt((BLOCKS - 1.0) / BLOCKS * np.sum(off**2, axis=0))


class Refits:
    """Fits of the same rows with further terms."""

    def __init__(self, data: TimeBlocks, fit: Fit, size: Array, always: Sequence[int] = ()) -> None:
        """Solve the model on all blocks, without each of them, and on both halves.

        Args:
            data: the rows.
            fit: the fit with its weights and its prior.
            size: of the torques of every joint ``(n,)``.
            always: terms that are part of every fit.
        """
        self.data, self.fit, self.size = data, fit, size
        self.base: Indices = np.array([*range(data.p), *(data.p + i for i in always)], np.int64)
        width, weights = data.p + data.terms, weights_of(fit)
        per_block = np.zeros((BLOCKS, width, width + 1))
        for b in range(BLOCKS):
            for j, at in enumerate(data.places):
                inner, G = at[: -data.n], data.grams[b][j] / weights[j] ** 2
                k = len(inner)
                per_block[b][np.ix_(inner, inner)] += G[:k, :k]
                per_block[b][inner, -1] += G[:k, k + j]
        whole = per_block.sum(axis=0)
        half = BLOCKS // 2
        self.all = self._fold(whole)
        self.without = [self._fold(whole - one) for one in per_block]
        self.halves = [self._fold(per_block[s].sum(axis=0))
                       for s in (slice(0, half), slice(half, None))]  # fmt: skip
        self.plain = self.trial(())

    def tells(self, terms: Sequence[int]) -> bool:
        """Whether the rows tell these terms from the model and from each other."""
        at = np.array(terms) + self.data.p
        size = np.diag(self.whole)[at]
        if not (size > 0.0).all():
            return False
        left = self.all.left[np.ix_(terms, terms)] / np.sqrt(np.outer(size, size))
        return float(np.linalg.eigvalsh(left)[0]) > ALIKE

    def promises(self, terms: Sequence[int]) -> bool:
        """Whether terms explain enough of all rows to be worth a test on blocks left out."""
        at = list(terms)
        right = self.all.right[at]
        explained = float(right @ np.linalg.lstsq(self.all.left[np.ix_(at, at)], right)[0])
        left = self.plain.squares.sum(axis=0) / weights_of(self.fit) ** 2
        seen = left[self.data.counts.sum(axis=0) > 0]
        return len(seen) > 0 and explained > PROMISING * self.data.n * float(seen.min())

    def trial(self, terms: Sequence[int]) -> Trial:
        """Fit with further terms."""
        chosen = list(terms)
        values = self._values(self.all, chosen)
        folds = np.array([self._values(fold, chosen) for fold in self.without])
        halves = np.array([self._values(fold, chosen) for fold in self.halves])
        return Trial(values, folds, halves, self._errors(folds))

    def squares(self, values: Array) -> Array:
        """Return the squared errors of values of the model's columns ``(n,)``, on all rows."""
        wide = np.zeros(self.data.p + self.data.terms)
        wide[: len(values)] = values
        return self._errors(np.tile(wide, (BLOCKS, 1))).sum(axis=0)

    def relative(self, squares: Array) -> Array:
        """Return errors relative to the size of the joints' torques, from squares ``(n,)``."""
        count = np.maximum(self.data.counts.sum(axis=0), 1.0)
        return np.sqrt(np.maximum(squares, 0.0) / count) / self.size

    def log_gain(self, trial: Trial) -> tuple[float, int]:
        """Return the mean change of the joints' log errors, and in how many blocks they fall."""
        floor = (NEGLIGIBLE * self.size) ** 2 * self.data.counts
        new, old = trial.squares + floor, self.plain.squares + floor
        seen = self.data.counts.sum(axis=0) > 0
        total = 0.5 * np.log(new.sum(axis=0)[seen] / old.sum(axis=0)[seen])
        with np.errstate(divide="ignore", invalid="ignore"):
            per_block = np.where(self.data.counts > 0, np.log(new / old), 0.0).sum(axis=1)
        return float(total.mean()) if seen.any() else 0.0, int(np.sum(per_block < 0.0))

    def _fold(self, system: Array) -> _Fold:
        p, mean = self.data.p, self.fit.prior.mean
        self.whole = getattr(self, "whole", system[:, :-1])
        H = system[np.ix_(self.base, self.base)].copy()
        precision = precision_of(self.fit)
        H[:p, :p] += precision
        H[range(p, len(H)), range(p, len(H))] *= 1.0 + RIDGE
        right = system[self.base, -1].copy()
        right[:p] += precision @ mean
        cross = system[np.ix_(self.base, np.arange(p, len(system)))]
        known = scaled_solve(H, np.column_stack([right, cross]))
        values, change = known[:, 0], known[:, 1:]
        left = system[p:, p:-1] - cross.T @ change
        return _Fold(values, change, left, system[p:, -1] - cross.T @ values)

    def _values(self, fold: _Fold, terms: list[int]) -> Array:
        made = np.zeros(self.data.p + self.data.terms)
        if not terms:
            made[self.base] = fold.values
            return made
        S = fold.left[np.ix_(terms, terms)]
        c = scaled_solve(S + RIDGE * np.diag(np.diag(S)), fold.right[terms])
        made[self.base] = fold.values - fold.change[:, terms] @ c
        made[self.data.p + np.array(terms)] += c
        return made

    def _errors(self, folds: Array) -> Array:
        data = self.data
        squares = np.zeros((BLOCKS, data.n))
        for j, at in enumerate(data.places):
            inner = at[: -data.n]
            for b in range(BLOCKS):
                v = np.zeros(len(at))
                v[: len(inner)] = folds[b][inner]
                v[len(inner) + j] = -1.0
                squares[b, j] = v @ data.grams[b][j] @ v
        return np.maximum(squares, 0.0)
