"""An arm as solids in 3D axes: links as tubes, joints as drums about their axes, and frames."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm, scene
from armdyn.present import JOINT_COLOURS

Array = NDArray[np.float64]

COLOURS = ("#d55e00", "#009e73", "#0072b2")
"""Colours of the axes x, y and z of a frame."""

LINK, BASE = "#c9d0d9", "#59626f"
# Lengths of frame axes, and radii of links, as shares of the reach.
AXIS, THICK = 0.15, 0.052
# Smallest reach in a drawing [m]: a single link without a tool has no length.
SMALLEST = 0.1
# Faces around a solid.
PARTS = 20
# From where one looks: this far [degrees] aside from the way to the tip.
ASIDE = 65.0
# Where the light comes from.
SUN = np.array([0.35, -0.55, 0.75])


def draw_figure(axes: Any, arm: Arm, q: Array) -> None:
    """Draw an arm at q into 3D axes."""
    anchors = [np.array(joint["anchor"]) for joint in scene(arm)["joints"]]
    frames = [arm.pose(q, frame=i) for i in range(1, arm.n + 1)]
    tip = arm.pose(q)
    joints = [T[:3, :3] @ at + T[:3, 3] for T, at in zip(frames, anchors, strict=True)]
    points = np.array([np.zeros(3), *joints, tip[:3, 3]])
    reach = max(float(np.ptp(points, axis=0).max()), SMALLEST)
    many = min(1.0, float(np.sqrt(8 / arm.n)))  # the more joints, the thinner
    solids: list[tuple[Array, str]] = []
    for k, (a, b) in enumerate(pairwise(points)):
        radius = THICK * reach * many * (1.0 - 0.45 * k / arm.n)
        solids.append((_tube(a, b, radius), LINK if k else BASE))
        solids.append((_ball(b, radius), LINK if k else BASE))
    for k, (T, joint) in enumerate(zip(frames, arm.robot.joints, strict=True)):
        radius = 1.3 * THICK * reach * many * (1.0 - 0.45 * k / arm.n)
        along = T[:3, 2] * radius * (1.2 if joint.is_revolute else 2.0)
        wide = radius if joint.is_revolute else 0.7 * radius
        drum = _tube(points[k + 1] - along, points[k + 1] + along, wide, closed=True)
        solids.append((drum, JOINT_COLOURS[k % len(JOINT_COLOURS)]))
    _add(axes, solids)
    for place in (np.eye(4), tip):
        for k, colour in enumerate(COLOURS):
            ends = place[:3, 3] + np.outer([0.0, AXIS], place[:3, k]) * reach
            axes.plot(*ends.T, color=colour, linewidth=2.0, zorder=3)
    _frame(axes, points, reach)


def _tube(a: Array, b: Array, radius: float, closed: bool = False) -> Array:
    """Return a tube from a to b as faces of four corners, ``(F, 4, 3)``."""
    long = float(np.linalg.norm(b - a))
    if long < 1e-9:
        return np.empty((0, 4, 3))
    along = (b - a) / long
    side = _across(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    side = side / float(np.linalg.norm(side))
    turn = np.linspace(0.0, 2.0 * np.pi, PARTS + 1)[:, None]
    ring = radius * (np.cos(turn) * side + np.sin(turn) * _across(along, side))
    faces = [np.stack([a + ring[:-1], a + ring[1:], b + ring[1:], b + ring[:-1]], axis=1)]
    for end in (a, b) if closed else ():
        middle = np.broadcast_to(end, (PARTS, 3))
        faces.append(np.stack([middle, end + ring[:-1], end + ring[1:], middle], axis=1))
    return np.concatenate(faces)


def _across(a: Array, b: Array) -> Array:
    return np.asarray(np.cross(a, b), dtype=np.float64)


def _ball(at: Array, radius: float) -> Array:
    """Return a ball as faces of four corners."""
    up, around = np.meshgrid(
        np.linspace(-np.pi / 2, np.pi / 2, PARTS // 2 + 1), np.linspace(0, 2 * np.pi, PARTS + 1)
    )
    grid = at + radius * np.stack(
        [np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)], axis=-1
    )
    corners = [grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]]
    return np.stack(corners, axis=2).reshape(-1, 4, 3)


def _add(axes: Any, solids: list[tuple[Array, str]]) -> None:
    """Add all faces as one collection, so that they hide each other, lit from above."""
    rgb = import_module("matplotlib.colors").to_rgb
    faces = np.concatenate([found for found, _ in solids])
    paint = np.concatenate([np.tile(rgb(colour), (len(found), 1)) for found, colour in solids])
    normals = _across(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    lit = np.abs(normals / np.maximum(sizes, 1e-300) @ (SUN / np.linalg.norm(SUN)))
    shaded = np.clip(paint * (0.55 + 0.45 * lit[:, None]), 0.0, 1.0)
    collection = import_module("mpl_toolkits.mplot3d.art3d").Poly3DCollection
    drawn = collection(faces, facecolors=shaded, edgecolors=shaded, linewidths=0.3)
    axes.add_collection3d(drawn)


def _frame(axes: Any, points: Array, reach: float) -> None:
    """Set equal scales in all directions, and name the axes."""
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    for k, name in enumerate("xyz"):
        getattr(axes, f"set_{name}lim")(middle[k] - 0.54 * reach, middle[k] + 0.54 * reach)
        getattr(axes, f"set_{name}label")(f"{name} [m]", fontsize=8, labelpad=0)
        getattr(axes, f"{name}axis").get_major_locator().set_params(nbins=5)
    axes.set_box_aspect((1, 1, 1), zoom=1.1)
    axes.tick_params(labelsize=7, pad=0)
    aside = np.degrees(np.arctan2(points[-1, 1], points[-1, 0])) - ASIDE
    axes.view_init(elev=18, azim=aside)
