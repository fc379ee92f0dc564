"""The capsules that stand for the links of an arm: from the solids of its file, or along its links.

Along a link they go from joint to joint, and through the centre of mass where it is far from that
line: frames need not lie within the links.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_per_joint
from armdyn.excitation.capsules import Fit, corners_of, distances, enclosing
from armdyn.robot.chain import exact_cos_sin
from armdyn.robot.joint import Joint
from armdyn.robot.meshes import triangles_of
from armdyn.robot.model import Robot, Shape

# A link has a bend if its centre of mass is farther from the line between its joints than this
# share of the longest line or centre of mass.
BEND_SHARE = 0.1

# Radius of links without solids in the file, as a share of the longest link.
RADIUS_SHARE = 0.15

# Corners of the prism around a cylinder: its capsules are at most 2 % wider.
PRISM_CORNERS = 16

# The corners of a cube, and its faces as triangles.
CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = np.array([
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
])  # fmt: skip

Line = list[tuple[Array, Array]]


@dataclass(frozen=True)
class Capsule:
    """All points within `radius` of a segment, fixed to a link.

    Attributes:
        link: 0 for the base, i for the link that joint i moves.
        start: one end of the segment, in E_i, or in the base frame for link 0 [m].
        end: the other end.
        radius: [m].
    """

    link: int
    start: tuple[float, ...]
    end: tuple[float, ...]
    radius: float


@dataclass(frozen=True)
class Body:
    """The collision geometry of an arm.

    Attributes:
        capsules: that enclose its links, base first.
        hulls: corners of the convex hulls of links, ``(V, 3)`` in the frame of the link, for links
            whose solids are all flat-faced.
        notes: how the capsules were made.
    """

    capsules: tuple[Capsule, ...]
    hulls: dict[int, Array]
    notes: tuple[str, ...]


def body_of(arm: Arm, radius: object) -> Body:
    """Return the capsules that stand for the links of an arm.

    Args:
        arm: the arm.
        radius: of capsules along the links, one number or one a link; None takes the solids of the
            robot's file, and capsules along the links where it has none.
    """
    lines = skeleton(arm.robot)
    if radius is not None:
        each = checked_per_joint(radius, "radius", arm.n, above=0.0).tolist()
        sized = enumerate(zip(lines, [each[0], *each], strict=True))
        along = [_capsule(k, Fit(a, b, size)) for k, (line, size) in sized for a, b in line]
        return Body(tuple(along), {}, ())
    longest = max(float(np.linalg.norm(b - a)) for line in lines for a, b in line)
    usual = RADIUS_SHARE * (longest or 1.0)
    capsules: list[Capsule] = []
    bare: list[int] = []
    hulls: dict[int, Array] = {}
    reasons: list[str] = []
    for link, line in enumerate(lines):
        shapes = [shape for shape in arm.robot.shapes if shape.link == link]
        fits, triangles, faults = _solids(shapes)
        if triangles:
            every = np.concatenate(triangles)
            if not fits and not faults:
                hulls[link] = corners_of(every.reshape(-1, 3))
            fits.extend(_enclosing(every.tobytes()))
        reasons.extend(faults)
        has_mass = link > 0 and arm.robot.joints[link - 1].mass > 0.0
        if faults or (not shapes and (has_mass or not arm.robot.shapes)):
            bare.append(link)
            fits.extend(Fit(a, b, usual) for a, b in line)
        capsules.extend(_capsule(link, fit) for fit in fits)
    return Body(tuple(capsules), hulls, _notes(arm, bare, usual, reasons))


def skeleton(robot: Robot) -> list[Line]:
    """Return the segments of the base and of every link, each in the frame of its link."""
    joints, base = robot.joints, np.array(robot.base)
    ends = [[base[:3, :3] @ p + base[:3, 3] for p in _origins(joints[0])]]
    ends += [*map(_origins, joints[1:]), [np.array(robot.tool)[:3, 3]]]
    lines = [[(np.zeros(3), p) for p in points] for points in ends]
    for joint, line in zip(joints, lines[1:], strict=True):
        line.extend(_bend(joint, line))
    return lines


def _origins(joint: Joint) -> list[Array]:
    """Return where the origin of E_i can be in E_{i-1}: one point, or the ends of a slide."""
    (cb, sb), (cg, sg) = exact_cos_sin(joint.beta), exact_cos_sin(joint.tilt)
    offsets = [joint.d]
    if not joint.is_revolute:
        offsets = [joint.d + q for q in (joint.lower, joint.upper) if np.isfinite(q)] or offsets
    z = np.array([sg, -sb * cg, cb * cg])
    return [np.array([joint.b, 0.0, 0.0]) + d * z for d in offsets]


def _bend(joint: Joint, line: Line) -> Line:
    """Return segments to the centre of mass, if it is far from the others."""
    com = np.array(joint.com)
    size = max(float(np.linalg.norm(p)) for p in (com, *(b for _, b in line)))
    off = min(float(distances(com, a, b)) for a, b in line)
    if joint.mass == 0.0 or off <= BEND_SHARE * size:
        return []
    return [(np.zeros(3), com), *((com, b) for _, b in line)]


def link_name(arm: Arm, link: int) -> str:
    """Return the name of a link in notes and tables."""
    return "base" if link == 0 else f"link of {arm.joint_names[link - 1]}"


def _notes(arm: Arm, bare: list[int], radius: float, reasons: list[str]) -> tuple[str, ...]:
    if not bare:
        return ()
    which = "" if len(bare) == arm.n + 1 else f" of {', '.join(link_name(arm, k) for k in bare)}"
    why = f" ({'; '.join(dict.fromkeys(reasons))})" if reasons else ""
    return (
        f"the robot's file has no readable solids{which}{why}: capsules from joint to joint with "
        f"a radius of {radius:.3g} m ({RADIUS_SHARE:g} of the longest link) stand for them; give "
        "`radius` for others, and check the motion in a simulator.",
    )


def _capsule(link: int, fit: Fit) -> Capsule:
    return Capsule(link, tuple(fit.a.tolist()), tuple(fit.b.tolist()), fit.radius)


def _solids(shapes: list[Shape]) -> tuple[list[Fit], list[Array], list[str]]:
    """Return the round solids of a link, the triangles of others, and why some were not read."""
    fits: list[Fit] = []
    triangles: list[Array] = []
    reasons: list[str] = []
    balls = [_round(shape) for shape in shapes if shape.kind in ("sphere", "capsule")]
    for shape in shapes:
        solid: Array | str | None = None
        match shape.kind:
            case "sphere" | "capsule":
                fits.append(_round(shape))
            case "cylinder" if _is_capped(_round(shape), balls):
                fits.append(_round(shape))
            case "cylinder":
                solid = _prism(*shape.size)
            case "box":
                solid = (CUBE * np.array(shape.size))[FACES]
            case "mesh":
                solid = triangles_of(shape)
            case "unknown":
                solid = "a <collision> that cannot be understood"
        if isinstance(solid, str):
            reasons.append(solid)
        elif solid is not None:
            T = np.array(shape.placement)
            triangles.append(solid @ T[:3, :3].T + T[:3, 3])
    return _distinct(fits), triangles, reasons


def _distinct(fits: list[Fit]) -> list[Fit]:
    """Return capsules without those that lie within another one."""
    outer: list[Fit] = []
    for fit in sorted(fits, key=lambda fit: -fit.volume):
        ends = np.stack([fit.a, fit.b])
        if not any(
            (distances(ends, x.a, x.b) + fit.radius <= x.radius + 1e-9).all() for x in outer
        ):
            outer.append(fit)
    return outer


@lru_cache(maxsize=64)
def _enclosing(data: bytes) -> tuple[Fit, ...]:
    """Return the capsules around triangles given as bytes: the same solids are fitted once."""
    return tuple(enclosing(np.frombuffer(data).reshape(-1, 3, 3)))


def _round(shape: Shape) -> Fit:
    """Return a sphere or capsule, or the capsule that a cylinder with round ends is."""
    T = np.array(shape.placement)
    radius, length = (*shape.size, 0.0)[:2]
    half = T[:3, 2] * (length / 2)
    return Fit(T[:3, 3] - half, T[:3, 3] + half, radius)


def _is_capped(cylinder: Fit, balls: list[Fit]) -> bool:
    """Whether spheres of its radius sit at both ends of a cylinder."""
    near = 1e-6 + 1e-3 * cylinder.radius
    same = [ball.a for ball in balls if abs(ball.radius - cylinder.radius) < near]
    return all(
        any(np.linalg.norm(centre - end) < near for centre in same)
        for end in (cylinder.a, cylinder.b)
    )


def _prism(radius: float, length: float) -> Array:
    """Return the triangles of a prism around a cylinder along z."""
    angle = np.arange(PRISM_CORNERS) * (2 * np.pi / PRISM_CORNERS)
    wide = radius / np.cos(np.pi / PRISM_CORNERS)
    height = np.full(PRISM_CORNERS, length / 2)
    rim = np.stack([wide * np.cos(angle), wide * np.sin(angle), height], axis=1)
    other, next_rim = rim * [1, 1, -1], np.roll(rim, -1, axis=0)
    top = np.broadcast_to([0.0, 0.0, length / 2], rim.shape)
    caps = np.stack([rim, next_rim, top], axis=1)
    sides = np.stack([rim, next_rim, other], axis=1)
    more = np.stack([next_rim, next_rim * [1, 1, -1], other], axis=1)
    return np.concatenate([caps, caps * [1, 1, -1], sides, more])
