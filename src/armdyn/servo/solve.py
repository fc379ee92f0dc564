"""The most likely parameters: damped scoring, then a short L-BFGS polish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.log.segments import scipy
from armdyn.numerics import scaled_solve
from armdyn.servo.model import Model

# Steps of damped scoring; 20 to 40 suffice for the logs of `benchmarks/servo.py`.
MOST_STEPS = 60

# Scoring ends when a step gains less than this [nats]; the polish does the rest.
ENOUGH = 1e-3

# Iterations of L-BFGS.
POLISH = 25

# The search begins with noise and friction of exp(2.5) and exp(0.5) times their medians: far rows
# pull too, and a band too narrow for its rows does not make them outliers.
FIRST_NOISE, FIRST_BAND = 2.5, 0.5


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
