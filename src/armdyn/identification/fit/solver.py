"""The one solver of identification: weighted least squares with priors that the data scale.

For a set S of columns it minimises

    sum_j |X_j [beta; -1]|^2 / w_j^2  +  s^2 (beta - mean)^T Lambda (beta - mean)
        +  (beta - mean)^T F (beta - mean)  +  sum_g |u_g beta_g / width_g|^2

X_j are the rows of joint j, w_j^2 = c_j sigma_j^2 with the variance sigma_j^2 of its residuals, and
c_j is the number of rows that are worth one independent row: filtered rows, and the errors of a
real model, are correlated with their neighbours. Lambda is the prior of a description, and s its
strength. F is a prior that is not scaled. A group g of columns (a term of friction of a joint, a
rotor, a tilt of gravity) may have a width of its own. Columns that are not in S have the values of
the prior's mean.

Weights, strength and widths are those under which the data are most probable: the evidence
framework [MacKay1992]. In directions that the data determine well, the prior has no weight; in
directions that they do not excite, the estimate stays at the prior. The width of a group that
explains nothing shrinks to zero, and the group is gone.

The significance of a group is the fall of the weighted sum of squares that it brings beside all
other columns: the square of its size in standard deviations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.numerics import ROUNDING, ratio, scaled_inverse, scaled_solve

Indices = NDArray[np.int64]

# Friction and extra columns are expected within this multiple of the measured torques.
WIDE = 3.0

# Width of a group at the start, a width that is zero, and the largest one: shares of a joint's
# torque.
FIRST_WIDTH, GONE, WIDEST = 0.3, 1e-5, 10.0

# Upper bound of the strength of a description: it is right to 2 % of its masses.
STRONGEST = 30.0

# At least this share of the rows counts as left after parameters were fitted to them.
LEAST_SHARE = 0.2

# Most rounds of finding weights, strength and widths.
ROUNDS = 60

# Relative change of weights, strength and widths that ends the rounds; torques change by far less.
SETTLED = 1e-2


@dataclass(frozen=True, eq=False)
class Prior:
    """Expected parameters before the data are used.

    Attributes:
        mean: expected values ``(p,)``.
        scaled: precision Lambda ``(p, p)`` of a description, for a strength of 1.
        fixed: precision F ``(p, p)``.
        weakest: lower bound of the strength.
        count: number of parameters that Lambda is about.
    """

    mean: Array
    scaled: Array
    fixed: Array
    weakest: float
    count: int

    def precision(self, strength: float) -> Array:
        """Return the precision of all columns ``(p, p)``."""
        return strength**2 * self.scaled + self.fixed


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
class Fit:
    """A solution.

    Attributes:
        values: of all columns ``(p,)``.
        covariance: of all columns ``(p, p)``; zero for those that are not in the fit.
        columns: S, the indices of the columns in the fit.
        sigma: standard deviation of the residuals of every joint ``(n,)``.
        weights: w_j ``(n,)``: sigma_j times the root of c_j.
        strength: s, of the description.
        determined: number of parameters that the data determine rather than the prior.
        widths: of the groups in the fit, as shares of a joint's torque.
    """

    values: Array
    covariance: Array
    columns: Indices
    sigma: Array
    weights: Array
    strength: float
    determined: float
    widths: dict[Group, float] = field(repr=False)

    @property
    def groups(self) -> list[Group]:
        """The groups in the fit."""
        return list(self.widths)

    @property
    def std(self) -> Array:
        """Standard deviations of the parameters, by the formula of least squares."""
        return np.sqrt(np.diag(self.covariance))


@dataclass(frozen=True, eq=False)
class Solver:
    """Fits of sets of columns to the same rows.

    Attributes:
        squares: X^T X of the rows [columns | torque] of every joint, ``(n, p + 1, p + 1)``.
        counts: numbers of rows ``(n,)``.
        prior: of all columns.
        always: columns of every fit.
        correlation: c_j, numbers of rows that are worth one ``(n,)``.
        weights: given weights ``(n,)``, or None to find them.
        strength: given strength of the description, or None to find it.
    """

    squares: Array
    counts: Array
    prior: Prior
    always: tuple[int, ...]
    correlation: Array
    weights: Array | None = None
    strength: float | None = None

    def fit(
        self, groups: Sequence[Group] = (), start: Fit | None = None, settled: float = SETTLED
    ) -> Fit:
        """Return the fit of the most probable widths; groups of width zero are left out."""
        widths = {g: start.widths.get(g, FIRST_WIDTH) if start else FIRST_WIDTH for g in groups}
        strength = self.strength or (start.strength if start else 1.0)
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
            if self.strength is None:
                stronger = self._strength(now)
                change = max(change, abs(np.log(stronger / strength)))
                strength = stronger
            if self.weights is None:
                heavier = np.sqrt(self.correlation) * now.sigma
                change = max(change, float(np.abs(np.log(heavier / weights)).max()))
                weights = heavier
            widths = new
            if change < settled:
                break
        return self.solved(widths, strength, weights)

    def solved(self, widths: dict[Group, float], strength: float, weights: Array) -> Fit:
        """Return the fit with groups of given widths, a given strength and given weights."""
        p = len(self.prior.mean)
        S = np.array(sorted({*self.always, *(i for g in widths for i in g.columns)}), np.int64)
        precision = self.prior.precision(strength)
        for g, width in widths.items():
            at = list(g.columns)
            precision[at, at] += (self.units[at] / width) ** 2 - self.prior.fixed[at, at]
        G = np.tensordot(weights**-2.0, self.squares, axes=1)
        values, inverse = solution(G, precision, self.prior.mean, S)
        covariance = np.zeros((p, p))
        covariance[np.ix_(S, S)] = inverse
        shares = np.einsum("ij,kij->k", covariance, self.squares[:, :p, :p]) / weights**2
        left = self.counts - self.correlation * shares
        left = np.maximum(left, LEAST_SHARE * np.maximum(self.counts, 1.0))
        sigma = np.sqrt(np.maximum(self.misfits(values) / left, self._floor))
        return Fit(
            values, covariance, S, sigma, weights, strength, float(shares.sum()), dict(widths)
        )

    def without(self, column: int) -> Solver:
        """Return fits without one of the columns of every fit."""
        return replace(self, always=tuple(i for i in self.always if i != column))

    def significance(self, found: Fit, group: Group) -> float:
        """Return by how much a group of a fit lowers the weighted sum of squares."""
        at = list(group.columns)
        inner = scaled_inverse(found.covariance[np.ix_(at, at)])
        own = inner - np.diag((self.units[at] / found.widths[group]) ** 2)
        pull = inner @ found.values[at]
        return float(pull @ scaled_solve(own + ROUNDING * np.diag(np.diag(own)), pull))

    def like(self, found: Fit, squares: Array) -> Fit:
        """Return a fit with the same groups, widths and weights to other rows."""
        other = replace(self, squares=squares)
        return other.solved(found.widths, found.strength, found.weights)

    def exchanged(self, found: Fit, group: Group, other: Group) -> Fit:
        """Return a fit with another group in place of one, of the same width."""
        widths = {other if g is group else g: width for g, width in found.widths.items()}
        return self.solved(widths, found.strength, found.weights)

    def misfit(self, found: Fit) -> float:
        """Return the weighted sum of squares of residuals."""
        return float(self.misfits(found.values) @ found.weights**-2.0)

    def misfits(self, values: Array) -> Array:
        """Return the sum of squares of residuals of every joint ``(n,)``."""
        x = np.append(values, -1.0)
        return np.maximum(np.einsum("i,kij,j->k", x, self.squares, x), 0.0)

    def error(self, found: Fit) -> float:
        """Return the relative error of the torques, the rms of the joints."""
        share = ratio(self.misfits(found.values), self.squares[:, -1, -1], 1.0)
        return float(np.sqrt(np.mean(share)))

    @cached_property
    def units(self) -> Array:
        """Share of a joint's torque that a value of 1 makes; of links, of the prior's spread."""
        unit = WIDE * np.sqrt(np.diag(self.prior.fixed))
        described = np.flatnonzero(np.diag(self.prior.scaled))
        inner = self.prior.scaled[np.ix_(described, described)]
        unit[described] = 1.0 / np.sqrt(np.diag(scaled_inverse(inner)))
        return unit

    @cached_property
    def _floor(self) -> float:
        """The least variance of residuals: rounding of the largest torque."""
        size = self.squares[:, -1, -1] / np.maximum(self.counts, 1.0)
        return ROUNDING * float(size.max()) or 1.0  # torques of zero: any weight does

    def _first_weights(self) -> Array:
        if self.weights is not None:
            return self.weights
        size = self.squares[:, -1, -1] / np.maximum(self.counts, 1.0)
        return np.sqrt(self.correlation * np.maximum(size, self._floor))

    def _width(self, now: Fit, group: Group, width: float) -> float:
        at = list(group.columns)
        own = (self.units[at] / width) ** 2
        determined = len(at) - float(np.diag(now.covariance)[at] @ own)
        off = (now.values - self.prior.mean)[at]
        size = float(np.sum((self.units[at] * off) ** 2))
        return float(np.clip(np.sqrt(size / max(determined, 1e-9)), 0.0, WIDEST))

    def _strength(self, now: Fit) -> float:
        prior = self.prior
        off = now.values - prior.mean
        distance = float(off @ prior.scaled @ off)
        if distance <= 0.0:
            return STRONGEST
        inside = int(np.count_nonzero(np.diag(prior.scaled)[now.columns]))
        determined = inside - now.strength**2 * float(np.sum(now.covariance * prior.scaled))
        found = np.sqrt(max(determined, 0.0) / distance)
        return float(np.clip(found, prior.weakest, STRONGEST))


def solution(
    G: Array, precision: Array, mean: Array, columns: Indices | None = None
) -> tuple[Array, Array]:
    """Solve weighted normal equations with a prior.

    Args:
        G: ``(p + 1, p + 1)``, or ``(p, p + 1)`` without the last row: [H | g] of the data.
        precision: of the prior ``(p, p)``.
        mean: of the prior ``(p,)``.
        columns: S, the columns in the fit; all if left out. Others keep the prior's mean.

    Returns:
        The values of all columns ``(p,)``, and the covariance of those in S.
    """
    p = len(mean)
    S = np.arange(p) if columns is None else columns
    H = G[:p, :p] + precision
    rest = mean.copy()
    rest[S] = 0.0
    g = G[:p, p] + precision @ mean - H @ rest
    covariance = scaled_inverse(H[np.ix_(S, S)])
    values = rest
    values[S] = covariance @ g[S]
    return values, covariance
