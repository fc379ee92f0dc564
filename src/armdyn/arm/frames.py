"""Frames of an arm: of all links, as arrays, and of its file, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from armdyn.algorithms.frame import Frame, frames
from armdyn.arrays import Array
from armdyn.robot.chain import Chain, chain_of
from armdyn.robot.model import IDENTITY, NamedFrame, Robot

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


# Frames of a robot's file by their names: the chain whose tip they are.

# Names that a message lists.
MOST_LISTED = 12


def at_frame(chain: Chain, frame: NamedFrame) -> Chain:
    """Return a chain whose tip is the frame."""
    base = chain.base if frame.link else IDENTITY  # frames of the base are given in its frame
    return replace(chain, base=base, tool=frame.placement, carrier=frame.link)


def frame_in_words(given: object, names: Sequence[str], n: int) -> str:
    """Return what a frame may be, for a message; names near a wrong one come first."""
    import difflib

    near = difflib.get_close_matches(given, names, n=3) if isinstance(given, str) else []
    listed = ", ".join(near or names[:MOST_LISTED])
    if near:
        listed = f"a frame such as {listed}"
    elif len(names) > MOST_LISTED:
        listed = f"a frame ({listed} and {len(names) - MOST_LISTED} more)"
    else:
        listed = f"a joint or frame ({listed})"
    return f"'tip', {listed} or a number from 0 to {n}"
