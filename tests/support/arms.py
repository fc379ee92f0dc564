"""Arms with a closed form of their inverse kinematics, by their geometry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import armdyn

RIGHT = np.pi / 2


def wrist_arm(
    rows: Sequence[tuple[float, float, float]], twists: tuple[float, float] = (-RIGHT, RIGHT)
) -> armdyn.Arm:
    """An arm whose last three axes meet, with the geometry (beta, b, d) of its first joints."""
    joints = [
        armdyn.Joint(beta=beta, b=b, d=d, theta=theta)
        for (beta, b, d), theta in zip(
            [*rows, (-1.2, 0.1, 0.4)], (0.3, -0.2, 0.5, 0.1), strict=True
        )
    ]
    joints += [armdyn.Joint(beta=twists[0]), armdyn.Joint(beta=twists[1], d=0.1, theta=-0.4)]
    return armdyn.Arm(armdyn.Robot(joints))


SKEW_WRISTS = {
    "wrist, axes 1 and 2 meet": [(0.2, 0.1, 0.4), (1.1, 0.0, 0.1), (0.7, 0.5, 0.2)],
    "wrist, axes 2 and 3 meet": [(0.2, 0.1, 0.4), (1.1, 0.3, 0.1), (0.7, 0.0, 0.2)],
    "wrist, axes 1 and 2 parallel": [(0.0, 0.1, 0.4), (0.0, 0.5, 0.1), (0.7, 0.2, 0.2)],
    "wrist, skew axes": [(0.2, 0.1, 0.4), (1.1, 0.3, 0.1), (0.7, 0.5, 0.2)],
}
