"""Error bars of droops: a sandwich estimate over blocks of time, with the prior."""

from __future__ import annotations

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.numerics import ratio, scaled_inverse
from armdyn.servo.model import Model
from armdyn.servo.prior import random_poses
from armdyn.servo.solve import Solution

# Rows of this time share their errors [s].
BLOCK = 4.0

# Droops are judged at random poses over this share of all ranges.
TEST_POSES, TEST_SHARE = 300, 0.8

# Share of a droop that verdicts add to its standard deviation.
SYSTEMATIC = 0.02

# By which the sandwich estimate is too small, and the share of a droop that it does not contain:
# errors over error bars are then 0.8 to 1.3 for each joint and motion of classes A and B of
# `benchmarks/servo.py`, seeds 1000 to 1019 and 4000 to 4019 together. Longer blocks change nothing.
BAR_FACTOR, MODEL_ERROR = 1.35, 0.012


def covariance(model: Model, solution: Solution) -> Array:
    """Return the covariance of the parameters ``(p, p)``."""
    _, G = model.evaluate(solution.x)
    rows, layout = model.rows, model.layout
    block = np.floor(rows.time / BLOCK).astype(np.int64)
    block = block + (int(block.max(initial=0)) + 1) * rows.episode
    _, block = np.unique(block, return_inverse=True)
    sums = np.zeros((int(block.max(initial=0)) + 1, layout.size))
    weighted = G * model.weights[:, None]
    for j in range(layout.n):
        mine = rows.joint == j
        part = np.zeros((len(sums), layout.compact))
        np.add.at(part, block[mine], weighted[mine])
        sums[:, layout.columns(j)] += part
    inverse = scaled_inverse(solution.information)
    return inverse @ (sums.T @ sums + np.eye(layout.size)) @ inverse


def droop_errors(arm: Arm, model: Model, x: Array, covariance: Array) -> tuple[Array, Array]:
    """Return the size of the gravity part of droops and its relative standard deviation.

    Both are root mean squares over test poses, of every joint ``(n,)``: the first in rad.
    """
    q = random_poses(arm, TEST_POSES, 1, TEST_SHARE)
    v = model.values(x)
    torque = model.gravity.torques(q, model.gravity.natural(v.z), v.tilt)
    size = np.sqrt(np.mean((v.compliance * torque) ** 2, axis=0))
    gradient = model.droop_gradient(x, q)
    variance = np.einsum("njp,pr,njr->j", gradient, covariance, gradient, optimize=True) / len(q)
    return size, ratio(np.sqrt(np.maximum(variance, 0.0)), size, np.inf)


def droop_bars(deviation: Array) -> Array:
    """Return honest standard deviations of droops, with what the model lacks."""
    return np.hypot(BAR_FACTOR * deviation, MODEL_ERROR)
