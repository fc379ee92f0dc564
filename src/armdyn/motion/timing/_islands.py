"""Where speeds above the bound are admissible again: islands, which viscous friction may cause."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.motion.timing._passes import Room
from armdyn.motion.timing._problem import Problem
from armdyn.motion.timing._programs import admissible_step

Array = NDArray[np.float64]

# Speeds that are looked at, up to this many times the largest bound.
LOOKED_AT, UP_TO = 32, 3.0


def islands(problem: Problem, room: Room, bound: Array) -> NDArray[np.bool_]:
    """Return at which nodes admissible speeds are not all connected with rest, ``(N + 1, B)``.

    Without viscous friction and without loss of effort at speed, they are.
    """
    found = np.zeros(bound.shape, dtype=np.bool_)
    drives = problem.drives
    if not drives.curved:
        return found
    gap = admissible_step(drives)
    shares = np.arange(1, LOOKED_AT + 1) / LOOKED_AT
    for i in range(len(bound) - 1):
        top = np.minimum(room.fastest[i], UP_TO * bound.max(axis=0))
        given = (problem.node[i], problem.node[i], room.left[i], room.left[i], room.most[i])
        rows = (*given, problem.sigma[i], np.zeros((len(top), 5)))
        y = (top[:, None] * shares)[..., None]
        out = gap([x[:, None] for x in rows] + [y], y.shape[:2]).results[0] < 0.0
        found[i] = (out[:, :-1] & ~out[:, 1:]).any(axis=1)
    return found
