"""One picture of an arm: the arm in 3D, and maps of its inertia and gravity torques.

The arm is drawn as solids: links as tubes, joints as drums about their axes, and frames.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arm.scene import home, scene
from armdyn.arrays import Array
from armdyn.present.pictures import (
    JOINT_COLOURS,
    check_picture,
    new_figure,
    plain_text,
    write_picture,
)
from armdyn.robot.mechanism import check_serial

LEVELS = 14
# If a map varies by less than this share, it is shown as one number.
FLAT_MAP_SHARE = 0.01
# The pose of an arm with more joints is not written down.
MAX_LISTED_JOINTS = 8

# Colours of the axes x, y and z of a frame.
COLOURS = ("#d55e00", "#009e73", "#0072b2")

LINK, BASE = "#c9d0d9", "#59626f"
# Lengths of frame axes, and radii of links, as shares of the reach.
AXIS, THICK = 0.15, 0.052
# Smallest reach in a drawing [m]: a single link without a tool has no length.
MIN_REACH = 0.1
# Faces around a solid.
PARTS = 20
# From where one looks: this far [degrees] aside from the way to the tip.
VIEW_AZIMUTH = 65.0
# Where the light comes from.
SUN = np.array([0.35, -0.55, 0.75])

# Poses that are tried, and how far joints go in them: a share of their ranges, at most [rad or m].
TRIED, SHARE, FARTHEST = 400, 0.7, 1.9

# Positions of each of the two joints.
STEPS = 61
# Range of a joint without limits: a whole turn, or this far [m].
TURN, SLIDE = np.pi, 1.0
# Positions of a joint at which its effect is evaluated, to choose the two joints.
LOOKS = 24


def draw_arm(arm: Arm, path: str | os.PathLike[str]) -> None:
    """Draw an arm, and maps of inertia and gravity over its two most relevant joints.

    The others stay at the pose that is drawn, which is marked in the maps.

    The file is written whole or, if that fails, not at all.
    """
    check_serial(arm.robot, "Pictures")
    check_picture(path)
    q = showing(arm)
    figure = new_figure(11, 7.6)
    standing = figure.add_subplot(2, 2, 1, projection="3d")
    draw_figure(standing, arm, q)
    standing.set_title(plain_text(f"{arm.name} at {_place(arm, q)}"), fontsize=10, loc="left")
    swept = sweep(arm, q)
    for place, (title, values) in enumerate(_maps(arm, swept), start=2):
        _map(figure, figure.add_subplot(2, 2, place), arm, swept, title, values, q)
    write_picture(figure, path)


def _maps(arm: Arm, swept: Sweep) -> Iterator[tuple[str, Array]]:
    """Yield title and values of each map."""
    diagonal = np.diagonal(swept.inertia, axis1=-2, axis2=-1)
    j = int(np.argmax(np.ptp(diagonal, axis=(0, 1))))
    unit = "kg m²" if arm.robot.joints[j].is_revolute else "kg"
    yield f"inertia seen by {arm.joint_names[j]} [{unit}]", diagonal[..., j]
    k = int(np.argmax(np.abs(swept.gravity).max(axis=(0, 1))))
    unit = "N m" if arm.robot.joints[k].is_revolute else "N"
    yield f"torque of {arm.joint_names[k]} against gravity [{unit}]", swept.gravity[..., k]
    eigenvalues = np.linalg.eigvalsh(swept.inertia)
    ratio = eigenvalues[..., -1] / np.maximum(eigenvalues[..., 0], np.finfo(float).tiny)
    yield "largest over least eigenvalue of the mass matrix (SI units)", ratio


def _map(
    figure: Any, axes: Any, arm: Arm, swept: Sweep, title: str, values: Array, q: Array
) -> None:
    axes.set_title(plain_text(title), fontsize=10, loc="left")
    axes.tick_params(labelsize=8)
    a, b = swept.joints
    axes.set_xlabel(_axis(arm, a), fontsize=9)
    if a == b:  # one joint: a line
        axes.plot(_shown(arm, a, swept.first), np.diagonal(values), color="#2563a8")
        axes.grid(alpha=0.3)
        return
    axes.set_ylabel(_axis(arm, b), fontsize=9)
    low, high = float(values.min()), float(values.max())
    if high - low <= FLAT_MAP_SHARE * max(abs(low), abs(high)):
        words = (
            f"hardly changes: {low:.4g} to {high:.4g}" if low < high else f"{low:.4g} everywhere"
        )
        axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", color="0.3")
        axes.set_xticks([])
        axes.set_yticks([])
        return
    signed = low < 0.0 < high
    reach = max(-low, high)
    limits = {"vmin": -reach, "vmax": reach} if signed else {}
    drawn = axes.contourf(
        _shown(arm, a, swept.first), _shown(arm, b, swept.second), values, levels=LEVELS,
        cmap="RdBu_r" if signed else "viridis", **limits,
    )  # fmt: skip
    figure.colorbar(drawn, ax=axes, pad=0.02).ax.tick_params(labelsize=8)
    at = (_shown(arm, a, q[a]), _shown(arm, b, q[b]))
    axes.plot(*at, marker="P", color="white", markeredgecolor="black", markersize=9)


def _axis(arm: Arm, j: int) -> str:
    return plain_text(f"{arm.joint_names[j]} [{'°' if arm.robot.joints[j].is_revolute else 'm'}]")


def _shown(arm: Arm, j: int, values: Any) -> Any:
    return np.degrees(values) if arm.robot.joints[j].is_revolute else values


def _place(arm: Arm, q: Array) -> str:
    if not q.any():
        return "q = 0"
    if arm.n > MAX_LISTED_JOINTS:
        return "a pose within its limits"
    said = [
        f"{np.degrees(x):.0f}°" if joint.is_revolute else f"{x:.3g} m"
        for x, joint in zip(q, arm.robot.joints, strict=True)
    ]
    return ", ".join(said)


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


@dataclass(frozen=True, eq=False)
class Sweep:
    """Mass matrix and gravity while two joints move and the others stay.

    Attributes:
        joints: the two joints, from 0; twice the same if the arm has only one.
        first: positions of the first, ``(STEPS,)``.
        second: of the second.
        inertia: mass matrices, ``(STEPS, STEPS, n, n)``, the second joint's position first.
        gravity: torques that hold the arm, ``(STEPS, STEPS, n)``.
    """

    joints: tuple[int, int]
    first: Array
    second: Array
    inertia: Array
    gravity: Array


def sweep(arm: Arm, q: Array) -> Sweep:
    """Sweep the two joints whose motion changes inertia and gravity most."""
    a, b = _joints(arm, q)
    first, second = _range(arm, a, STEPS), _range(arm, b, STEPS)
    states = np.broadcast_to(q, (STEPS, STEPS, arm.n)).copy()
    states[:, :, b] = second[:, None]
    states[:, :, a] = first[None, :]
    return Sweep((a, b), first, second, arm.mass_matrix(states), arm.gravity(states))


def _joints(arm: Arm, q: Array) -> tuple[int, int]:
    """Return the joints with the largest effect, in the order of the arm."""
    if arm.n == 1:
        return 0, 0
    rng = np.random.default_rng(0)
    ranges = np.array([_range(arm, j, LOOKS) for j in range(arm.n)])
    others = rng.permuted(ranges, axis=1).T  # (LOOKS, n): the other joints anywhere
    changes = np.zeros(arm.n)
    inertia_size = np.abs(arm.mass_matrix(others)).max()
    weight_size = np.abs(arm.gravity(others)).max() or 1.0
    for j in range(arm.n):
        states = np.repeat(others[:, None, :], LOOKS, axis=1)
        states[:, :, j] = ranges[j]
        diagonal = np.diagonal(arm.mass_matrix(states), axis1=-2, axis2=-1)
        changes[j] = np.ptp(diagonal, axis=1).mean(axis=0).sum() / inertia_size
        changes[j] += np.ptp(arm.gravity(states), axis=1).mean(axis=0).sum() / weight_size
    a, b = sorted(int(j) for j in np.argsort(changes)[-2:])
    return a, b


def _range(arm: Arm, j: int, steps: int) -> Array:
    joint = arm.robot.joints[j]
    far = TURN if joint.is_revolute else SLIDE
    low = joint.lower if np.isfinite(joint.lower) else min(-far, joint.upper - far)
    high = joint.upper if np.isfinite(joint.upper) else max(far, low + far)
    if joint.is_revolute and high - low > 2.0 * TURN:  # one turn tells all
        middle = float(np.clip(0.0, low + TURN, high - TURN))
        low, high = middle - TURN, middle + TURN
    return np.linspace(low, high, steps)


def draw_figure(axes: Any, arm: Arm, q: Array) -> None:
    """Draw an arm at q into 3D axes."""
    anchors = [np.array(joint["anchor"]) for joint in scene(arm)["joints"]]
    frames = [arm.pose(q, frame=i) for i in range(1, arm.n + 1)]
    tip = arm.pose(q)
    joints = [T[:3, :3] @ at + T[:3, 3] for T, at in zip(frames, anchors, strict=True)]
    points = np.array([np.zeros(3), *joints, tip[:3, 3]])
    reach = max(float(np.ptp(points, axis=0).max()), MIN_REACH)
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
    aside = np.degrees(np.arctan2(points[-1, 1], points[-1, 0])) - VIEW_AZIMUTH
    axes.view_init(elev=18, azim=aside)
