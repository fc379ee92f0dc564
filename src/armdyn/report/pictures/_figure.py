"""Stick figures: an arm as the lines between the origins of its frames, with their axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm

Array = NDArray[np.float64]

COLOURS = ("#d1495b", "#2e8b57", "#2563a8")
"""Colours of the axes x, y and z of a frame."""

# Lengths of frame axes and joint axes, as shares of the reach.
AXIS, AXLE = 0.12, 0.07
# Smallest reach in a drawing [m]: a single link without a tool has no length.
SMALLEST = 0.1


def draw_figure(axes: Any, arm: Arm, q: Array) -> None:
    """Draw an arm at q into 3D axes."""
    poses = [arm.pose(q, frame=i) for i in range(arm.n + 1)] + [arm.pose(q)]
    base = np.zeros((1, 3))
    points = np.concatenate([base, [pose[:3, 3] for pose in poses]])
    reach = max(float(np.ptp(points, axis=0).max()), SMALLEST)
    many = min(1.0, 10 / arm.n)  # the more joints, the smaller they are drawn
    axes.plot(*points.T, color="0.25", linewidth=4, solid_capstyle="round", zorder=1)
    for pose, joint in zip(poses[1:-1], arm.robot.joints, strict=True):
        at, along = pose[:3, 3], pose[:3, 2]
        ends = at + np.outer([-AXLE, AXLE], along) * reach * many
        width = (7 if joint.is_revolute else 3) * many
        axes.plot(*ends.T, color="#f0a030", linewidth=width, solid_capstyle="butt", zorder=2)
    for pose in (np.eye(4), *poses[1:]):
        for k, colour in enumerate(COLOURS):
            ends = pose[:3, 3] + np.outer([0.0, AXIS], pose[:3, k]) * reach * many
            axes.plot(*ends.T, color=colour, linewidth=1.4, zorder=3)
    for name, at, way in (("base", points[0], -2 * AXIS), ("tip", points[-1], 1.2 * AXIS)):
        x, y, z = at
        axes.text(x, y, z + way * reach, name, fontsize=8, color="0.3", ha="center")
    _frame(axes, points, reach)


def _frame(axes: Any, points: Array, reach: float) -> None:
    """Set equal scales in all directions, and name the axes."""
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    for k, name in enumerate("xyz"):
        getattr(axes, f"set_{name}lim")(middle[k] - 0.6 * reach, middle[k] + 0.6 * reach)
        getattr(axes, f"set_{name}label")(f"{name} [m]", fontsize=8, labelpad=0)
        getattr(axes, f"{name}axis").get_major_locator().set_params(nbins=5)
    axes.set_box_aspect((1, 1, 1), zoom=1.2)
    axes.tick_params(labelsize=7, pad=0)
    axes.view_init(elev=20, azim=-60)
