"""Weighted least squares from triangular factors, with weights from the data.

R_j is the factor of the rows [Y_j | tau_j] of joint j. The fit minimises

    sum_j |R_j [beta; -1]|^2 / w_j^2  +  s^2 |L (beta - mean)|^2

with w_j^2 = c_j sigma_j^2. sigma_j^2 is the variance of the residuals of joint j, and c_j is the
number of rows that are worth one independent row. Filtered rows, and the errors of a real model,
are correlated with their neighbours: without c_j the standard deviations would be too small. The
second sum is a prior, e.g. a CAD model. Its strength s is found like the weights: from the distance
of the estimate from the prior, compared with the distance that the data allow (the evidence
approximation of Bayesian regression). In directions that the data determine well the prior has no
weight; in directions that they do not excite the estimate stays at the prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.r_factor import r_factor
from armdyn.identification.tolerances import ROUNDING
from armdyn.numerics import scaled_inverse, scaled_pinv, scaled_solve

ROUNDS = 50
SETTLED = 1e-4
STRONGEST = 30.0
LEAST_SHARE = 0.2


@dataclass(frozen=True)
class Prior:
    """Expected parameters before the data are used.

    Attributes:
        mean: expected values, ``(p,)``.
        root: L, ``(m, p)``: L (beta - mean) is expected to have unit variance.
        fixed: the same for parameters whose spread is not adjusted, ``(f, p)``.
        weakest: lower bound of the strength.
    """

    mean: Array
    root: Array
    fixed: Array
    weakest: float


@dataclass(frozen=True)
class Fit:
    """What a regression found.

    Attributes:
        values: the parameters beta, ``(p,)``.
        covariance: of the parameters, ``(p, p)``.
        sigma: standard deviation of the residuals of every joint, ``(n,)``.
        weights: w_j, ``(n,)``: sigma_j times the root of c_j.
        strength: s, of the prior.
        determined: number of parameters that the data determine rather than the prior.
        r_factor: factor ``(p, p + 1)`` of all weighted rows, without the prior.
        prior: the prior in use; its rows are not multiplied by the strength.
    """

    values: Array
    covariance: Array
    sigma: Array
    weights: Array
    strength: float
    determined: float
    r_factor: Array
    prior: Prior

    @property
    def std(self) -> Array:
        """Standard deviations of the parameters."""
        return np.sqrt(np.diag(self.covariance))


def regress(
    factors: Sequence[Array],
    counts: Sequence[int],
    prior: Prior,
    *,
    correlation: Array | None = None,
    weights: Array | None = None,
    strength: float | None = None,
) -> Fit:
    """Fit the parameters.

    Args:
        factors: R_j ``(c, p + 1)`` of the rows of every joint.
        counts: numbers of rows in the factors.
        prior: where the parameters are expected.
        correlation: c_j of every joint; 1 if left out.
        weights: w_j to use as they are; found from the residuals if left out.
        strength: s to use as it is; found from the data if left out.
    """
    p, n = len(prior.mean), len(factors)
    c = np.ones(n) if correlation is None else correlation
    rows = np.array(counts, dtype=np.float64)
    grams = np.stack([R.T @ R for R in factors])
    squares = grams[:, p, p]
    size = squares / np.maximum(rows, 1.0)
    floor = ROUNDING * float(size.max()) or 1.0  # torques of zero: any weight does
    w = np.sqrt(c * np.maximum(size, floor))
    w = w if weights is None else np.asarray(weights, dtype=np.float64)
    s = 1.0 if strength is None else strength
    sigma, last = w, prior.mean
    for _ in range(ROUNDS):
        beta, cov = _normal(grams, w, prior, s)
        left = np.maximum(rows - c * _shares(cov, grams, w), LEAST_SHARE * np.maximum(rows, 1.0))
        misfit = np.array([_misfit(R, beta) for R in factors])
        sigma = np.sqrt(np.maximum(misfit / left, floor))
        if weights is None:
            w = np.sqrt(c) * sigma
        if strength is None:
            s = _strength(prior, beta, cov, s)
        moved, last = np.abs(beta - last), beta
        if (moved <= SETTLED * np.sqrt(np.diag(cov))).all():
            break
    stack = _stacked(factors, w, prior, s)
    inverse = scaled_pinv(stack[:p, :p])
    beta, cov = inverse @ stack[:p, p], inverse @ inverse.T
    data = r_factor(np.vstack([R / v for R, v in zip(factors, w, strict=True)]))
    return Fit(beta, cov, sigma, w, s, float(_shares(cov, grams, w).sum()), data, prior)


def _normal(grams: Array, w: Array, prior: Prior, s: float) -> tuple[Array, Array]:
    """Return values and covariance by normal equations; accurate enough to find the weights."""
    p = len(prior.mean)
    G = np.tensordot(w**-2, grams, axes=1)
    precision = s**2 * prior.root.T @ prior.root + prior.fixed.T @ prior.fixed
    H = G[:p, :p] + precision
    off = scaled_solve(H, G[:p, p] - G[:p, :p] @ prior.mean)
    return prior.mean + off, scaled_inverse(H)


def _shares(cov: Array, grams: Array, w: Array) -> Array:
    """Return how many parameters the rows of every joint determine."""
    p = len(cov)
    return np.einsum("ij,kij->k", cov, grams[:, :p, :p]) / w**2


def _stacked(factors: Sequence[Array], w: Array, prior: Prior, s: float) -> Array:
    rows = [R / v for R, v in zip(factors, w, strict=True)]
    for L in (s * prior.root, prior.fixed):
        rows.append(np.column_stack([L, L @ prior.mean]))
    return r_factor(np.vstack(rows))


def _misfit(R: Array, beta: Array) -> float:
    r = R[:, :-1] @ beta - R[:, -1]
    return float(r @ r)


def _strength(prior: Prior, beta: Array, cov: Array, s: float) -> float:
    L = prior.root
    off = float(np.sum((L @ (beta - prior.mean)) ** 2))
    seen = len(L) - s**2 * float(np.sum((L @ cov) * L))
    if off <= 0.0:
        return STRONGEST
    return float(np.clip(np.sqrt(max(seen, 0.0) / off), prior.weakest, STRONGEST))
