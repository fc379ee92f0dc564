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
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.regression import Fit
from armdyn.identification.fit.segments import FilteredSegment, sample
from armdyn.numerics import ratio, scaled_pinv

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


def excitation(
    model: Model, fit: Fit, parts: Sequence[FilteredSegment], described: bool
) -> Excitation:
    """Judge the data of a fit.

    Args:
        model: the columns.
        fit: the regression.
        parts: the data.
        described: whether the arm's description has masses.
    """
    rows = model.rows(*_states(parts, model.n))
    covariance = fit.covariance if described else _by_data(fit)
    variance = np.empty((len(rows), model.n))
    for j in range(model.n):
        mine, at = rows[:, model.part(j)], model.active[j]
        variance[:, j] = np.sum((mine @ covariance[np.ix_(at, at)]) * mine, axis=1)
    torque = np.sum(model.torques(fit.values, rows) ** 2, axis=0)
    wrong = np.maximum(variance, 0.0).sum(axis=0)  # rounding may make a variance negative
    per_joint = np.sqrt(ratio(wrong, torque, 1.0))
    total = float(np.sqrt(ratio(wrong.sum(), torque.sum(), 1.0)))
    return Excitation(total, per_joint, _condition(fit.r_factor[:, :-1]))


def _states(parts: Sequence[FilteredSegment], n: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(0)
    asked = list(sample(parts))
    q = np.concatenate([x.q for x in asked])
    low, high = np.quantile(q, 0.01, axis=0), np.quantile(q, 0.99, axis=0)
    rates = [np.concatenate([x.qd for x in asked]), np.concatenate([x.qdd for x in asked])]
    v, a = (rng.normal(size=(STATES, n)) * np.sqrt(np.mean(x**2, axis=0)) for x in rates)
    return rng.uniform(size=(STATES, n)) * (high - low) + low, v, a


def _by_data(fit: Fit) -> Array:
    stack = np.vstack([fit.r_factor[:, :-1], NO_PRIOR * fit.prior.root, fit.prior.fixed])
    inverse = scaled_pinv(np.asarray(np.linalg.qr(stack, mode="r"), np.float64))
    return inverse @ inverse.T


def _condition(T: Array) -> float:
    size = np.linalg.norm(T, axis=0)
    values = np.linalg.svd(T[:, size > 0] / size[size > 0], compute_uv=False)
    return float(values[0] / values[-1]) if len(values) and values[-1] > 0 else float("inf")
