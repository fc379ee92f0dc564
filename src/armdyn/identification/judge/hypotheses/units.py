"""Positions in degrees: fits with the positions of a log scaled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.segments import FilteredSegment, sample
from armdyn.numerics import ratio

# States of the comparison.
STATES = 3000

# Ranges [rad] of turning joints, the median of all, that make one think of other units.
WIDE = 2.0 * np.pi
NARROW = 0.06

# The error falls to this share with positions in the right unit.
BETTER = 0.5

# Weight of the wish that columns be small, relative to their sizes.
RIDGE = 1e-6


def position_unit(model: Model, parts: Sequence[FilteredSegment]) -> tuple[float, float, float]:
    """Return the factor of positions that explains torques better, 1 if none, and both errors."""
    asked = list(sample(parts))
    q, qd, qdd, tau = (np.concatenate(x) for x in zip(*asked, strict=True))
    turning = [j for j, joint in enumerate(model.arm.robot.joints) if joint.is_revolute]
    width = float(np.median(np.ptp(q[:, turning], axis=0))) if turning else 1.0
    if NARROW < width < WIDE:
        return 1.0, 0.0, 0.0
    factor = np.pi / 180.0 if width >= WIDE else 180.0 / np.pi
    scale = np.ones(model.n)
    scale[turning] = factor
    every = max(len(q) // STATES, 1)
    q, qd, qdd, tau = (x[::every] for x in (q, qd, qdd, tau))
    before = _error(model, q, qd, qdd, tau)
    after = _error(model, q * scale, qd * scale, qdd * scale, tau)
    return (factor if after < BETTER * before else 1.0), before, after


def _error(model: Model, q: Array, qd: Array, qdd: Array, tau: Array) -> float:
    """Return the error of a fit, relative to the torques."""
    rows, p = model.rows(q, qd, qdd), len(model.columns)
    A, b = list[Array](), list[Array]()
    for j in range(model.n):
        size = float(np.sqrt(np.mean(tau[:, j] ** 2))) or 1.0
        wide = np.zeros((len(rows), p))
        wide[:, model.active[j]] = rows[:, model.part(j)] / size
        A.append(wide)
        b.append(tau[:, j] / size)
    X, y = np.concatenate(A), np.concatenate(b)
    unit = ratio(X, np.linalg.norm(X, axis=0), 0.0)
    stack = np.vstack([unit, np.sqrt(RIDGE) * np.eye(p)])
    values, *_ = np.linalg.lstsq(stack, np.concatenate([y, np.zeros(p)]), rcond=None)
    return float(ratio(np.linalg.norm(y - unit @ values), np.linalg.norm(y), 1.0))
