"""Seven joints: three axes meet in a shoulder, three in a wrist, and one bends the elbow between.

The distance of the wrist from the shoulder gives joint 4. What is left free is the turn of the
elbow about the line from shoulder to wrist, the swivel angle psi: with n along that line and z
along axis 1, e2 = z x n and e1 = e2 x n, the elbow lies on the side cos(psi) e1 + sin(psi) e2.
Where n is parallel to axis 1 the angle has no zero of its own, and is counted from x.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from armdyn.algorithms.vector import add, cross, dot, scale
from armdyn.kinematics.equations import TINY, Pair, turned, two_elbows, unit
from armdyn.kinematics.geometry import ZERO, Branch, Pose, Row, size_of
from armdyn.kinematics.wrist import is_ball, three_turns, with_wrist
from armdyn.robot.chain import Vector
from armdyn.scalar import max, min, select, sqrt

BRANCHES = 8


def has_swivel(rows: Sequence[Row]) -> bool:
    """Say whether an arm has a shoulder, an elbow and a wrist, the elbow in the plane of both."""
    if len(rows) != 7 or not all(row.rotational for row in rows):
        return False
    _, _, three, four, five, _, _ = rows
    upper, lower = _bones(rows)
    return (
        is_ball(rows[:3]) and is_ball(rows[4:])
        and abs(three.d * four.C + four.d + five.C * five.d) < ZERO
        and math.hypot(*upper) > ZERO and math.hypot(*lower) > ZERO
    )  # fmt: skip


def _bones(rows: Sequence[Row]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return axis 4 as seen from the shoulder, and the wrist from axis 4, across that axis."""
    _, _, three, four, five, _, _ = rows
    return (four.b, four.S * three.d), (five.b, -five.S * five.d)


def swivel_branches(rows: Sequence[Row], pose: Pose, psi: Pair) -> list[Branch]:
    """Return all branches at a swivel angle, given as its cosine and sine."""
    upper, lower = _bones(rows)
    x, y, z = add(pose.p, scale(-rows[6].d, pose.Z))
    line: Vector = (x, y, z - rows[0].d)
    square = dot(line, line)
    known = square - (ZERO * size_of(rows)) ** 2
    inverse = 1.0 / sqrt(select(known, square, 1.0))
    n: Vector = (
        select(known, line[0] * inverse, 0.0),
        select(known, line[1] * inverse, 0.0),
        select(known, line[2] * inverse, 1.0),
    )
    c, s, _ = unit(-n[1], n[0], 1.0)
    e2: Vector = (c, s, 0.0)
    side = add(scale(psi[0], cross(e2, n)), scale(psi[1], e2))
    normal = cross(n, side)
    length = math.hypot(*upper)
    along = (upper[0] / length, -upper[1] / length)
    bent = (
        lower[0] * along[0] - lower[1] * along[1],
        lower[1] * along[0] + lower[0] * along[1],
    )
    elbows, margin = two_elbows(length, bent, square)
    found: list[Branch] = []
    # the elbow is to the left of the line to the wrist, seen along axis 4, or to the right
    for q4, axis in zip(elbows, (scale(-1.0, normal), normal), strict=True):
        u, v = turned(q4, lower)
        f = (upper[0] + u, upper[1] + v)
        size = 1.0 / sqrt(max(f[0] * f[0] + f[1] * f[1], TINY))
        X, Z = _upper_arm(rows[3], n, axis, (f[0] * size, f[1] * size))
        for q1, q2, q3, more in three_turns(rows[:3], X, Z):
            turns = [q1, q2, unit(*q3, 1.0)[:2], q4]
            found += with_wrist(rows, pose, turns, turns, min(margin, more))
    return found


def _upper_arm(four: Row, n: Vector, axis: Vector, f: Pair) -> tuple[Vector, Vector]:
    """Return the axes x and z of link 3, where axis 4 and the line to the wrist are known."""
    m = cross(axis, n)
    X = add(scale(f[0], n), scale(-f[1], m))
    Y = add(scale(f[1], n), scale(f[0], m))
    return X, add(scale(four.S, Y), scale(four.C, axis))
