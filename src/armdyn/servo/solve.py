"""The most likely parameters, by damped scoring and L-BFGS, and the error bars of their droops.

Error bars are a sandwich estimate over blocks of time, with the prior, and springs of cables that
the rows may hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.log.segments import scipy
from armdyn.numerics import ratio, scaled_inverse, scaled_solve
from armdyn.servo.model import PER_JOINT, Model
from armdyn.servo.prior import EXPECTED, random_poses

# Steps of damped scoring; 20 to 40 suffice for the logs of `benchmarks/servo.py`.
MOST_STEPS = 60

# Scoring ends when a step gains less than this [nats]; the polish does the rest.
ENOUGH = 1e-3

# Iterations of L-BFGS.
POLISH = 25

# The search begins with noise and friction of exp(2.5) and exp(0.5) times their medians: far rows
# pull too, and a band too narrow for its rows does not make them outliers.
FIRST_NOISE, FIRST_BAND = 2.5, 0.5

# Rows of this time share their errors [s].
BLOCK = 4.0

# Droops are judged at random poses over this share of all ranges.
TEST_POSES, TEST_SHARE = 300, 0.8

# Share of a droop that verdicts add to its standard deviation.
SYSTEMATIC = 0.02

# Standard deviation of the slope of a joint's error over its position [rad/rad]: cables of
# 0.02 N m/rad on servos of 8 N m/rad.
SPRING = 0.0025

# Share of a droop that neither rows nor springs account for. Errors over error bars are then 0.8 to
# 1.2 for lift and elbow, poses and teleoperation, classes A and B of `benchmarks/servo.py`, seeds
# 7000 to 7014.
MODEL_ERROR = 0.01


@dataclass(frozen=True, eq=False)
class Solution:
    """The most likely parameters.

    Attributes:
        x: the parameters ``(p,)``.
        likelihood: weighted log-likelihood of the rows and log-prior [nats].
        information: outer products of the gradients and prior precision ``(p, p)``.
    """

    x: Array
    likelihood: float
    information: Array


@np.errstate(all="ignore")  # steps that are too long overflow, and are not taken
def solve(model: Model, start: Array | None = None, *, polish: bool = True) -> Solution:
    """Return the most likely parameters of a model.

    Args:
        model: rows and prior.
        start: parameters to begin with ``(p,)``.
        polish: end with L-BFGS.
    """
    p = model.layout.size
    if start is None:
        start = np.zeros(p)
        start[model.layout.of("noise")] = FIRST_NOISE
        start[model.layout.of("moving")] = FIRST_BAND
        if 0 < model.rows.moving.sum() < len(model.rows):
            # moving rows alone are Gaussian: they find the band that rows at rest lie in
            start = solve(model.part(model.rows.moving), start, polish=False).x
    x, damping = start, 1e-2

    def at(x: Array) -> tuple[float, Array]:
        logs, gradients = model.evaluate(x)
        return float(logs @ model.weights - 0.5 * x @ x), gradients

    value, gradients = at(x)
    for _ in range(MOST_STEPS):
        total, products = model.totals(gradients)
        slope, information = total - x, products + np.eye(p)
        gained, promised = 0.0, np.inf
        while promised > ENOUGH:
            damped = information + damping * np.diag(np.diag(information))
            step = scaled_solve(damped, slope)
            promised = float(slope @ step)
            trial = at(x + step)
            if np.isfinite(trial[0]) and trial[0] > value:
                gained, x = trial[0] - value, x + step
                value, gradients = trial
                damping = max(damping / 5.0, 1e-6)
                break
            damping *= 8.0
        if gained < ENOUGH:
            break
    _, products = model.totals(gradients)
    if polish:
        scale = 1.0 / np.sqrt(1.0 + np.diag(products))

        def down(y: Array) -> tuple[float, Array]:
            reached, gradients = at(y * scale)
            return -reached, -(model.totals(gradients)[0] - y * scale) * scale

        search: Any = scipy("optimize").minimize
        ended = search(down, x / scale, jac=True, method="L-BFGS-B", options={"maxiter": POLISH})
        if -ended.fun > value:
            x = np.asarray(ended.x, np.float64) * scale
            value, gradients = at(x)
            _, products = model.totals(gradients)
    return Solution(x, value, products + np.eye(p))


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


def droop_errors(
    arm: Arm, model: Model, solution: Solution, covariance: Array
) -> tuple[Array, Array]:
    """Return the size of the gravity part of droops and its relative standard deviation.

    Both are root mean squares over test poses, of every joint ``(n,)``: the first in rad.
    """
    q, x = random_poses(arm, TEST_POSES, 1, TEST_SHARE), solution.x
    v = model.values(x)
    torque = model.gravity.torques(q, model.gravity.natural(v.z), v.tilt)
    size = np.sqrt(np.mean((v.compliance * torque) ** 2, axis=0))
    gradient = model.droop_gradient(x, q)
    shift, slopes = _springs(model, solution, q)
    left = gradient @ shift
    joints = np.arange(arm.n)
    left[:, joints, joints] += q - _middle(q)
    variance = sum(
        np.einsum("njp,pr,njr->j", by, squares, by, optimize=True) / len(q)
        for by, squares in ((gradient, covariance), (left, slopes))
    )
    return size, ratio(np.sqrt(np.maximum(variance, 0.0)), size, np.inf)


def _middle(q: Array) -> Array:
    return (q.min(axis=0) + q.max(axis=0)) / 2.0


def _springs(model: Model, solution: Solution, q: Array) -> tuple[Array, Array]:
    """Return how much springs in the joints, which the model lacks, may spoil a fit.

    The pull of cables and hoses grows with the position. Among the poses of a log, gravity takes
    most of it; beyond them its droop is wrong. A score test of the rows estimates the springs.

    Args:
        model: rows and prior.
        solution: fitted to them.
        q: poses ``(N, n)`` in whose middle springs are slack.

    Returns:
        Change of the parameters by a spring of each joint ``(p, n)``, and second moments of the
        springs ``(n, n)`` [rad/rad].
    """
    rows, at, n = model.rows, model.layout, model.layout.n
    _, G = model.evaluate(solution.x)
    by_error = G[:, at.shared + PER_JOINT.index("bias")] / EXPECTED.bias
    crossed, slope, own = np.zeros((at.size, n)), np.zeros(n), np.zeros(n)
    for j, middle in enumerate(_middle(q).tolist()):
        mine = rows.joint == j
        score, w = by_error[mine] * (rows.q[mine, j] - middle), model.weights[mine]
        crossed[at.columns(j), j] = G[mine].T @ (w * score)
        slope[j], own[j] = w @ score, w @ score**2
    shift = -scaled_inverse(solution.information) @ crossed
    spread = scaled_inverse(np.diag(own + SPRING**-2.0) + crossed.T @ shift)
    mean = spread @ slope
    return shift, spread + np.outer(mean, mean)


def droop_bars(deviation: Array) -> Array:
    """Return honest standard deviations of droops, with what the model lacks."""
    return np.hypot(deviation, MODEL_ERROR)
