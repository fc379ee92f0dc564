"""Error bars of a model that chose its terms, or has fewer than the truth.

The formula of least squares gives bars that are too narrow by a factor of two and more: residuals
are alike for seconds, and the right terms are not known. So several full models are fitted, each
with all terms, for different speeds at which friction fades, with sharp and with smooth reversals.
Each gets its own jackknife over blocks of time. For a value x of the reported model, with values
x_m of the full models and their mean,

    bar^2 = mean_m [ s_m^2 + (x_m - mean)^2 ] + max(0, (x - mean)^2 - mean_m s_m^2)

The last term is the distance of the reported value from the full models that chance does not
explain.

A full model has terms that the reported one has not. Its friction is projected on the reported
terms, weighted by the rows. What the projection loses is added to the variance of a joint's dry
friction: then the covariance gives honest bars of the friction curve at the speeds of the log.
Where the prior decides, the jackknife sees no spread; the prior's own is added, and is wider if the
estimate is further from the prior than its strength allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from armdyn.identification._tolerances import TINY
from armdyn.identification.fit._blocks import Blocks, Normal
from armdyn.identification.fit._columns import Column, Model, friction_rows
from armdyn.identification.fit._regression import Prior
from armdyn.robot import FRICTION_TERMS

Array = NDArray[np.float64]

# Speeds at which the friction curve is compared, as shares of the highest speed.
SPEEDS = (0.1, 0.2, 0.35, 0.6, 0.9)

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
    top: Array,
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
        top: highest speed of every drive, ``(n,)``.
    """
    total = blocks.squares.sum(axis=0)
    centres: list[Array] = []
    drawn = _Curves(blocks, model, values, top)
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
        drawn.add(S, fits)
    spread /= len(members)
    chance = np.diag(spread).copy()
    mean = np.stack(centres).mean(axis=0)
    for x in centres:
        spread += np.outer(x - mean, x - mean) / len(centres)
    off = values - mean
    off *= np.sqrt(np.maximum(1.0 - chance / np.maximum(off**2, TINY), 0.0))
    spread += np.outer(off, off)
    return drawn.widened(spread)


class _Curves:
    """Friction of every joint at some speeds, under the rms load, in the full models."""

    def __init__(self, blocks: Blocks, model: Model, values: Array, top: Array) -> None:
        self.blocks, self.model, self.values = blocks, model, values
        v = np.outer(top, [*SPEEDS, *(-s for s in SPEEDS)])
        self.ours = [friction_rows(model, j, v[j]) for j in range(model.n)]
        self.theirs = [friction_rows(blocks.model, j, v[j]) for j in range(model.n)]
        total, counts = blocks.squares.sum(axis=0), np.maximum(blocks.counts.sum(axis=0), 1.0)
        for one, rows in ((model, self.ours), (blocks.model, self.theirs)):
            for i, column in enumerate(one.columns):
                j = column.joint
                if column.kind in FRICTION_TERMS and FRICTION_TERMS[column.kind].load:
                    at = _place(blocks.model, column)
                    rows[j][:, i] *= np.sqrt(total[j, at, at] / counts[j])
        self.spread = [np.zeros(len(row)) for row in v]
        self.centres: list[list[Array]] = [[] for _ in v]

    def add(self, S: NDArray[np.int64], fits: Sequence[Array]) -> None:
        """Add a full model: its fits without a block each, and with all."""
        count = self.blocks.count
        for j, rows in enumerate(self.theirs):
            f = np.stack([rows[:, S] @ beta for beta in fits])
            self.spread[j] += (count - 1) * f[:-1].var(axis=0)
            self.centres[j].append(f[-1])

    def widened(self, covariance: Array) -> Array:
        """Return a covariance that gives the bars of the curves, on average over the speeds."""
        for j, rows in enumerate(self.ours):
            dry = [
                i
                for i, c in enumerate(self.model.columns)
                if c.joint == j and c.kind in FRICTION_TERMS and FRICTION_TERMS[c.kind].dry
                and not FRICTION_TERMS[c.kind].shape and not FRICTION_TERMS[c.kind].load
            ]  # fmt: skip
            if not dry:
                continue
            f = np.stack(self.centres[j])
            mean = f.mean(axis=0)
            chance = self.spread[j] / len(f)
            off = np.maximum((rows @ self.values - mean) ** 2 - chance, 0.0)
            wanted = chance + f.var(axis=0) + off
            given = np.einsum("vi,ij,vj->v", rows, covariance, rows)
            covariance[dry[0], dry[0]] += max(float((wanted - given).mean()), 0.0)
        return covariance


def _solved(normal: Normal, S: NDArray[np.int64], block: int | None) -> Array:
    H, g = normal.without(block)
    return cast(Array, np.linalg.solve(H[np.ix_(S, S)], g[S]))


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
        size = np.sqrt(np.maximum(np.diag(G)[same], np.finfo(np.float64).tiny))
        inner = G[np.ix_(same, same)] / np.outer(size, size)
        mixed = G[np.ix_(same, theirs)] / size[:, None]
        inverse = cast(Array, np.linalg.pinv(inner, rcond=ROUNDING, hermitian=True))
        found = inverse @ mixed / size[:, None]
        Q[np.ix_(ours, [place[i] for i in theirs])] = found
    return Q


def _place(wide: Model, column: Column) -> int:
    """Return the index of a column in the wide model."""
    return wide.columns.index(column)
