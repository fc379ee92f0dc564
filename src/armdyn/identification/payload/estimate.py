"""The estimate of a load and an honest error bar, with drive gains that may be wrong.

Everything here works on triangular factors of the rows, one for each joint and each of some twenty
blocks of time. The gains make the problem bilinear: Gauss-Newton steps rescale the load's columns.

The error bar has two parts. What the noise and all that the model lacks do to the estimate is seen
when blocks of time are left out in turn (a jackknife): residuals of real arms are not independent,
and the formula of least squares takes them for independent. What the data cannot show, because it
is the same all the time, comes from the priors: gains, and the arm's own model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.fit.correlation import correlation_lengths
from armdyn.identification.fit.r_factor import r_factor
from armdyn.identification.fit.regression import Fit, Prior, regress
from armdyn.identification.fit.segments import Rows
from armdyn.identification.tolerances import ROUNDING
from armdyn.numerics import ratio, scaled_root, scaled_solve

Mask = NDArray[np.bool_]

# Blocks of time of the jackknife.
BLOCKS = 20
FEWEST = 4

# This share of the variance of the gains is common to all drives: a wrong unit, one wrong constant.
COMMON = 2.0 / 3.0

# A joint feels the load if its torque is above this share of the largest one.
FELT = 0.02

# Gauss-Newton steps of the gains.
ROUNDS = 8
SETTLED = 1e-6

# A prior this weak has no weight.
WEAKEST = 1.0


@dataclass(frozen=True)
class Estimate:
    """What is known about a load.

    Attributes:
        load: its ten parameters.
        covariance: their uncertainty, all causes included ``(10, 10)``.
        root: W ``(10, 10)``; W^T W is the inverse of their covariance by the formula of least
            squares.
        gains: torque that every drive shows per torque that it has, ``(n,)``.
        gains_std: their standard deviations ``(n,)``.
        alone: the gain that every joint shows by itself, ``(n,)``: what its torques are per torque
            of the load; `alone_std`: its standard deviation.
        sigma: standard deviation of the residuals of every joint ``(n,)``.
    """

    load: Array
    covariance: Array
    root: Array
    gains: Array
    gains_std: Array
    alone: Array
    alone_std: Array
    sigma: Array


def block_factors(
    rows: Rows, targets: Sequence[Array], kept: Sequence[Mask]
) -> tuple[list[list[Array]], list[int]]:
    """Return R_j of every block and joint over all columns, and the rows of every joint."""
    model = rows.model
    p, block = len(model.columns), max(-(-rows.count // BLOCKS), 1)
    collected: list[list[list[Array]]] = [[[] for _ in range(model.n)] for _ in range(BLOCKS)]
    counts, done = [0] * model.n, 0
    for k, at, A in rows:
        number = (done + np.arange(len(A))) // block
        done += len(A)
        for b in np.unique(number):
            mine = number == b
            for j in range(model.n):
                use = mine & kept[k][at, j]
                wide = np.zeros((int(use.sum()), p + 1))
                wide[:, model.active[j]] = A[use][:, model.part(j)]
                wide[:, -1] = targets[k][at, j][use]
                collected[int(b)][j].append(wide)
                counts[j] += len(wide)
    empty = np.zeros((0, p + 1))
    made = [[r_factor(np.vstack([empty, *one])) for one in each] for each in collected]
    moving = [each for each in made if any(len(R) for R in each)]
    if len(moving) < FEWEST:
        raise InputError(
            "the joints hardly move in the logs: at rest friction hides the load. Record a motion."
        )
    return moving, counts


def gain_prior(n: int, gain_error: float) -> Array:
    """Return a root of the precision of n gains, of this standard deviation, ``(n, n)``."""
    covariance = gain_error**2 * (COMMON * np.ones((n, n)) + (1.0 - COMMON) * np.eye(n))
    return np.linalg.inv(np.linalg.cholesky(covariance)).astype(np.float64)


def estimate(
    rows: Rows,
    targets: Sequence[Array],
    kept: Sequence[Mask],
    prior: Prior,
    gain_error: float,
    start: Array,
) -> Estimate:
    """Return the load.

    Args:
        rows: the columns, see `load_model`; the first ten are those of the load.
        targets: the torques that they have to explain, of every segment.
        kept: which rows count.
        prior: of all columns.
        gain_error: standard deviation of the relative gains of the drives; 0: they are right.
        start: a first guess of the load's ten parameters.
    """
    blocks, counts = block_factors(rows, targets, kept)
    model = rows.model
    n, p = model.n, len(model.columns)
    wide = _with_gains(prior, n, gain_error) if gain_error > 0.0 else prior
    x, d = start.copy(), np.zeros(n)
    correlation = np.ones(n)
    fit: Fit | None = None
    for _ in range(ROUNDS):
        factors = [
            r_factor(np.vstack([_scaled(block[j], j, x, d, gain_error) for block in blocks]))
            for j in range(n)
        ]
        fit = regress(factors, counts, wide, correlation=correlation)
        moved = float(np.linalg.norm(fit.values[:10] - x)) / max(float(np.linalg.norm(x)), 1e-9)
        x = fit.values[:10].copy()
        d = fit.values[p:].copy() if gain_error > 0.0 else d
        correlation = _correlation(rows, targets, kept, fit.values[:p], d)
        if moved < SETTLED:
            break
    assert fit is not None
    spread, within = _jackknife(blocks, fit, x, d, gain_error)
    root = scaled_root(fit.covariance[:10, :10], ROUNDING).T
    return Estimate(
        x, spread[:10, :10] + within[:10, :10], root, 1.0 + d,
        np.sqrt(np.diag(spread + within)[p:]) if gain_error > 0.0 else np.zeros(n),
        *_alone(blocks, fit.values[:p]), fit.sigma,
    )  # fmt: skip


def _alone(blocks: list[list[Array]], values: Array) -> tuple[Array, Array]:
    """Return the gain that every joint shows by itself, and its deviation by a jackknife."""
    other = values.copy()
    other[:10] = 0.0
    sums = np.zeros((len(blocks), len(blocks[0]), 2))
    for b, block in enumerate(blocks):
        for j, R in enumerate(block):
            load = R[:, :10] @ values[:10]
            sums[b, j] = load @ load, load @ (R[:, -1] - R[:, :-1] @ other)
    total, B = sums.sum(axis=0), len(blocks)
    left = total - sums
    found = ratio(left[..., 1], left[..., 0], 1.0)
    std = np.sqrt((B - 1) / B * np.sum((found - found.mean(axis=0)) ** 2, axis=0))
    # a joint that hardly feels the load cannot disagree
    std[total[:, 0] < FELT**2 * total[:, 0].max()] = np.inf
    return ratio(total[:, 1], total[:, 0], 1.0), std


def _with_gains(prior: Prior, n: int, gain_error: float) -> Prior:
    p = len(prior.mean)
    none = np.zeros((len(prior.root), n))
    fixed = np.block(
        [
            [prior.fixed, np.zeros((len(prior.fixed), n))],
            [np.zeros((n, p)), gain_prior(n, gain_error)],
        ]
    )
    mean = np.concatenate([prior.mean, np.zeros(n)])
    return Prior(mean, np.hstack([prior.root, none]), fixed, prior.weakest)


def _scaled(R: Array, j: int, x: Array, d: Array, gain_error: float) -> Array:
    """Return a factor of joint j with the columns of the gains, linear about x and d."""
    if not gain_error > 0.0:
        return R
    p, n = R.shape[1] - 1, len(d)
    result = np.zeros((len(R), p + n + 1))
    result[:, :p] = R[:, :p]
    result[:, :10] *= 1.0 + d[j]
    result[:, p + j] = R[:, :10] @ x
    result[:, -1] = R[:, -1] + d[j] * result[:, p + j]
    return result


def _correlation(
    rows: Rows, targets: Sequence[Array], kept: Sequence[Mask], values: Array, d: Array
) -> Array:
    model = rows.model
    left = [target.copy() for target in targets]
    only = values.copy()
    only[10:] = 0.0
    for k, at, A in rows:
        left[k][at] -= model.torques(values, A) + d * model.torques(only, A)
    return correlation_lengths(left, kept)


def _jackknife(
    blocks: list[list[Array]], fit: Fit, x: Array, d: Array, gain_error: float
) -> tuple[Array, Array]:
    """Return the covariance by leaving out blocks, and the one that the priors leave."""
    P = fit.strength**2 * fit.prior.root.T @ fit.prior.root + fit.prior.fixed.T @ fit.prior.fixed
    grams: list[Array] = []
    for block in blocks:
        scaled = np.vstack(
            [_scaled(R, j, x, d, gain_error) / fit.weights[j] for j, R in enumerate(block)]
        )
        grams.append(scaled.T @ scaled)
    total = np.sum(grams, axis=0)
    known = P @ fit.prior.mean
    found = np.stack([_solved(total - G, P, known) for G in grams])
    B = len(blocks)
    off = found - found.mean(axis=0)
    spread = (B - 1) / max(B, 1) * off.T @ off
    C = fit.covariance
    return spread, C @ P @ C


def _solved(gram: Array, P: Array, known: Array) -> Array:
    p = len(known)
    H = gram[:p, :p] + P
    return scaled_solve(H, gram[:p, p] + known)
