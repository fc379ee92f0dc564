"""Arms with a prismatic joint, and arms of fewer joints whose axes are all parallel.

Of the latter, each turning joint turns the plane across the axes, by psi = sigma theta: sigma is -1
where an odd number of half turns about x lies before the joint. Between the joints lie constant
vectors v, and p = v_0 + Rz(psi_1) (v_1 + Rz(psi_2) (v_2 + Rz(psi_3) v_3)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.vector import add, dot, scale
from armdyn.kinematics.equations import Pair, about_x, about_z, back, onto, turned, two_elbows
from armdyn.kinematics.geometry import ZERO, Branch, Family, Pose, Row, size_of
from armdyn.kinematics.wrist import Reach, is_wrist, second, with_wrist, wrist_point
from armdyn.robot.chain import Vector
from armdyn.scalar import Scalar, max, min, sqrt


def sliding_third(rows: Sequence[Row], pose: Pose) -> list[Branch]:
    """Return all branches of two turning joints whose axes meet, a sliding one, and a wrist.

    The distance of the wrist's point from where axes 1 and 2 meet gives the shift of joint 3.
    """
    _, two, three, four = rows[:4]
    reach = Reach(rows, size_of(rows))
    P = wrist_point(rows, pose)
    x, y, z = about_z(three.zero, (four.b, -four.S * four.d, four.C * four.d))
    x, y, z = about_x(three.twist, (x + three.b, y, z))
    f0: Vector = (x, y, z + two.d)
    u: Vector = (0.0, -three.S, three.C)
    along = dot(f0, u)
    disc = along * along - dot(f0, f0) + dot(P, P)
    w = sqrt(max(disc, 0.0))
    margin = disc * (1.0 / reach.size**2)
    found: list[Branch] = []
    for root in (w, -w):
        shift = root - along
        f = add(f0, scale(shift, u))
        for q2, more in second(reach, P, f):
            q1 = reach.first(P, f, q2)
            joints: list[Pair | Scalar] = [q1, q2, shift - three.d]
            found += with_wrist(rows, pose, [q1, q2, three.zero], joints, min(margin, more))
    return found


def _slides_third(rows: Sequence[Row]) -> bool:
    if len(rows) != 6 or not is_wrist(rows):
        return False
    one, two, three = rows[:3]
    turning = one.rotational and two.rotational and not three.rotational
    return turning and two.meets and not two.parallel


@dataclass(frozen=True)
class _Plane:
    """An arm whose axes are parallel.

    Attributes:
        v: the vectors before the first turning joint, between turning joints, and behind them.
        before: the constant turn right before each turning joint, counted as part of psi.
        end: the constant turn behind the last turning joint.
        sigma: of each joint.
        height: along the axes, where sliding joints are at 0.
    """

    v: list[tuple[float, float]]
    before: list[tuple[float, float]]
    end: tuple[float, float]
    sigma: list[float]
    height: float


def _plane(rows: Sequence[Row]) -> _Plane:
    v: list[tuple[float, float]] = [(0.0, 0.0)]
    end, side, height = (1.0, 0.0), 1.0, 0.0
    sigma: list[float] = []
    before: list[tuple[float, float]] = []
    for k, row in enumerate(rows):
        if k:  # the twist and the shift before joint 1 are taken from the pose
            side *= row.C
            v[-1] = (v[-1][0] + row.b * end[0], v[-1][1] + row.b * end[1])
        sigma.append(side)
        height += side * row.d
        if row.rotational:
            before.append(end)
            v.append((0.0, 0.0))
            end = (1.0, 0.0)
        else:
            c, s = row.zero[0], side * row.zero[1]
            end = (end[0] * c - end[1] * s, end[1] * c + end[0] * s)
    return _Plane(v, before, end, sigma, height)


def parallel_axes(rows: Sequence[Row], pose: Pose) -> list[Branch]:
    """Return the branches of up to three turning joints and one sliding joint, all parallel."""
    arm = _plane(rows)
    size = size_of(rows)
    count = sum(row.rotational for row in rows)
    whole = onto(arm.end, pose.X[:2], 1.0)[:2]
    p = (pose.p[0] - arm.v[0][0], pose.p[1] - arm.v[0][1])
    solutions: list[tuple[list[Pair], Scalar]] = []
    if count == 1:
        solutions.append(([whole], 1.0))
    elif count == 2:  # the rotation and the place of joint 2
        p = _less(p, turned(whole, arm.v[2]))
        shoulder = onto(arm.v[1], p, size**2)[:2]
        solutions.append(([shoulder, turned(whole, back(shoulder))], 1.0))
    else:
        p = _less(p, turned(whole, arm.v[3]))
        length = math.hypot(*arm.v[1])
        # seen along the first vector
        first = (arm.v[1][0] / length, -arm.v[1][1] / length)
        elbows, margin = two_elbows(length, turned(arm.v[2], first), p[0] * p[0] + p[1] * p[1])
        for elbow in elbows:
            x, y = turned(elbow, arm.v[2])
            shoulder = onto((arm.v[1][0] + x, arm.v[1][1] + y), p, size**2)[:2]
            last = turned(whole, back(turned(shoulder, elbow)))
            solutions.append(([shoulder, elbow, last], margin))
    found: list[Branch] = []
    for turns, margin in solutions:
        left = iter([turned(x, back(y)) for x, y in zip(turns, arm.before, strict=True)])
        joints: list[Pair | Scalar] = []
        for row, side in zip(rows, arm.sigma, strict=True):
            if row.rotational:
                c, s = next(left)
                joints.append((c, side * s))
            else:
                joints.append(side * (pose.p[2] - arm.height))
        found.append((joints, margin))
    return found


def _less(a: Pair, b: Pair) -> Pair:
    return a[0] - b[0], a[1] - b[1]


def _is_plane(rows: Sequence[Row], count: int) -> bool:
    """Say whether axes are parallel, with so many turning joints, and one sliding joint at most."""
    turning = sum(row.rotational for row in rows)
    if turning != count or len(rows) - turning > 1 or not all(row.parallel for row in rows[1:]):
        return False
    arm = _plane(rows)
    return all(math.hypot(*v) > ZERO for v in arm.v[1:count])


FAMILIES = (
    Family("wrist, joint 3 slides, axes 1 and 2 meet", _slides_third, sliding_third, 8),
    Family("parallel axes", lambda rows: _is_plane(rows, 3), parallel_axes, 2),
    Family("parallel axes", lambda rows: _is_plane(rows, 2), parallel_axes, 1),
    Family("one axis", lambda rows: _is_plane(rows, 1), parallel_axes, 1),
)
