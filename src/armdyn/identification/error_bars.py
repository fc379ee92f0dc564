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
from armdyn.identification.fit.columns import Model, friction_rows, rotor_rows
from armdyn.identification.fit.fit import Selected
from armdyn.identification.fit.prior import description_precision
from armdyn.identification.fit.solver import Prior
from armdyn.identification.physical import Solution, friction_of_joint
from armdyn.numerics import RANK, ratio, scaled_inverse, scaled_root, scaled_solve

# Speeds at which the friction curve is compared, as shares of the highest speed.
SPEEDS = (0.1, 0.2, 0.35, 0.6, 0.9)

# The weight of full models in the variances; chosen with seeds 300 to 329, 2000 to 2059 and 3000 to
# 3059 of benchmarks/errorbars.py in view.
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
    wide, values, p = selected.wide, solution.values, len(solution.values)
    weighted = gram.weighted(fit.weights)
    data = _Data(model, wide.model, gram.squares(), gram.counts, weighted, prior, strength)
    curves = data.curves(model, selected.top)
    outputs = np.append(values, np.concatenate(curves) @ values)
    their_curves = np.concatenate(data.curves(wide.model, selected.top))
    alone = _scatter(data, [sorted(data.places)], their_curves, outputs)
    full = _scatter(data, wide.members, their_curves, outputs)
    both = (1.0 - FULL) * alone + FULL * full
    covariance, wanted = both[:p, :p], np.split(np.diag(both)[p:], model.n)
    _inseparable(data, values, covariance)
    for i in model.indices("coulomb"):
        j = model.columns[i].joint
        shown = np.einsum("vi,ij,vj->v", curves[j], covariance, curves[j])
        covariance[i, i] += max(float((wanted[j] - shown).mean()), 0.0)
    return covariance


@dataclass(frozen=True, eq=False)
class _Data:
    """The rows of the wide model.

    Attributes:
        model: the columns of the reported model.
        wide: those of the wide model.
        total: X^T X of every joint ``(n, p + 1, p + 1)``.
        counts: numbers of rows ``(B, n)``.
        blocks: weighted normal equations of every block ``(B, p, p + 1)``.
        prior: of the columns.
        strength: of the prior.
    """

    model: Model
    wide: Model
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

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """Indices of the reported columns in the wide model."""
        return np.array([self.wide.columns.index(column) for column in self.model.columns])

    def curves(self, model: Model, top: Array) -> list[Array]:
        """Return rows ``(V, p)`` of every joint: its friction at some speeds, under the rms load.

        Args:
            model: the columns.
            top: highest speeds ``(n,)``.
        """
        shares = np.array([*SPEEDS, *(-s for s in SPEEDS)])
        rows = [friction_rows(model, j, top[j] * shares) for j in range(model.n)]
        counts = np.maximum(self.counts.sum(axis=0), 1.0)
        for i in model.indices("load_friction"):
            j, at = model.columns[i].joint, self.wide.columns.index(model.columns[i])
            rows[j][:, i] *= np.sqrt(self.total[j, at, at] / counts[j])
        return rows


def _scatter(data: _Data, members: Sequence[Sequence[int]], curves: Array, outputs: Array) -> Array:
    """Return the covariance of values and friction curves by the scatter of some models.

    Args:
        data: the rows.
        members: the columns of each model.
        curves: rows of the friction curves, of the wide model.
        outputs: values of the reported model ``(p,)``, then its friction curves.
    """
    p = len(data.model.columns)
    centres: list[Array] = []
    spread = np.zeros((len(outputs), len(outputs)))
    for columns in members:
        S = np.array(columns)
        beta, off = block_deviations(data.blocks, data.equations, S)
        Q = _projection(data, S)
        M = np.concatenate([Q, curves[:, S]])
        moved = off @ M.T
        spread += moved.T @ moved
        spread[:p, :p] += Q @ _by_prior(data, S, beta) @ Q.T
        centres.append(M @ beta)
    spread /= len(members)
    chance = np.diag(spread).copy()
    mean = np.stack(centres).mean(axis=0)
    for x in centres:
        spread += np.outer(x - mean, x - mean) / len(centres)
    off = outputs - mean
    off *= np.sqrt(np.maximum(1.0 - ratio(chance, off**2, 1.0), 0.0))
    return spread + np.outer(off, off)


def _inseparable(data: _Data, values: Array, covariance: Array) -> None:
    """Add the uncertainty of loads that contain the torque of a rotor."""
    base, total = data.model.base, data.total
    for i in data.model.indices("load_friction") if base.rotor else ():
        j, at = data.model.columns[i].joint, data.places[i]
        if j not in rotor_rows(base):
            mixed = np.flatnonzero(base.matrix[:, 10 * data.model.n + j])
            inertial = np.abs(values[mixed]) * np.sqrt(total[j, mixed, mixed])
            share = min(float(ratio(inertial.sum(), np.sqrt(total[j, at, at]), 1.0)), 1.0)
            covariance[i, i] += (HALF * share * values[i]) ** 2


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


def _projection(data: _Data, S: NDArray[np.int64]) -> Array:
    """Return Q: parameters of the reported model for those of a full model, the columns S."""
    Q = (data.places[:, None] == S).astype(np.float64)
    for j, G in enumerate(data.total):
        ours = friction_of_joint(data.model, j)
        theirs = np.flatnonzero(np.isin(S, friction_of_joint(data.wide, j)))
        if ours:
            same = data.places[ours]
            onto = scaled_solve(G[np.ix_(same, same)], G[np.ix_(same, S[theirs])], RANK)
            Q[np.array(ours)[:, None], theirs] = onto
    return Q
