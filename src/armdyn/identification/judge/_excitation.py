"""Whether the data determine the model: how wrong it is expected to be on other motions.

The covariance of the parameters tells the variance of every torque that they predict. It is asked
at random states within the ranges of the log, each joint by itself: a motion that moved joints
together, or slowly, leaves much of that box unseen, and the variance there tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.identification.fit._columns import Model
from armdyn.identification.fit._regression import Fit
from armdyn.identification.fit._segments import FilteredSegment, sample

Array = NDArray[np.float64]

STATES = 500

# An arm described without masses is judged by its data alone; this much of a prior is none.
NO_PRIOR = 1e-3


@dataclass(frozen=True)
class Excitation:
    """What the data determine.

    Attributes:
        expected_error: expected error of torques on other motions within the ranges of the data,
            beside the torques, by root mean squares.
        per_joint: the same of every joint, ``(n,)``.
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
        described: whether the arm's description says something about its masses.
    """
    rows = model.rows(*_states(parts, model.n))
    covariance = fit.covariance if described else _by_data(fit)
    variance = np.empty((len(rows), model.n))
    for j in range(model.n):
        mine, at = rows[:, model.part(j)], model.active[j]
        variance[:, j] = np.sum((mine @ covariance[np.ix_(at, at)]) * mine, axis=1)
    torque = np.sum(model.torques(fit.values, rows) ** 2, axis=0)
    wrong = variance.sum(axis=0)
    tiny = np.finfo(np.float64).tiny
    return Excitation(
        float(np.sqrt(wrong.sum() / max(torque.sum(), tiny))),
        np.sqrt(wrong / np.maximum(torque, tiny)),
        _condition(fit.r_factor[:, :-1]),
    )


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
    inverse = np.linalg.inv(np.linalg.qr(stack, mode="r"))
    return inverse @ inverse.T


def _condition(T: Array) -> float:
    size = np.linalg.norm(T, axis=0)
    values = np.linalg.svd(T[:, size > 0] / size[size > 0], compute_uv=False)
    return float(values[0] / values[-1]) if len(values) and values[-1] > 0 else float("inf")
