"""What a time law asks of the drives, by the arm's own inverse dynamics between all nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.motion.timing._paths import Indices
from armdyn.motion.timing._problem import Problem

Array = NDArray[np.float64]

# Places in each piece at which torques are computed; just inside the ends, since dry friction has
# no sign where a joint turns.
INSIDE = 1e-4
PLACES = np.concatenate([[INSIDE], np.arange(1, 8) / 8.0, [1.0 - INSIDE]])
# States that are computed at a time: they stay in the cache.
STATES = 8192


@dataclass(frozen=True)
class Asked:
    """The largest of what is asked in each piece, ``(N, B, n)``.

    Attributes:
        above: torque less its upper limit.
        below: its lower limit less the torque.
        acceleration: size of the acceleration.
        velocity: size of the velocity.
    """

    above: Array
    below: Array
    acceleration: Array
    velocity: Array

    def some(self, which: Indices) -> Asked:
        """Return what is asked on some paths."""
        return Asked(*(x[:, which] for x in vars(self).values()))


def asked(problem: Problem, speed: Array) -> Asked:
    """Return what a time law asks.

    Args:
        problem: the paths.
        speed: along the path at the nodes, ``(N + 1, B)``.
    """
    N, B = problem.length.shape
    x = speed * speed
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.where(problem.length > 0.0, np.diff(x, axis=0) / (2.0 * problem.length), 0.0)
    limits = problem.limits
    along, xx = _places(problem, x, u)
    found = np.empty((4, N, B, problem.n))
    rows = max(1, STATES // (B * len(PLACES)))
    for i in range(0, N, rows):
        part = slice(i, i + rows)
        s = problem.s[:-1][part, :, None] + along[part]
        q, by_s, by_ss = problem.paths.states(problem.middle[part], s)
        square = xx[part, ..., None]
        qd = by_s * np.sqrt(square)
        qdd = by_s * u[part, :, None, None] + by_ss * square
        tau = problem.arm.inverse_dynamics(q, qd, qdd, friction=problem.friction)
        size = np.abs(qd)
        most = limits.effort - limits.loss * size
        values = (tau - most, -most - tau, np.abs(qdd), size)
        for k, value in enumerate(values):
            found[k, part] = value.max(axis=2)
    return Asked(*found)


def _places(problem: Problem, x: Array, u: Array) -> tuple[Array, Array]:
    """Return the places in each piece, from its left end, and the squares of the speed there.

    In the first and the last piece they are nearer to the ends of the path, where speeds rise from
    rest. At the start itself the arm may rest, and dry friction is none.
    """
    places = np.broadcast_to(PLACES, (*problem.length.shape, len(PLACES))).copy()
    lanes = np.arange(problem.paths.count)
    last = np.count_nonzero(problem.length, axis=0) - 1
    places[last, lanes] = 1.0 - np.square(1.0 - PLACES)
    places[0] = np.square(PLACES)
    places[0, :, 0] = 0.0
    along = problem.length[:, :, None] * places
    return along, np.maximum(x[:-1, :, None] + 2.0 * u[:, :, None] * along, 0.0)
