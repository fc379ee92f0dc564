"""From rows to parameters: factors, weights, correlated residuals, outliers.

Outliers are clipped in the samples of the log, before the filter spreads them over several rows. If
the residual of a sample exceeds `CLIP` robust standard deviations, the sample is pulled in to that
distance, and the fit is repeated. This is Huber's estimate, by pseudo-values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.correlation import correlation_lengths, noise_shares
from armdyn.identification.fit.groups import Work
from armdyn.identification.fit.prior import Expected, prior_of
from armdyn.identification.fit.r_factor import RFactor
from armdyn.identification.fit.regression import Fit, Prior, regress
from armdyn.identification.fit.segments import FilteredSegment, Rows, sample
from armdyn.progress import Progress

Mask = NDArray[np.bool_]

CLIP = 4.0
GAUSSIAN_MAD = 1.4826
ROBUST_ROUNDS = 3
FEWEST_CLIPPED = 0.005
CORRELATION_ROUNDS = 3


@dataclass(frozen=True)
class Settings:
    """How to fit.

    Attributes:
        dead_band: rows of a joint slower than this do not count, ``(n,)``.
        robust: pull in outliers.
        weights: fixed weights of the joints, or None to find them.
        strength: fixed strength of the prior, or None to find it.
    """

    dead_band: Array
    robust: bool
    weights: Array | None
    strength: float | None


@dataclass(frozen=True)
class Fitted:
    """A fit and its data.

    Attributes:
        fit: the regression.
        factors: R_j of every joint, over all columns.
        counts: numbers of rows of every joint.
        correlation: number of rows that are worth one independent row, of every joint.
        clipped: share of the samples of every joint that were pulled in.
        targets: filtered torques of every segment, outliers pulled in.
        kept: which rows count, of every segment ``(M, n)``.
        noise: share of white noise in the residuals of every joint, ``(n,)``.
    """

    fit: Fit
    factors: list[Array]
    counts: list[int]
    correlation: Array
    clipped: Array
    targets: list[Array]
    kept: list[Mask]
    noise: Array


def fitted(
    model: Model, rows: Rows, natural: Expected, settings: Settings, progress: Progress
) -> Fitted:
    """Fit the parameters of a model to rows."""
    parts = rows.parts
    kept = [
        np.abs(model.of_drives(part.at_centres(part.qd))) > settings.dead_band for part in parts
    ]
    clipped = np.zeros(model.n)
    targets = [part.filtered(part.tau) for part in parts]
    factors, counts = factors_of(rows, targets, kept, progress)
    squares = np.stack([R.T @ R for R in factors])
    prior = prior_from_sizes(model, natural, squares, np.array(counts, dtype=np.float64))
    fit, correlation = _weighted(rows, targets, kept, factors, counts, prior, settings)
    for _ in range(ROBUST_ROUNDS if settings.robust else 0):
        reach, share = _reach(model, parts, fit.values)
        progress(1, 1, "outliers")
        if not (share > FEWEST_CLIPPED).any() or np.allclose(share, clipped, rtol=0.02):
            break
        clipped = share
        targets = rows.collected(_pulled_in, (fit.values, reach))
        factors, counts = factors_of(rows, targets, kept, progress)
        fit, correlation = _weighted(rows, targets, kept, factors, counts, prior, settings)
    noise = noise_shares(_residuals(rows, targets, fit.values), kept)
    return Fitted(fit, factors, counts, correlation, clipped, targets, kept, noise)


def factors_of(
    rows: Rows, targets: Sequence[Array], kept: Sequence[Mask], progress: Progress
) -> tuple[list[Array], list[int]]:
    """Return R_j ``(c, p + 1)`` over all columns, and the number of rows, of every joint."""
    model = rows.model
    made = [RFactor(len(active)) for active in model.active]
    for group, found in rows.each(_group_factors, targets, kept):
        for factor, one in zip(made, found, strict=True):
            factor.merge(*one)
        progress(group.start + group.count, rows.count, "regressor")
    full: list[Array] = []
    for factor, active in zip(made, model.active, strict=True):
        R = factor.factor()
        wide = np.zeros((len(R), len(model.columns) + 1))
        wide[:, active] = R[:, :-1]
        wide[:, -1] = R[:, -1]
        full.append(wide)
    return full, [factor.count for factor in made]


def _group_factors(work: Work, targets: Array, kept: Mask) -> list[tuple[Array, int]]:
    """Return the factor of every joint's rows in a group, and their number."""
    model = work.model
    made = [RFactor(len(active)) for active in model.active]
    for at, A in work.rows():
        for j, factor in enumerate(made):
            use = kept[at, j]
            factor.add(A[:, model.part(j)][use], targets[at, j][use])
    return [(factor.factor(), factor.count) for factor in made]


def prior_from_sizes(model: Model, natural: Expected, squares: Array, counts: Array) -> Prior:
    """Return the prior of all columns.

    Args:
        model: the columns.
        natural: the prior of natural parameters.
        squares: X^T X of the rows [A | tau] of every joint, ``(n, p + 1, p + 1)``.
        counts: numbers of rows ``(n,)``.
    """
    n = np.maximum(counts, 1.0)
    size = np.sqrt(np.diagonal(squares, axis1=1, axis2=2) / n[:, None])
    column = np.zeros(len(model.columns))
    for i, one in enumerate(model.columns[model.k :], model.k):
        column[i] = max(size[j, i] for j in one.joints)
    return prior_of(model, natural, size[:, -1], column)


def _weighted(
    rows: Rows,
    targets: Sequence[Array],
    kept: Sequence[Mask],
    factors: Sequence[Array],
    counts: Sequence[int],
    prior: Prior,
    settings: Settings,
) -> tuple[Fit, Array]:
    correlation = np.ones(rows.model.n)
    given = {"weights": settings.weights, "strength": settings.strength}
    fit = regress(factors, counts, prior, correlation=correlation, **given)  # pyright: ignore[reportArgumentType]
    for _ in range(CORRELATION_ROUNDS):
        correlation = correlation_lengths(_residuals(rows, targets, fit.values), kept)
        fit = regress(factors, counts, prior, correlation=correlation, **given)  # pyright: ignore[reportArgumentType]
    return fit, correlation


def _residuals(rows: Rows, targets: Sequence[Array], values: Array) -> list[Array]:
    residuals = [target.copy() for target in targets]
    for group, ours in rows.each(group_torques, given=(values,)):
        residuals[group.segment][group.rows] -= ours
    return residuals


def group_torques(work: Work, values: Array) -> Array:
    """Return the torques of a model ``(m, n)`` for the rows of a group."""
    return np.concatenate([work.model.torques(values, A) for _, A in work.rows()])


def _reach(model: Model, parts: Sequence[FilteredSegment], values: Array) -> tuple[Array, Array]:
    """Return the allowed distance of samples from the model, and the share beyond it."""
    size = np.concatenate(
        [np.abs(x.tau - model.predicted(values, x.q, x.qd, x.qdd)) for x in sample(parts)]
    )
    reach = CLIP * GAUSSIAN_MAD * np.median(size, axis=0)
    return reach, (size > reach).mean(axis=0)


def _pulled_in(work: Work, values: Array, reach: Array) -> Array:
    """Return the rows of torques with outliers pulled in."""
    ours = ((work.model.predicted(values, x.q, x.qd, x.qdd), x.tau) for _, x in work.blocks())
    return work.filtered(torque + np.clip(tau - torque, -reach, reach) for torque, tau in ours)
