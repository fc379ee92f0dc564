"""Residuals over speed: the shape of friction that the model does not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Speeds below this share of the highest speed are slow; fewer rows than this give no answer.
SLOW = 0.15
FEWEST = 8


def by_speed(result: Result, j: int) -> tuple[Array, Array]:
    """Return velocities of a joint in the rows of the fit, and its residuals there."""
    v = np.concatenate([s.velocity[:, j] for s in result.train])
    rest = np.concatenate([s.residual[:, j] for s in result.train])
    used = np.abs(v) > result.about.dead_band[j]
    return v[used], rest[used]


def slow_excess(result: Result) -> Array:
    """Return the excess of friction at low speeds over the friction of the model, ``(n,)``.

    It is the mean residual against the motion minus twice its standard error, at least 0: the part
    that chance does not explain.
    """
    excess = np.zeros(result.arm.n)
    for j in range(result.arm.n):
        v, rest = by_speed(result, j)
        slow = np.abs(v) < SLOW * np.abs(v).max(initial=0.0)
        if slow.sum() < FEWEST:
            continue
        against = rest[slow] * np.sign(v[slow])
        error = float(against.std(ddof=1)) / np.sqrt(slow.sum() / result.correlation[j])
        excess[j] = max(float(against.mean()) - 2.0 * error, 0.0)
    return excess
