"""Error bars of a model that chose its terms, or has fewer than the truth.

The formula of least squares gives bars that are too narrow by a factor of two and more: residuals
are alike for seconds, and the right terms are not known. So variances come from the scatter of
blocks of time, and there are two sources of them. One is the reported model alone. The other are
several full models, each with all terms, for different speeds at which friction fades, with sharp
and with smooth reversals. For a value x of the reported model, with values x_m of models m, their
variances s_m^2 and their mean,

    bar^2 = mean_m [ s_m^2 + (x_m - mean)^2 ] + max(0, (x - mean)^2 - mean_m s_m^2)

The last term is the distance of the reported value from the models that chance does not explain.
The reported model is mostly right, so it has most of the weight. The friction curve depends most on
the right terms: what the covariance lacks of its bars is added to the variance of a joint's dry
friction. Then the covariance gives honest bars of the curve at the speeds of the log.

A full model has terms that the reported one has not. Its friction is projected on the reported
terms, weighted by the rows. Where the prior decides, blocks have no scatter; the prior's own is
added, and is wider if the estimate is further from the prior than its strength allows.

If a rotor cannot be told from the links, the load of its gear contains the rotor's torque, and the
coefficient of friction under load is wrong by the share of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Column, Model, friction_rows, rotor_rows
from armdyn.identification.fit.fit import Selected
from armdyn.identification.fit.prior import description_precision
from armdyn.identification.fit.solver import Prior
from armdyn.identification.physical import Solution
from armdyn.numerics import RANK, ratio, scaled_inverse, scaled_root, scaled_solve
from armdyn.robot.friction import FRICTION_TERMS

# Speeds at which the friction curve is compared, as shares of the highest speed.
SPEEDS = (0.1, 0.2, 0.35, 0.6, 0.9)

# The weight of full models in the variances; chosen on seeds 300 to 329 of benchmarks/errorbars.py.
FULL = 0.11

# A load that may contain a rotor's torque, or not, is wrong by this share of it.
HALF = 0.5

# A block determines a direction at most up to this rest.
LEAST_LEFT = 1e-3


def error_covariance(selected: Selected, solution: Solution) -> Array:
    """Return the covariance ``(p, p)`` of the values of a solution."""
    fit, prior, model = selected.found.fit, selected.prior, selected.found.model
    strength, gram = fit.strength, selected.gram
    if solution.prior is not None and solution.expected is not None:
        P = model.base.matrix
        scaled = description_precision(len(prior.mean), P @ solution.prior @ P.T)
        mean = prior.mean.copy()
        mean[: model.k] = P @ solution.expected
        prior, strength = replace(prior, scaled=scaled, mean=mean), 1.0
    whole = selected.wide.model
    data = _Data(whole, gram.squares(), gram.counts, gram.weighted(fit.weights), prior, strength)
    own = sorted(_place(whole, column) for column in model.columns)
    values = solution.values
    alone, curve = _scatter(data, [own], model, values, selected.top)
    full, curves = _scatter(data, selected.wide.members, model, values, selected.top)
    covariance = (1.0 - FULL) * alone + FULL * full
    _inseparable(data, model, values, covariance)
    wanted = [(1.0 - FULL) * a + FULL * b for a, b in zip(curve.bars(), curves.bars(), strict=True)]
    return curve.widened(covariance, wanted)


@dataclass(frozen=True, eq=False)
class _Data:
    """The rows of the wide model.

    Attributes:
        model: its columns.
        total: X^T X of every joint ``(n, p + 1, p + 1)``.
        counts: numbers of rows ``(B, n)``.
        blocks: weighted normal equations of every block ``(B, p, p + 1)``.
        prior: of the columns.
        strength: of the prior.
    """

    model: Model
    total: Array
    counts: Array
    blocks: Array
    prior: Prior
    strength: float

    @cached_property
    def equations(self) -> tuple[Array, Array]:
        """H and g of all blocks and the prior."""
        whole, P = self.blocks.sum(axis=0), self.prior.precision(self.strength)
        return whole[:, :-1] + P, whole[:, -1] + P @ self.prior.mean


def _scatter(
    data: _Data, members: Sequence[Sequence[int]], model: Model, values: Array, top: Array
) -> tuple[Array, _Curves]:
    """Return the covariance of the values, and friction curves, by the scatter of some models."""
    centres: list[Array] = []
    drawn = _Curves(data, model, values, top)
    spread = np.zeros((len(values), len(values)))
    for columns in members:
        S = np.array(columns)
        Q = _projection(data.model, model, S, data.total)
        beta, off = block_deviations(data.blocks, data.equations, S)
        moved = off @ Q.T
        spread += moved.T @ moved
        spread += Q @ _by_prior(data, S, beta) @ Q.T
        centres.append(Q @ beta)
        drawn.add(S, beta, off)
    spread /= len(members)
    chance = np.diag(spread).copy()
    mean = np.stack(centres).mean(axis=0)
    for x in centres:
        spread += np.outer(x - mean, x - mean) / len(centres)
    off = values - mean
    off *= np.sqrt(np.maximum(1.0 - ratio(chance, off**2, 1.0), 0.0))
    return spread + np.outer(off, off), drawn


def _inseparable(data: _Data, model: Model, values: Array, covariance: Array) -> None:
    """Add the uncertainty of loads that contain the torque of a rotor."""
    if not model.base.rotor:
        return
    n, apart, total = model.n, rotor_rows(model.base), data.total
    for i, column in enumerate(model.columns):
        term, j = FRICTION_TERMS.get(column.kind), column.joint
        if term is None or not term.load or j in apart:
            continue
        at = _place(data.model, column)
        mixed = np.flatnonzero(model.base.matrix[:, 10 * n + j])
        inertial = np.abs(values[mixed]) * np.sqrt(total[j, mixed, mixed])
        share = min(float(ratio(inertial.sum(), np.sqrt(total[j, at, at]), 1.0)), 1.0)
        covariance[i, i] += (HALF * share * values[i]) ** 2


class _Curves:
    """Friction of every joint at some speeds, under the rms load, in the full models."""

    def __init__(self, data: _Data, model: Model, values: Array, top: Array) -> None:
        self.model, self.values = model, values
        v = np.outer(top, [*SPEEDS, *(-s for s in SPEEDS)])
        self.ours = [friction_rows(model, j, v[j]) for j in range(model.n)]
        self.theirs = [friction_rows(data.model, j, v[j]) for j in range(model.n)]
        total, counts = data.total, np.maximum(data.counts.sum(axis=0), 1.0)
        for one, rows in ((model, self.ours), (data.model, self.theirs)):
            for i, column in enumerate(one.columns):
                j = column.joint
                if column.kind in FRICTION_TERMS and FRICTION_TERMS[column.kind].load:
                    at = _place(data.model, column)
                    rows[j][:, i] *= np.sqrt(total[j, at, at] / counts[j])
        self.spread = [np.zeros(len(row)) for row in v]
        self.centres: list[list[Array]] = [[] for _ in v]

    def add(self, S: NDArray[np.int64], beta: Array, off: Array) -> None:
        """Add a full model: its values, and how each block moves them."""
        for j, rows in enumerate(self.theirs):
            self.spread[j] += np.sum((off @ rows[:, S].T) ** 2, axis=0)
            self.centres[j].append(rows[:, S] @ beta)

    def bars(self) -> list[Array]:
        """Return the variances of the curves of every joint, at all speeds."""
        found: list[Array] = []
        for j, rows in enumerate(self.ours):
            f = np.stack(self.centres[j])
            chance = self.spread[j] / len(f)
            off = np.maximum((rows @ self.values - f.mean(axis=0)) ** 2 - chance, 0.0)
            found.append(chance + f.var(axis=0) + off)
        return found

    def widened(self, covariance: Array, wanted: Sequence[Array]) -> Array:
        """Return a covariance that gives bars of the curves, on average over the speeds."""
        for j, rows in enumerate(self.ours):
            dry = [
                i
                for i, c in enumerate(self.model.columns)
                if c.joint == j and c.kind in FRICTION_TERMS and FRICTION_TERMS[c.kind].dry
                and not FRICTION_TERMS[c.kind].shape and not FRICTION_TERMS[c.kind].load
            ]  # fmt: skip
            if dry:
                given = np.einsum("vi,ij,vj->v", rows, covariance, rows)
                covariance[dry[0], dry[0]] += max(float((wanted[j] - given).mean()), 0.0)
        return covariance


def block_deviations(
    blocks: Array, equations: tuple[Array, Array], S: NDArray[np.int64]
) -> tuple[Array, Array]:
    """Return the values of the columns S, and how each block moves them, ``(B, len(S))``.

    The sum of the squares of the latter is the variance of the values. A block that has much weight
    has pulled the fit towards itself, and its residuals are too small; leaving the block out makes
    them too large. The root in between is right for independent errors [Bell2002].

    Args:
        blocks: weighted normal equations [H | g] of every block ``(B, p, p + 1)``.
        equations: H and g of all blocks and the prior.
        S: the columns.
    """
    H, g = equations
    root = scaled_root(H[np.ix_(S, S)], RANK**2)
    beta = root @ (root.T @ g[S])
    own = blocks[:, S]
    score = (own[:, :, -1] - own[:, :, S] @ beta) @ root
    share, U = np.linalg.eigh(root.T @ own[:, :, S] @ root)
    left = np.sqrt(np.maximum(1.0 - share, LEAST_LEFT))
    off = np.einsum("bik,bk->bi", U, np.einsum("bik,bi->bk", U, score) / left) @ root.T
    return beta, off


def _by_prior(data: _Data, S: NDArray[np.int64], beta: Array) -> Array:
    """Return the covariance that the prior's own uncertainty adds."""
    H, _ = data.equations
    prior, inverse = data.prior, scaled_inverse(H[np.ix_(S, S)])
    P = data.strength**2 * prior.scaled[np.ix_(S, S)]
    d = beta - prior.mean[S]
    determined = prior.count - float(np.sum(inverse * P))
    wider = max(1.0, float(d @ P @ d) / max(determined, 1.0))
    return wider * inverse @ P @ inverse


def _projection(wide: Model, model: Model, S: NDArray[np.int64], total: Array) -> Array:
    """Return Q: parameters of the reported model for those of a full model, the columns S."""
    Q = np.zeros((len(model.columns), len(S)))
    place = {int(i): at for at, i in enumerate(S)}
    for i, column in enumerate(model.columns):
        if (
            column.kind not in FRICTION_TERMS
            and (at := place.get(_place(wide, column))) is not None
        ):
            Q[i, at] = 1.0
    for j in range(model.n):
        ours = [i for i, c in enumerate(model.columns) if c.kind in FRICTION_TERMS and c.joint == j]
        theirs = [
            i
            for i in place
            if wide.columns[i].kind in FRICTION_TERMS and wide.columns[i].joint == j
        ]
        if not ours or not theirs:
            continue
        same = [_place(wide, model.columns[i]) for i in ours]
        G = total[j]
        found = scaled_solve(G[np.ix_(same, same)], G[np.ix_(same, theirs)], RANK)
        Q[np.ix_(ours, [place[i] for i in theirs])] = found
    return Q


def _place(wide: Model, column: Column) -> int:
    """Return the index of a column in the wide model."""
    return wide.columns.index(column)
