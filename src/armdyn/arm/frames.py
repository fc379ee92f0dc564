"""Frames of all links of an arm, as arrays."""

from __future__ import annotations

from typing import cast

import numpy as np

from armdyn.algorithms.frame import Frame, frames
from armdyn.arrays import Array
from armdyn.robot.chain import chain_of
from armdyn.robot.model import Robot

# Where all link frames of an arm are, for those who draw it: arrays, whatever its length.


def placements_of(robot: Robot) -> Array:
    """Return E_i in E_{i-1} at q = 0 for i = 1 ... n, ``(n, 4, 4)``."""
    return np.stack([_placement(frame) for frame in frames(chain_of(robot), [0.0] * robot.n)[1:]])


def link_frames(robot: Robot, placements: Array, q: Array) -> Array:
    """Return E_1 ... E_n and the tip in the base frame, ``(N, n + 1, 4, 4)``.

    Args:
        robot: the description of the arm.
        placements: its `placements_of`.
        q: positions ``(N, n)``.
    """
    at = np.broadcast_to(np.array(robot.base), (len(q), 4, 4))
    found = np.empty((len(q), robot.n + 1, 4, 4))
    for k, joint in enumerate(robot.joints):
        moved = np.broadcast_to(np.eye(4), (len(q), 4, 4)).copy()
        if joint.is_revolute:
            c, s = np.cos(q[:, k]), np.sin(q[:, k])
            moved[:, 0, 0], moved[:, 0, 1], moved[:, 1, 0], moved[:, 1, 1] = c, -s, s, c
        else:
            moved[:, 2, 3] = q[:, k]
        at = at @ placements[k] @ moved
        found[:, k] = at
    found[:, -1] = at @ np.array(robot.tool)
    return found


def _placement(frame: Frame) -> Array:
    """Return E_i in E_{i-1} as a 4x4 matrix."""
    x, y, z = (
        frame.to_parent(axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    )
    along = frame.to_parent((0.0, 0.0, frame.d))
    made = np.eye(4)
    made[:3] = np.array([x, y, z, along], dtype=float).T
    made[0, 3] += cast(float, frame.b)
    return made
