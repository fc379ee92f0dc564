"""Fits of groups of columns whose priors the data give: the evidence framework [MacKay1992].

Every group of columns (a term of friction of a joint, a rotor, a tilt of gravity) has a prior
around zero of its own width. The widths, the strength of the description and the weights of the
joints are those under which the data are most probable. The width of a group that explains nothing
shrinks to zero, and the group is gone.

The significance of a group is the fall of the weighted sum of squares that it brings beside all
others: the square of its size in standard deviations. Weights contain the correlation of the
residuals, so residuals that are alike for seconds do not count as many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit.prior import WIDE
from armdyn.identification.fit.regression import LEAST_SHARE, STRONGEST, Prior
from armdyn.identification.tolerances import ROUNDING
from armdyn.numerics import ratio, scaled_inverse, scaled_solve

Index = NDArray[np.int64]

# Widths are shares of a joint's torque. They begin with this one; a smaller one is zero.
FIRST_WIDTH = 0.3
GONE = 1e-5
WIDEST = 10.0

# Rounds of finding widths, and the relative change that ends them.
ROUNDS = 60
SETTLED = 1e-2


@dataclass(frozen=True)
class Group:
    """Columns that come or go together.

    Attributes:
        columns: their indices.
        what: a term of friction by its short name, "rotor" or "tilt".
        joint: from 0; -1 for all joints.
        least: values must be larger, and
        most: smaller than this; else the group explains something else, and is dropped.
        forced: the group stays whatever the data say.
        beside: columns of every fit that must not be negative; else the group has taken their part,
            and it is dropped or they are zero.
    """

    columns: tuple[int, ...]
    what: str
    joint: int
    least: float = -np.inf
    most: float = np.inf
    forced: bool = False
    beside: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Sums:
    """The rows of a regression, as sums.

    Attributes:
        squares: X^T X of the rows [A | tau] of every joint, ``(n, p + 1, p + 1)``.
        counts: numbers of rows ``(n,)``.
        correlation: numbers of rows that are worth one ``(n,)``.
        weights: given weights ``(n,)``, or None to find them.
        strength: given strength of the description, or None to find it.
    """

    squares: Array
    counts: Array
    correlation: Array
    weights: Array | None = None
    strength: float | None = None


@dataclass(eq=False)
class Relevant:
    """A fit with groups of columns.

    Attributes:
        values: of all columns ``(p,)``; those not in the fit have the mean of the prior.
        columns: indices of the columns in the fit.
        covariance: of their values.
        groups: that are in the fit.
        widths: of their priors, as shares of a joint's torque.
        strength: of the description.
        weights: of the joints ``(n,)``.
    """

    values: Array
    columns: Index
    covariance: Array
    groups: list[Group]
    widths: dict[Group, float] = field(repr=False)
    strength: float
    weights: Array


class Evidence:
    """Fits of groups of columns whose widths the data give."""

    def __init__(self, sums: Sums, prior: Prior, always: Sequence[int]) -> None:
        """Prepare.

        Args:
            sums: the rows.
            prior: of all columns.
            always: columns of every fit.
        """
        self.sums, self.prior, self.always = sums, prior, tuple(always)
        self._links = prior.root.T @ prior.root
        self._fixed = np.diag(prior.fixed.T @ prior.fixed).copy()
        # the share of a joint's torque that a value of 1 makes; of rotors, in units of the prior
        self._unit = WIDE * np.sqrt(self._fixed)
        k = len(prior.root)
        spread = np.sqrt(np.diag(scaled_inverse(self._links[:k, :k])))
        self._unit[:k] = 1.0 / spread

    def fit(self, groups: Sequence[Group], start: Relevant | None = None) -> Relevant:
        """Return the fit of the most probable widths; groups of width zero are left out."""
        sums = self.sums
        widths = {g: start.widths.get(g, FIRST_WIDTH) if start else FIRST_WIDTH for g in groups}
        strength = sums.strength or (start.strength if start else 1.0)
        weights = start.weights if start else self._first_weights()
        for _ in range(ROUNDS):
            now = self.solved(widths, strength, weights)
            change = 0.0
            new = dict[Group, float]()
            for g, width in widths.items():
                wider = self._width(now, g, width)
                if wider > GONE or g.forced:
                    new[g] = max(wider, GONE)
                    change = max(change, abs(np.log(new[g] / width)))
                else:
                    change = np.inf
            if sums.strength is None:
                stronger = self._strength(now)
                change = max(change, abs(np.log(stronger / strength)))
                strength = stronger
            if sums.weights is None:
                heavier = self._weights(now, weights)
                change = max(change, float(np.abs(np.log(heavier / weights)).max()))
                weights = heavier
            widths = new
            if change < SETTLED:
                break
        return self.solved(widths, strength, weights)

    def without(self, column: int) -> Evidence:
        """Return fits without one of the columns of every fit."""
        return Evidence(self.sums, self.prior, [i for i in self.always if i != column])

    def significance(self, found: Relevant, group: Group) -> float:
        """Return by how much a group of a fit lowers the weighted sum of squares."""
        at = np.searchsorted(found.columns, group.columns)
        inner = scaled_inverse(found.covariance[np.ix_(at, at)])
        own = inner - np.diag(self._own(group, found.widths[group]))
        pull = inner @ found.values[list(group.columns)]
        return float(pull @ scaled_solve(own + ROUNDING * np.diag(np.diag(own)), pull))

    def like(self, found: Relevant, squares: Array) -> Relevant:
        """Return a fit with the same groups, widths and weights to other rows."""
        other = Evidence(replace(self.sums, squares=squares), self.prior, self.always)
        return other.solved(found.widths, found.strength, found.weights)

    def exchanged(self, found: Relevant, group: Group, other: Group) -> Relevant:
        """Return a fit with another group in place of one, of the same width."""
        widths = {other if g is group else g: width for g, width in found.widths.items()}
        return self.solved(widths, found.strength, found.weights)

    def misfit(self, found: Relevant) -> float:
        """Return the weighted sum of squares of residuals."""
        return float(self._misfits(found.values) @ found.weights**-2.0)

    def error(self, found: Relevant) -> float:
        """Return the relative error of the torques, the rms of the joints."""
        share = ratio(self._misfits(found.values), self.sums.squares[:, -1, -1], 1.0)
        return float(np.sqrt(np.mean(share)))

    def solved(self, widths: dict[Group, float], strength: float, weights: Array) -> Relevant:
        """Return the fit with groups of given widths."""
        p = len(self.prior.mean)
        columns = sorted({*self.always, *(i for g in widths for i in g.columns)})
        S = np.array(columns, dtype=np.int64)
        diagonal = self._fixed.copy()
        for g, width in widths.items():
            at = list(g.columns)
            diagonal[at] = self._own(g, width)
        P = strength**2 * self._links + np.diag(diagonal)
        G = np.tensordot(weights**-2.0, self.sums.squares, axes=1)
        H = G[:p, :p] + P
        rest = np.ones(p, dtype=bool)
        rest[S] = False
        mean = np.where(rest, self.prior.mean, 0.0)
        g = (G[:p, p] + P @ self.prior.mean - H @ mean)[S]
        covariance = scaled_inverse(H[np.ix_(S, S)])
        values = mean.copy()
        values[S] = covariance @ g
        return Relevant(values, S, covariance, list(widths), dict(widths), strength, weights)

    def _own(self, group: Group, width: float) -> Array:
        """Return the precision that the width of a group gives its columns."""
        return (self._unit[list(group.columns)] / width) ** 2

    def _width(self, now: Relevant, group: Group, width: float) -> float:
        at = np.searchsorted(now.columns, group.columns)
        determined = len(at) - float(np.diag(now.covariance)[at] @ self._own(group, width))
        values = (now.values - self.prior.mean)[list(group.columns)]
        size = float(np.sum((self._unit[list(group.columns)] * values) ** 2))
        return float(np.clip(np.sqrt(size / max(determined, 1e-9)), 0.0, WIDEST))

    def _strength(self, now: Relevant) -> float:
        k = len(self.prior.root)
        at = np.flatnonzero(now.columns < k)
        own = now.columns[at]
        off = (now.values - self.prior.mean)[:k]
        distance = float(off @ self._links[:k, :k] @ off)
        inner = now.covariance[np.ix_(at, at)] * self._links[np.ix_(own, own)]
        determined = len(at) - now.strength**2 * float(inner.sum())
        if distance <= 0.0:
            return STRONGEST
        found = np.sqrt(max(determined, 0.0) / distance)
        return float(np.clip(found, self.prior.weakest, STRONGEST))

    def _first_weights(self) -> Array:
        if self.sums.weights is not None:
            return self.sums.weights
        return self._rms(self.sums.squares[:, -1, -1], self.sums.counts)

    def _weights(self, now: Relevant, weights: Array) -> Array:
        S, c, counts = now.columns, self.sums.correlation, np.maximum(self.sums.counts, 1.0)
        inner = self.sums.squares[:, S[:, None], S]
        shares = np.einsum("ij,kij->k", now.covariance, inner) / weights**2
        left = np.maximum(counts - c * shares, LEAST_SHARE * counts)
        return self._rms(self._misfits(now.values), left)

    def _rms(self, squares: Array, counts: Array) -> Array:
        size = self.sums.squares[:, -1, -1] / np.maximum(self.sums.counts, 1.0)
        floor = ROUNDING * float(size.max()) or 1.0  # torques of zero: any weight does
        mean = np.maximum(squares / np.maximum(counts, 1.0), floor)
        return np.sqrt(self.sums.correlation * mean)

    def _misfits(self, values: Array) -> Array:
        x = np.append(values, -1.0)
        return np.maximum(np.einsum("i,kij,j->k", x, self.sums.squares, x), 0.0)
