"""A pose that shows an arm: within its limits, bent, and above its base."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm, home

Array = NDArray[np.float64]

# Poses that are tried, and how far joints go in them: a share of their ranges, at most [rad or m].
TRIED, SHARE, FARTHEST = 400, 0.7, 1.9


def showing(arm: Arm) -> Array:
    """Return the pose whose tip moves best in all directions, among random ones, ``(n,)``.

    Points of the arm below its base count against a pose. An arm that cannot move its tip is shown
    at home.
    """
    start = home(arm)
    lower = np.maximum([j.lower for j in arm.robot.joints], start - FARTHEST)
    upper = np.minimum([j.upper for j in arm.robot.joints], start + FARTHEST)
    middle, half = (lower + upper) / 2, SHARE * (upper - lower) / 2
    if arm.n < 2 or not (np.isfinite(middle).all() and (half >= 0.0).all()):
        return start
    tried = np.random.default_rng(0).uniform(-1.0, 1.0, (TRIED, arm.n)) * half + middle
    J = arm.jacobian(tried)[:, :3]
    moves = np.linalg.svd(J, compute_uv=False)
    ease = np.prod(moves[:, : np.linalg.matrix_rank(J[0])], axis=1)
    gravity = np.array(arm.robot.gravity)
    size = float(np.linalg.norm(gravity))
    up = -gravity / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
    heights = np.stack([arm.pose(tried, frame=i)[:, :3, 3] @ up for i in range(1, arm.n + 1)], 1)
    low = np.minimum(heights, 0.0).min(axis=1)
    reach = float(np.abs(heights).max()) or 1.0
    return tried[int(np.argmax(ease * np.exp((20.0 * low + heights.mean(axis=1)) / reach)))]
