"""The capsules of an arm: from the solids of its file, or along its links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_per_joint
from armdyn.identification.exciting.geometry.enclosing import Fit, corners_of, distances, enclosing
from armdyn.robot.chain import exact_cos_sin
from armdyn.robot.joint import Joint
from armdyn.robot.meshes import triangles_of
from armdyn.robot.model import Robot, Shape

# Segments along the links: from joint to joint, through the centre of mass where it is aside.

# A centre of mass this far from the straight line between joints, as a share of the longest line or
# centre of mass, shows that the link makes a bend: frames need not lie within the links.
ASIDE = 0.1


def skeleton(robot: Robot) -> list[list[tuple[Array, Array]]]:
    """Return the segments of the base and of every link, each in the frame of its link."""
    joints = robot.joints
    first = np.array(robot.base)
    lines = [[(np.zeros(3), first[:3, :3] @ p + first[:3, 3]) for p in _reached(joints[0])]]
    for joint, after in pairwise(joints):
        lines.append([(np.zeros(3), p) for p in _reached(after)])
        lines[-1].extend(_bend(joint, lines[-1]))
    tip = np.array(robot.tool)[:3, 3]
    lines.append([(np.zeros(3), tip)])
    lines[-1].extend(_bend(joints[-1], lines[-1]))
    return lines


def longest(lines: list[list[tuple[Array, Array]]]) -> float:
    """Return the length of the longest segment [m]."""
    return max(float(np.linalg.norm(b - a)) for line in lines for a, b in line)


def _reached(joint: Joint) -> list[Array]:
    """Return where the origin of E_i can be in E_{i-1}: one point, or the ends of a slide."""
    (cb, sb), (cg, sg) = exact_cos_sin(joint.beta), exact_cos_sin(joint.tilt)
    offsets = [joint.d]
    if not joint.is_revolute:
        offsets = [joint.d + q for q in (joint.lower, joint.upper) if np.isfinite(q)] or offsets
    z = np.array([sg, -sb * cg, cb * cg])
    return [np.array([joint.b, 0.0, 0.0]) + d * z for d in offsets]


def _bend(joint: Joint, lines: list[tuple[Array, Array]]) -> list[tuple[Array, Array]]:
    """Return segments to the centre of mass, if it is far from the others."""
    com = np.array(joint.com)
    size = max([float(np.linalg.norm(com)), *(float(np.linalg.norm(b)) for _, b in lines)])
    if joint.mass == 0.0 or min(_off(com, a, b) for a, b in lines) <= ASIDE * size:
        return []
    return [(np.zeros(3), com), *((com, b) for _, b in lines)]


def _off(point: Array, a: Array, b: Array) -> float:
    along = b - a
    square = float(along @ along)
    share = min(1.0, max(0.0, float((point - a) @ along) / square)) if square > 0.0 else 0.0
    return float(np.linalg.norm(point - a - share * along))


# Radius of links that no file describes, as a share of the longest link.
RADIUS = 0.15

# Corners of the prism around a cylinder.
SIDES = 16

# The corners of a cube, and its faces as triangles.
CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = np.array([
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
])  # fmt: skip


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
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius: float


@dataclass(frozen=True)
class Body:
    """What stands for an arm in space.

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
        given = checked_per_joint(radius, "radius", arm.n, above=0.0)
        sizes = [float(given[0]), *(float(r) for r in given)]
        return Body(tuple(_along(lines, sizes, range(arm.n + 1))), {}, ())
    usual = RADIUS * (longest(lines) or 1.0)
    found: list[Capsule] = []
    bare: list[int] = []
    hulls: dict[int, Array] = {}
    reasons: list[str] = []
    for link in range(arm.n + 1):
        shapes = [shape for shape in arm.robot.shapes if shape.link == link]
        fits, triangles, wrong = _solids(shapes)
        if triangles:
            every = np.concatenate(triangles)
            if not fits and not wrong:
                hulls[link] = corners_of(every.reshape(-1, 3))
            fits.extend(_enclosing(every.tobytes()))
        found.extend(_capsule(link, fit) for fit in fits)
        reasons.extend(wrong)
        has_mass = link > 0 and arm.robot.joints[link - 1].mass > 0.0
        if wrong or (not shapes and (has_mass or not arm.robot.shapes)):
            bare.append(link)
    found.extend(_along(lines, [usual] * (arm.n + 1), bare))
    found.sort(key=lambda capsule: capsule.link)
    return Body(tuple(found), hulls, _notes(arm, bare, usual, reasons))


def link_name(arm: Arm, link: int) -> str:
    """Return what notes and tables call a link."""
    return "base" if link == 0 else f"link of {arm.joint_names[link - 1]}"


def _notes(arm: Arm, bare: list[int], radius: float, reasons: list[str]) -> tuple[str, ...]:
    if not bare:
        return ()
    which = "" if len(bare) == arm.n + 1 else f" of {', '.join(link_name(arm, k) for k in bare)}"
    why = f" ({'; '.join(dict.fromkeys(reasons))})" if reasons else ""
    return (
        f"the robot's file has no solids{which} that can be read{why}: capsules from joint to "
        f"joint with a radius of {radius:.3g} m ({RADIUS:g} of the longest link) stand for them; "
        "give `radius` for others, and check the motion in a simulator.",
    )


def _along(
    lines: list[list[tuple[Array, Array]]], sizes: list[float], links: Iterable[int]
) -> Iterator[Capsule]:
    for link in links:
        for a, b in lines[link]:
            yield _capsule(link, Fit(a, b, sizes[link]))


def _capsule(link: int, fit: Fit) -> Capsule:
    a, b = (tuple(float(x) for x in end) for end in (fit.a, fit.b))
    return Capsule(link, (a[0], a[1], a[2]), (b[0], b[1], b[2]), fit.radius)


def _solids(shapes: list[Shape]) -> tuple[list[Fit], list[Array], list[str]]:
    """Return the round solids of a link, the triangles of others, and why some were not read."""
    found: list[Fit] = []
    triangles: list[Array] = []
    reasons: list[str] = []
    balls = [_round(shape) for shape in shapes if shape.kind in ("sphere", "capsule")]
    for shape in shapes:
        T = np.array(shape.placement)
        match shape.kind:
            case "sphere" | "capsule":
                found.append(_round(shape))
            case "cylinder":
                ends = _round(shape)
                if _capped(ends, balls):
                    found.append(ends)
                else:
                    triangles.append(_moved(_prism(*shape.size), T))
            case "box":
                triangles.append(_moved((CUBE * np.array(shape.size))[FACES], T))
            case "mesh":
                read = triangles_of(shape)
                if isinstance(read, str):
                    reasons.append(read)
                else:
                    triangles.append(_moved(read, T))
            case "unknown":
                reasons.append("a <collision> that cannot be understood")
    return _distinct(found), triangles, reasons


def _distinct(fits: list[Fit]) -> list[Fit]:
    """Return capsules without those that lie within another one."""
    left: list[Fit] = []
    for fit in sorted(fits, key=lambda fit: -fit.volume):
        ends = np.stack([fit.a, fit.b])
        if not any((distances(ends, x) + fit.radius <= x.radius + 1e-9).all() for x in left):
            left.append(fit)
    return left


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


def _capped(cylinder: Fit, balls: list[Fit]) -> bool:
    """Whether spheres of its radius sit at both ends of a cylinder."""
    near = 1e-6 + 1e-3 * cylinder.radius
    return all(
        any(
            np.linalg.norm(ball.a - end) < near and abs(ball.radius - cylinder.radius) < near
            for ball in balls
        )
        for end in (cylinder.a, cylinder.b)
    )


def _prism(radius: float, length: float) -> Array:
    """Return the triangles of a prism around a cylinder along z."""
    angle = np.arange(SIDES) * (2 * np.pi / SIDES)
    wide = radius / np.cos(np.pi / SIDES)
    rim = np.stack([wide * np.cos(angle), wide * np.sin(angle), np.full(SIDES, length / 2)], axis=1)
    other, next_rim = rim * [1, 1, -1], np.roll(rim, -1, axis=0)
    top = np.broadcast_to([0.0, 0.0, length / 2], rim.shape)
    caps = np.stack([rim, next_rim, top], axis=1)
    sides = np.stack([rim, next_rim, other], axis=1)
    more = np.stack([next_rim, next_rim * [1, 1, -1], other], axis=1)
    return np.concatenate([caps, caps * [1, 1, -1], sides, more])


def _moved(triangles: Array, T: Array) -> Array:
    return triangles @ T[:3, :3].T + T[:3, 3]
