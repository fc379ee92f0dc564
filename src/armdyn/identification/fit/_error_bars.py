"""Error bars of a model that chose its terms, or has fewer than the truth.

The formula of least squares gives bars that are too narrow by a factor of two and more: residuals
are alike for seconds, and the right terms are not known. So several full models are fitted, each
with all terms, for different speeds at which friction fades, with sharp and with smooth reversals.
Each gets its own jackknife over blocks of time. For a value x of the reported model, with values
x_m of the full models and their mean,

    bar^2 = mean_m [ s_m^2 + (x_m - mean)^2 ] + (x - mean)^2

A full model has terms that the reported one has not. Its friction is projected on the reported
terms, weighted by the rows, so that the covariance also gives the bar of the friction curve. Where
the prior decides, the jackknife sees no spread; the prior's own is added, and is wider if the
estimate is further from the prior than its strength allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from armdyn.identification.fit._blocks import Blocks, Normal
from armdyn.identification.fit._columns import Model
from armdyn.identification.fit._regression import Prior
from armdyn.robot import FRICTION_TERMS

Array = NDArray[np.float64]

# Singular values below this share belong to directions that the rows do not show.
ROUNDING = 1e-9


def error_covariance(
    blocks: Blocks,
    normal: Normal,
    members: Sequence[Sequence[int]],
    prior: Prior,
    strength: float,
    model: Model,
    values: Array,
) -> Array:
    """Return the covariance ``(p, p)`` of the values of a model.

    Args:
        blocks: sums over the columns of the wide model.
        normal: their weighted normal equations.
        members: columns of each full model.
        prior: of the wide model.
        strength: of the prior.
        model: the reported model.
        values: its values ``(p,)``.
    """
    total = blocks.squares.sum(axis=0)
    centres: list[Array] = []
    spread = np.zeros((len(values), len(values)))
    for columns in members:
        S = np.array(columns)
        Q = _projection(blocks.model, model, S, total)
        fits = [_solved(normal, S, b) for b in (*range(blocks.count), None)]
        x = np.stack([Q @ beta for beta in fits[:-1]])
        off = x - x.mean(axis=0)
        spread += (blocks.count - 1) / blocks.count * off.T @ off
        spread += Q @ _by_prior(normal, S, prior, strength, fits[-1]) @ Q.T
        centres.append(Q @ fits[-1])
    spread /= len(members)
    mean = np.stack(centres).mean(axis=0)
    for x in centres:
        spread += np.outer(x - mean, x - mean) / len(centres)
    return cast(Array, spread + np.outer(values - mean, values - mean))


def _solved(normal: Normal, S: NDArray[np.int64], block: int | None) -> Array:
    H, g = normal.without(block)
    return np.linalg.solve(H[np.ix_(S, S)], g[S])


def _by_prior(
    normal: Normal, S: NDArray[np.int64], prior: Prior, strength: float, beta: Array
) -> Array:
    """Return the covariance that the prior's own uncertainty adds."""
    H, _ = normal.without(None)
    inverse = np.linalg.inv(H[np.ix_(S, S)])
    P = strength**2 * (prior.root.T @ prior.root)[np.ix_(S, S)]
    d = beta - prior.mean[S]
    determined = len(prior.root) - float(np.sum(inverse * P))
    wider = max(1.0, float(d @ P @ d) / max(determined, 1.0))
    return wider * inverse @ P @ inverse


def _projection(wide: Model, model: Model, S: NDArray[np.int64], total: Array) -> Array:
    """Return Q: parameters of the reported model for those of a full model, the columns S."""
    Q = np.zeros((len(model.columns), len(S)))
    place = {int(i): at for at, i in enumerate(S)}
    in_wide = {_key(c): i for i, c in reversed(list(enumerate(wide.columns)))}
    for i, column in enumerate(model.columns):
        if column.kind not in FRICTION_TERMS and in_wide[_key(column)] in place:
            Q[i, place[in_wide[_key(column)]]] = 1.0
    for j in range(model.n):
        ours = [i for i, c in enumerate(model.columns) if c.kind in FRICTION_TERMS and c.joint == j]
        theirs = [
            i
            for i in place
            if wide.columns[i].kind in FRICTION_TERMS and wide.columns[i].joint == j
        ]
        if not ours or not theirs:
            continue
        same = [in_wide[_key(model.columns[i])] for i in ours]
        G = total[j]
        size = np.sqrt(np.maximum(np.diag(G)[same], np.finfo(np.float64).tiny))
        inner = G[np.ix_(same, same)] / np.outer(size, size)
        mixed = G[np.ix_(same, theirs)] / size[:, None]
        inverse = cast(Array, np.linalg.pinv(inner, rcond=ROUNDING, hermitian=True))
        found = inverse @ mixed / size[:, None]
        Q[np.ix_(ours, [place[i] for i in theirs])] = found
    return Q


def _key(column: object) -> tuple[object, ...]:
    c = column
    return (c.name, c.kind, c.joint, c.shape, c.soft)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
