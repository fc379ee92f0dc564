"""Whether the data determine the model: its expected error on other motions.

The covariance of the parameters gives the variance of every predicted torque. It is evaluated at
random states within the ranges of the log, drawn independently for each joint. A log in which
joints move together, or slowly, leaves much of that box unexplored, and the variance is large
there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.fit import Fitted
from armdyn.identification.fit.rows import FilteredSegment, sample
from armdyn.identification.fit.solver import solution
from armdyn.numerics import ratio

STATES = 500

# An arm described without masses is judged by its data alone: a prior this weak has no effect.
NO_PRIOR = 1e-3


@dataclass(frozen=True)
class Excitation:
    """How well the data determine the model.

    Attributes:
        expected_error: expected rms error of torques on other motions within the ranges of the
            data, relative to the rms torques.
        per_joint: the same for every joint, ``(n,)``.
        condition: ratio of the largest to the smallest singular value of the weighted columns,
            each of length 1.
    """

    expected_error: float
    per_joint: Array
    condition: float


def excitation(found: Fitted, described: bool, ignored: Sequence[int] = ()) -> Excitation:
    """Judge the data of a fit.

    Args:
        found: the fit.
        described: whether the arm's description has masses.
        ignored: joints (from 0) whose torques do not count; their errors are NaN.
    """
    model, fit = found.model, found.fit
    rows = model.rows(*_states(found.rows.parts, model.n))
    covariance = fit.covariance if described else _by_data(found)
    variance = np.empty((len(rows), model.n))
    for j in range(model.n):
        mine, at = rows[:, model.part(j)], model.active[j]
        variance[:, j] = np.sum((mine @ covariance[np.ix_(at, at)]) * mine, axis=1)
    torque = np.sum(model.torques(fit.values, rows) ** 2, axis=0)
    wrong = np.maximum(variance, 0.0).sum(axis=0)  # rounding may make a variance negative
    wrong[list(ignored)] = torque[list(ignored)] = 0.0
    per_joint = np.sqrt(ratio(wrong, torque, 1.0))
    per_joint[list(ignored)] = np.nan
    total = float(np.sqrt(ratio(wrong.sum(), torque.sum(), 1.0)))
    return Excitation(total, per_joint, _condition(found.gram[:-1, :-1]))


def _states(parts: Sequence[FilteredSegment], n: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(0)
    asked = list(sample(parts))
    q = np.concatenate([x.q for x in asked])
    low, high = np.quantile(q, 0.01, axis=0), np.quantile(q, 0.99, axis=0)
    rates = [np.concatenate([x.qd for x in asked]), np.concatenate([x.qdd for x in asked])]
    v, a = (rng.normal(size=(STATES, n)) * np.sqrt(np.mean(x**2, axis=0)) for x in rates)
    return rng.uniform(size=(STATES, n)) * (high - low) + low, v, a


def _by_data(found: Fitted) -> Array:
    prior, S = found.solver.prior, found.fit.columns
    covariance = np.zeros_like(found.fit.covariance)
    precision = prior.precision(NO_PRIOR)
    covariance[np.ix_(S, S)] = solution(found.gram, precision, prior.mean, S)[1]
    return covariance


def _condition(G: Array) -> float:
    """Return the condition number of columns, each of length 1, from their Gram matrix."""
    size = np.sqrt(np.diag(G))
    seen = size > 0.0
    values = np.linalg.eigvalsh(G[np.ix_(seen, seen)] / np.outer(size[seen], size[seen]))
    if not len(values) or values[0] <= 0.0:
        return float("inf")
    return float(np.sqrt(values[-1] / values[0]))
