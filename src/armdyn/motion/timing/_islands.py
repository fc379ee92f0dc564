"""Where speeds above the bound are admissible again: islands, which viscous friction may cause."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.motion.timing._passes import Room
from armdyn.motion.timing._problem import Problem
from armdyn.motion.timing._programs import TOGETHER, admissible_step

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
    N, B = problem.length.shape
    top = np.minimum(room.fastest[:-1], UP_TO * bound.max(axis=0)).reshape(-1, 1)
    sides = (problem.node[:-1], room.left, room.most, problem.sigma)
    rows = [x.reshape(N * B, -1) for x in sides]
    out = np.empty((N * B, LOOKED_AT), dtype=np.bool_)
    for k in range(0, LOOKED_AT, TOGETHER):
        speeds = top * (np.arange(k + 1, k + TOGETHER + 1) / LOOKED_AT)
        out[:, k : k + TOGETHER] = gap([*rows, speeds], (N * B,)).results[0] < 0.0
    found[:-1] = (out[:, :-1] & ~out[:, 1:]).any(axis=1).reshape(N, B)
    return found
