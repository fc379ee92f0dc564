"""What a page draws of an arm: placements, capsules, boxes of equal inertia, meshes, limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.arm.frames import link_frames, placements_of
from armdyn.arm.kinematics_code import given_joint, inverse_kinematics_program
from armdyn.arrays import Array
from armdyn.export.libraries import javascript_object
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.present.html import packed_column
from armdyn.robot.chain import chain_of
from armdyn.robot.drawing import drawn
from armdyn.robot.friction import has_load_terms
from armdyn.robot.joint import Joint
from armdyn.robot.mechanism import check_serial
from armdyn.robot.model import Robot

if TYPE_CHECKING:
    from armdyn.arm.arm import Arm

# The programs of an arm that its page contains, as JavaScript.

# What the page itself calls; the other functions are for its console.
NEEDED = (
    "pose", "jacobian", "gravity", "mass_matrix", "inverse_mass_matrix", "kinetic_energy",
    "potential_energy", "friction", "forward_dynamics", "inverse_dynamics",
)  # fmt: skip
WITHOUT_FRICTION = ("forward_dynamics", "inverse_dynamics")
# Arms with more joints have sweeps instead of straight-line code: their page shows where they are.
MOST_JOINTS = 40
# Operations of all programs together: some 30 bytes each.
MOST_OPERATIONS = 30_000
# Operations of the closed form of inverse kinematics; longer ones (quartics) are left to a search.
MOST_EXACT = 4_000


def programs_of(arm: Arm, console: bool = True) -> tuple[str, tuple[str, ...]]:
    """Return the programs as an expression of JavaScript, and the names of those left out.

    Args:
        arm: the arm.
        console: whether those that only a console calls are among them.
    """
    found: list[tuple[str, Program]] = []
    left_out: list[str] = []
    room = MOST_OPERATIONS
    for name, program in _page_programs(arm, console):
        if program is None or len(program.code) > room:
            left_out.append(name)
        else:
            found.append((name, program))
            room -= len(program.code)
    return javascript_object(found), tuple(left_out)


def _page_programs(arm: Arm, console: bool) -> Iterator[tuple[str, Program | None]]:
    """Yield names and programs, those that the page needs first; None for a program with loops."""
    if arm.n > MOST_JOINTS:
        for name in NEEDED:
            yield name, None
        return
    has = arm.quantities
    for name in NEEDED:
        if name in has:
            yield name, _straight(arm, name)
    for name in WITHOUT_FRICTION:
        if name in has:
            yield f"{name}_without_friction", _straight(arm, name, friction=False)
    exact = inverse_kinematics_program(arm.robot)
    if exact is not None and len(exact.code) <= MOST_EXACT:
        yield exact.name, exact
    for name in has:
        if console and name not in NEEDED:
            yield name, _straight(arm, name)


def _straight(arm: Arm, name: str, friction: bool = True) -> Program | None:
    program = arm.function(name, friction=friction).program
    return None if isinstance(program, Rolled) else program


# What a page draws of an arm: placements, capsules, boxes of equal inertia, limits.

# Poses that tell how far an arm reaches and how large its gravity torques are.
POSES = 64
# Smallest reach of a picture [m]: a link without a tool has no length.
MIN_REACH = 0.05
# A frame origin farther than this [m] from its link's mass is an artefact of nearly parallel axes.
MAX_FRAME_DISTANCE = 10.0
# How far off its axis [m] the origin of a named frame may be.
ON_AXIS = 1e-6
# Boxes of equal inertia are at least this long [m], so that they are seen.
MIN_BOX_LENGTH = 2e-3
# Ranges of joints without limits: a turn, or a metre each way.
TURN, SLIDE = math.pi, 1.0
# The bar of a joint that hardly feels the weight ends at this share of the largest torque.
MIN_BAR_SHARE = 0.01
# Stiffness of the hand that pushes an arm: this part of its weight for a push of its own reach.
PUSH = 1.2


def home(arm: Arm) -> Array:
    """Return zero, or the middle of the range for joints that cannot be at zero, ``(n,)``."""
    middles = [
        0.0 if j.lower <= 0.0 <= j.upper else (j.lower + j.upper) / 2 for j in arm.robot.joints
    ]
    return np.array(middles)


def scene(arm: Arm, motion: Array | None = None) -> dict[str, Any]:
    """Return the arm as plain data for the page.

    Args:
        arm: the arm.
        motion: positions ``(N, n)`` that will be shown; they decide what the picture contains.
    """
    check_serial(arm.robot, "Drawings")
    robot, chain, start = arm.robot, chain_of(arm.robot), home(arm)
    placements = placements_of(robot)
    anchors = [_anchor(arm, k) for k in range(arm.n)]
    poses = _poses(arm)
    drawn = _points(arm, placements, anchors, np.vstack([start[None], poses]))
    size = max(float(np.linalg.norm(drawn, axis=-1).max()), MIN_REACH)
    shown = drawn[:1] if motion is None else _points(arm, placements, anchors, _few(motion))
    boxed = np.vstack([shown.reshape(-1, 3), np.zeros((1, 3))])
    scales = _scales(arm, poses)
    weight = sum(j.mass for j in robot.joints) * (float(np.linalg.norm(robot.gravity)) or 9.81)
    return {
        "name": arm.name,
        "up": _up(robot.gravity),
        "floor": [0.0, 0.0, 0.0],
        "centre": ((boxed.min(axis=0) + boxed.max(axis=0)) / 2).tolist(),
        "size": size,
        "cell": 0.1 * 10.0 ** math.floor(math.log10(1.2 * size)),
        "spring": PUSH * max(weight, 1.0) / size,
        "home": start.tolist(),
        "given": given_joint(arm.robot),
        "base": [list(row) for row in robot.base[:3]],
        "tool": [list(row) for row in robot.tool[:3]],
        "loadFriction": has_load_terms(link.friction for link in chain.links),
        "joints": [
            {
                "name": joint.name,
                "revolute": joint.is_revolute,
                **{name: _finite(getattr(joint, name)) for name in LIMITS},
                "placement": placements[k][:3].tolist(),
                "anchor": anchors[k].tolist(),
                "mass": joint.mass,
                "com": list(joint.com),
                "box": _box(joint),
                "scale": scales[k],
                "digits": min(max(3 - math.floor(math.log10(scales[k])), 0), 4),
            }
            for k, joint in enumerate(robot.joints)
        ],
    }


LIMITS = ("lower", "upper", "velocity", "effort")


def _finite(x: float) -> float | None:
    """Return a limit, or None if there is none: JSON has no infinity."""
    return x if math.isfinite(x) else None


def _anchor(arm: Arm, k: int) -> Array:
    """Return the point of joint k, from 0, on its axis in E_{k+1}: where its file has it, or O."""
    for frame in arm.robot.frames:
        x, y, z = (row[3] for row in frame.placement[:3])
        if frame.link == k + 1 and math.hypot(x, y) < ON_AXIS:
            return np.array([0.0, 0.0, z])
    com = arm.robot.joints[k].com
    return np.array([0.0, 0.0, com[2] if math.hypot(*com) > MAX_FRAME_DISTANCE else 0.0])


def _poses(arm: Arm) -> Array:
    """Return random poses within the limits, the same for every page of an arm."""
    ends = [
        (
            joint.lower if math.isfinite(joint.lower) else -(TURN if joint.is_revolute else SLIDE),
            joint.upper if math.isfinite(joint.upper) else TURN if joint.is_revolute else SLIDE,
        )
        for joint in arm.robot.joints
    ]
    low, high = np.array(ends).T
    ordered = np.minimum(low, high), np.maximum(low, high)
    return np.random.default_rng(0).uniform(*ordered, (POSES, arm.n))


def _points(arm: Arm, placements: Array, anchors: list[Array], q: Array) -> Array:
    """Return the points of joints and the tip in the base frame, ``(N, n + 1, 3)``."""
    T, points = link_frames(arm.robot, placements, q), np.stack([*anchors, np.zeros(3)])
    return (T[..., :3, :3] @ points[..., None])[..., 0] + T[..., :3, 3]


def _few(motion: Array) -> Array:
    return motion[:: max(1, len(motion) // (2 * POSES))]


def _scales(arm: Arm, poses: Array) -> list[float]:
    """Return the torque at the end of each bar: the effort limit, or the largest of the poses."""
    known = arm.n <= MOST_JOINTS  # else the page shows no torques
    largest = np.abs(arm.gravity(poses)).max(axis=0) if known else np.ones(arm.n)
    least = max(MIN_BAR_SHARE * float(largest.max()), 1e-6)
    return [
        joint.effort if 0.0 < joint.effort < math.inf else max(float(largest[k]), least)
        for k, joint in enumerate(arm.robot.joints)
    ]


def _box(joint: Joint) -> dict[str, Any] | None:
    """Return the box of equal density with the link's mass and inertia; None without a mass."""
    if not joint.mass > 0.0:
        return None
    xx, xy, xz, yy, yz, zz = joint.inertia
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    squares = 6.0 * (moments.sum() - 2.0 * moments) / joint.mass
    placement = np.eye(4)
    placement[:3, :3], placement[:3, 3] = axes, joint.com
    size = np.maximum(np.sqrt(np.maximum(squares, 0.0)), MIN_BOX_LENGTH)
    return {"placement": placement[:3].tolist(), "size": size.tolist()}


def _up(gravity: tuple[float, float, float]) -> list[float]:
    """Return the upward direction of the picture: against gravity, or z without gravity."""
    g = -np.array(gravity)
    size = float(np.linalg.norm(g))
    return (g / size).tolist() if size > 0.0 else [0.0, 0.0, 1.0]


# Meshes of links as plain data for the page: thinned out, and packed.

# Triangles of all meshes together: some 20 bytes each.
MOST_TRIANGLES = 24_000


def meshes_of(robot: Robot, packages: Sequence[Path]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the meshes for the page, and a sentence for what is missing.

    Args:
        robot: the robot.
        packages: folders in which meshes are looked for, besides that of the robot's file.
    """
    seen = drawn(robot, packages, most=MOST_TRIANGLES)
    notes = list(seen.notes)
    if not seen.parts and not notes:
        notes = [f"The description of {robot.name} has no meshes: its links are capsules."]
    return [
        {
            "link": part.link,
            "colour": None if part.colour is None else list(part.colour),
            "corners": [packed_column(np.ascontiguousarray(x)) for x in part.corners.T],
            "faces": packed_column(part.faces.ravel().astype(float)),
        }
        for part in seen.parts
    ], notes
