"""Poses of the tip."""

from __future__ import annotations

import numpy as np


def turned(axis: list[float], angle: float) -> np.ndarray:
    """A rotation matrix."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
