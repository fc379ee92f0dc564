"""The estimate of a load and an honest error bar, with drive gains that may be wrong.

Everything here works on Gram matrices of the rows, one for each joint and block of time. The gains
make the problem bilinear: Gauss-Newton steps rescale the load's columns.

The error bar has two parts. What the noise and all that the model lacks do to the estimate is seen
when blocks of time are left out in turn (a jackknife): residuals of real arms are not independent,
and the formula of least squares takes them for independent. What the data cannot show, because it
is the same all the time, comes from the priors: gains, and the arm's own model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.fit.correlation import correlation_lengths
from armdyn.identification.fit.gram import Gram, gram_of
from armdyn.identification.fit.rows import Rows
from armdyn.identification.fit.solver import Fit, Prior, Solver, solution
from armdyn.identification.tolerances import ROUNDING
from armdyn.numerics import ratio, scaled_root
from armdyn.progress import silent

Mask = NDArray[np.bool_]

# Blocks of time in which joints must move, for a jackknife over them.
FEWEST = 4

# This share of the variance of the gains is common to all drives: a wrong unit, one wrong constant.
COMMON = 2.0 / 3.0

# A joint feels the load if its torque is above this share of the largest one.
FELT = 0.02

# Gauss-Newton steps of the gains.
ROUNDS = 8
SETTLED = 1e-6

# Relative change of weights that ends the rounds of a fit.
EXACT = 1e-4


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


def moving_blocks(rows: Rows, targets: Sequence[Array], kept: Sequence[Mask]) -> Gram:
    """Return the Gram matrices of the blocks of time in which joints move."""
    gram = gram_of(rows, targets, kept, silent)
    moving = gram.counts.sum(axis=1) > 0.0
    if moving.sum() < FEWEST:
        raise InputError(
            "the joints hardly move in the logs: at rest friction hides the load. Record a motion."
        )
    return gram.part(moving)


def joint_squares(gram: Gram) -> Array:
    """Return X^T X of the rows [columns | torque] of blocks and joints, ``(B, n, p+1, p+1)``."""
    return np.stack([gram.part(slice(b, b + 1)).squares() for b in range(gram.blocks)])


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
    gram = moving_blocks(rows, targets, kept)
    blocks, counts = joint_squares(gram), gram.counts.sum(axis=0)
    model = rows.model
    n, p = model.n, len(model.columns)
    wide = _with_gains(prior, n, gain_error) if gain_error > 0.0 else prior
    x, d = start.copy(), np.zeros(n)
    every = tuple(range(len(wide.mean)))
    solver = Solver(blocks.sum(axis=0), counts, wide, every, np.ones(n))
    fit: Fit | None = None
    for _ in range(ROUNDS):
        solver = replace(solver, squares=_scaled(blocks, x, d, gain_error).sum(axis=0))
        fit = solver.fit(settled=EXACT)
        moved = float(np.linalg.norm(fit.values[:10] - x)) / max(float(np.linalg.norm(x)), 1e-9)
        x = fit.values[:10].copy()
        d = fit.values[p:].copy() if gain_error > 0.0 else d
        c = _correlation(rows, targets, kept, fit.values[:p], d)
        solver = replace(solver, correlation=c)
        if moved < SETTLED:
            break
    assert fit is not None
    spread, within = _jackknife(_scaled(blocks, x, d, gain_error), fit, wide)
    root = scaled_root(fit.covariance[:10, :10], ROUNDING).T
    return Estimate(
        x, spread[:10, :10] + within[:10, :10], root, 1.0 + d,
        np.sqrt(np.diag(spread + within)[p:]) if gain_error > 0.0 else np.zeros(n),
        *_alone(blocks, fit.values[:p]), fit.sigma,
    )  # fmt: skip


def _alone(blocks: Array, values: Array) -> tuple[Array, Array]:
    """Return the gain that every joint shows by itself, and its deviation by a jackknife."""
    load, left = np.zeros((2, len(values) + 1))
    load[:10], left[10:-1], left[-1] = values[:10], -values[10:], 1.0
    with_load = blocks @ load
    sums = np.stack([with_load @ load, with_load @ left], axis=2)
    total, B = sums.sum(axis=0), len(blocks)
    left = total - sums
    found = ratio(left[..., 1], left[..., 0], 1.0)
    std = np.sqrt((B - 1) / B * np.sum((found - found.mean(axis=0)) ** 2, axis=0))
    # a joint that hardly feels the load cannot disagree
    std[total[:, 0] < FELT**2 * total[:, 0].max()] = np.inf
    return ratio(total[:, 1], total[:, 0], 1.0), std


def _with_gains(prior: Prior, n: int, gain_error: float) -> Prior:
    p = len(prior.mean)
    scaled, fixed = np.zeros((2, p + n, p + n))
    scaled[:p, :p], fixed[:p, :p] = prior.scaled, prior.fixed
    root = gain_prior(n, gain_error)
    fixed[p:, p:] = root.T @ root
    mean = np.concatenate([prior.mean, np.zeros(n)])
    return replace(prior, mean=mean, scaled=scaled, fixed=fixed)


def _scaled(blocks: Array, x: Array, d: Array, gain_error: float) -> Array:
    """Return the blocks with the columns of the gains, linear about x and d."""
    if not gain_error > 0.0:
        return blocks
    n, p = len(d), blocks.shape[-1] - 1
    made = np.empty((len(blocks), n, p + n + 1, p + n + 1))
    for j in range(n):
        M = np.zeros((p + 1, p + n + 1))  # new columns from old ones
        M[:p, :p] = np.eye(p)
        M[:10, :10] *= 1.0 + d[j]
        M[:10, p + j] = x
        M[:10, -1], M[p, -1] = d[j] * x, 1.0
        made[:, j] = M.T @ blocks[:, j] @ M
    return made


def _correlation(
    rows: Rows, targets: Sequence[Array], kept: Sequence[Mask], values: Array, d: Array
) -> Array:
    only = values.copy()
    only[10:] = 0.0
    both = zip(targets, rows.torques(values), rows.torques(only), strict=True)
    return correlation_lengths([tau - ours - d * load for tau, ours, load in both], kept)


def _jackknife(blocks: Array, fit: Fit, prior: Prior) -> tuple[Array, Array]:
    """Return the covariance by leaving out blocks, and the one that the priors leave."""
    P = prior.precision(fit.strength)
    grams = np.tensordot(blocks, fit.weights**-2.0, axes=([1], [0]))
    whole = grams.sum(axis=0)
    found = np.stack([solution(whole - G, P, prior.mean)[0] for G in grams])
    off, B = found - found.mean(axis=0), len(grams)
    return (B - 1) / B * off.T @ off, fit.covariance @ P @ fit.covariance
