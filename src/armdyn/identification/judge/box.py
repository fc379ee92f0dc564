"""The motions that data cover, and what they leave open there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.fit import Fitted
from armdyn.identification.fit.rows import FilteredSegment, sample
from armdyn.identification.fit.solver import solution
from armdyn.numerics import ratio
from armdyn.robot.joint import Joint

# The box leaves out this share of the positions, half at either end, and of the highest rates.
OUTSIDE = 0.02

# Parts whose samples all count; of twice as many, every second does. Eight long ones take 75 MB of
# six joints.
WHOLE_PARTS = 8

# Random motions in the box, on which models are compared.
STATES = 200

# A joint that carries little is judged beside this share of the largest joint's torque.
OF_LARGEST = 0.1

# An arm described without masses is judged by its data alone: a prior this weak has no effect.
NO_PRIOR = 1e-3


@dataclass(frozen=True, eq=False)
class Box:
    """Where the arm moved: a verdict says nothing about motions outside.

    Attributes:
        lower: lowest position of every joint ``(n,)``; 1 % of the samples are below.
        upper: highest position ``(n,)``; 1 % are above.
        speed: highest speed ``(n,)``; 2 % are faster.
        acceleration: highest acceleration ``(n,)``; 2 % are above.
    """

    lower: Array
    upper: Array
    speed: Array
    acceleration: Array

    def states(self, count: int = STATES, seed: int = 0) -> tuple[Array, Array, Array]:
        """Return random positions, velocities and accelerations in the box, ``(count, n)`` each."""
        rng = np.random.default_rng(seed)
        unit = rng.uniform(-1.0, 1.0, (3, count, len(self.lower)))
        middle, half = 0.5 * (self.lower + self.upper), 0.5 * (self.upper - self.lower)
        return middle + unit[0] * half, unit[1] * self.speed, unit[2] * self.acceleration

    def words(self, joints: Sequence[Joint]) -> tuple[str, ...]:
        """Return the box as text, a line for each joint."""
        lines: list[str] = []
        for j, joint in enumerate(joints):
            unit = "rad" if joint.is_revolute else "m"
            lines.append(
                f"{joint.name}: {self.lower[j]:.3g} to {self.upper[j]:.3g} {unit}, "
                f"up to {self.speed[j]:.3g} {unit}/s and {self.acceleration[j]:.3g} {unit}/s^2"
            )
        return tuple(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the box as plain data for JSON."""
        return {
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "speed": self.speed.tolist(),
            "acceleration": self.acceleration.tolist(),
        }


def box_of(parts: Sequence[FilteredSegment]) -> Box:
    """Return the box of the data of a fit; its rates are in the band of the fit, without noise."""
    q, qd, qdd = list[Array](), list[Array](), list[Array]()
    thin = slice(None, None, -(-len(parts) // WHOLE_PARTS))
    for part in parts:
        for x in sample([part]):
            q.append(x.q[thin].copy())
            enough = len(x.q) > 2 * part.band.reach
            qd.append((part.band.rows(x.qd) if enough else x.qd)[thin].copy())
            qdd.append((part.band.rows(x.qdd) if enough else x.qdd)[thin].copy())
    lower, upper = np.quantile(np.concatenate(q), [0.5 * OUTSIDE, 1.0 - 0.5 * OUTSIDE], axis=0)
    speed, acceleration = (
        np.quantile(np.abs(np.concatenate(x)), 1.0 - OUTSIDE, axis=0) for x in (qd, qdd)
    )
    return Box(lower, upper, speed, acceleration)


# Whether the data determine the model: its expected error on other motions. The covariance of the
# parameters gives the variance of every predicted torque, at random states in the box, drawn
# independently for each joint. A log in which joints move together, or slowly, leaves much of the
# box unexplored, and the variance is large there.


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
    rows = model.rows(*box_of(found.rows.parts).states())
    covariance = fit.covariance if described else _by_data(found)
    wrong = _variances(model, rows, covariance)
    torque = np.mean(model.torques(fit.values, rows) ** 2, axis=0)
    wrong[list(ignored)] = torque[list(ignored)] = 0.0
    per_joint = np.sqrt(ratio(wrong, torque, 1.0))
    per_joint[list(ignored)] = np.nan
    total = float(np.sqrt(ratio(wrong.sum(), torque.sum(), 1.0)))
    return Excitation(total, per_joint, _condition(found.gram[:-1, :-1]))


def gravity_errors(model: Model, values: Array, covariance: Array, box: Box) -> Array:
    """Return the standard deviation of every joint's torque of gravity in the box, relative.

    It is relative to the joint's own torque of gravity, but at least to a tenth of the largest.

    Args:
        model: the columns.
        values: of the columns ``(p,)``.
        covariance: of the values ``(p, p)``.
        box: the positions that count.
    """
    q = box.states()[0]
    rows = model.rows(q, np.zeros_like(q), np.zeros_like(q))
    rigid = np.arange(len(values)) < model.k
    square = np.mean(model.torques(np.where(rigid, values, 0.0), rows) ** 2, axis=0)
    variance = _variances(model, rows, np.where(np.outer(rigid, rigid), covariance, 0.0))
    return np.sqrt(ratio(variance, np.maximum(square, OF_LARGEST**2 * square.max()), 0.0))


def _variances(model: Model, rows: Array, covariance: Array) -> Array:
    """Return the mean variance of the torques of rows ``(n,)``, for parameters of a covariance."""
    made = np.zeros(model.n)
    for j, at in enumerate(model.active):
        mine = rows[:, model.part(j)]
        made[j] = np.mean(np.sum((mine @ covariance[np.ix_(at, at)]) * mine, axis=1))
    return np.maximum(made, 0.0)  # rounding may make a variance negative


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
