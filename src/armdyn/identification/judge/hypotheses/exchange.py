"""Torques of the wrong sign, or of the wrong joint: fits with torques exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.regression import Fit
from armdyn.identification.judge.hypotheses.refits import precision_of, weights_of
from armdyn.identification.judge.hypotheses.time_blocks import BLOCKS, TimeBlocks
from armdyn.numerics import ratio, scaled_solve

# A joint's weight follows its error, this many times.
ROUNDS = 3

# A joint's error counts at least as this share of the size of its torques.
LEAST_ERROR = 1e-3


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


def errors_with(data: TimeBlocks, fit: Fit, size: Array, what: Exchange) -> Array:
    """Return squared errors ``(blocks, n)`` on blocks that are left out, relative to the torques.

    The weights of the joints follow their errors.
    """
    weights = weights_of(fit)
    root = ratio(weights, fit.sigma, 1.0)
    counts = np.maximum(data.counts.sum(axis=0), 1.0)
    squares = np.zeros((BLOCKS, data.n))
    for _ in range(ROUNDS):
        folds = _solved(data, fit, weights, what)
        for j, at in enumerate(data.places):
            k = int(np.searchsorted(at, data.p))
            for b in range(BLOCKS):
                v = np.zeros(len(at))
                v[:k] = folds[b][at[:k]]
                v[len(at) - data.n + what.order[j]] = -what.signs[j]
                squares[b, j] = max(float(v @ data.grams[b][j] @ v), 0.0)
        sigma = np.sqrt(squares.sum(axis=0) / counts)
        weights = root * np.maximum(sigma, LEAST_ERROR * size)
    return squares


def _solved(data: TimeBlocks, fit: Fit, weights: Array, what: Exchange) -> list[Array]:
    p, mean = data.p, fit.prior.mean
    per_block = np.zeros((BLOCKS, p, p + 1))
    for j, at in enumerate(data.places):
        k = int(np.searchsorted(at, p))
        mine = np.ix_(at[:k], at[:k])
        target = len(at) - data.n + what.order[j]
        for b in range(BLOCKS):
            G = data.grams[b][j] / weights[j] ** 2
            per_block[b][mine] += G[:k, :k]
            per_block[b][at[:k], -1] += what.signs[j] * G[:k, target]
    precision = precision_of(fit)
    whole = per_block.sum(axis=0)
    folds: list[Array] = []
    for b in range(BLOCKS):
        left: Array = whole - per_block[b]
        H = left[:, :p] + precision
        folds.append(scaled_solve(H, left[:, p] + precision @ mean))
    return folds


def candidates(n: int) -> Sequence[Exchange]:
    """Return single flips, the flip of all joints, and swaps of two."""
    same, plus = tuple(range(n)), (1.0,) * n
    listed = [Exchange(same, tuple(-1.0 if i == j else 1.0 for i in range(n))) for j in range(n)]
    listed.append(Exchange(same, (-1.0,) * n))
    for i, j in combinations(range(n), 2):
        order = list(same)
        order[i], order[j] = j, i
        listed.append(Exchange(tuple(order), plus))
    return listed
