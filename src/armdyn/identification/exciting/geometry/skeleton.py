"""Segments along the links: from joint to joint, through the centre of mass where it is aside."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.chain import exact_cos_sin
from armdyn.robot.joint import Joint
from armdyn.robot.model import Robot

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
