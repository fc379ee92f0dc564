"""Six joints of which the last three axes meet: their point gives joints 1 to 3, the turn the rest.

P is the point where the wrist's axes meet, seen from link 1's axis; w the same point seen from
joint 3. f(q3) = Rx_3 (b_3 e_x + Rz_3 w) + d_2 e_z, and P = Rz_1 Rx_2 (Rz_2 f + b_2 e_x). Each joint
is found from what the joints before it leave, so any choice at a singularity is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from armdyn.algorithms.vector import add, cross, dot, scale
from armdyn.kinematics.equations import (
    TINY,
    Pair,
    about_x,
    about_z,
    added,
    along,
    back,
    halves,
    onto,
    quartic,
    squared,
    turned,
    two_elbows,
    two_turns,
    unit,
)
from armdyn.kinematics.geometry import ZERO, Branch, Pose, Row, size_of
from armdyn.robot.chain import Vector
from armdyn.scalar import Scalar, max, min, select, sqrt


@dataclass(frozen=True)
class Reach:
    """The first three joints (rows 1 to 3 of an arm), and the point they carry."""

    rows: Sequence[Row]
    size: float

    @property
    def w(self) -> Vector:
        """The wrist's point, seen from joint 3 of a turn of 0."""
        _, _, three, four = self.rows[:4]
        return four.b, -four.S * four.d, three.d + four.C * four.d

    def f(self, q3: Pair) -> Vector:
        """Return the wrist's point as seen after the turn of joint 2."""
        two, three = self.rows[1:3]
        x, y, z = about_z(q3, self.w)
        return self._lifted((x + three.b, y, z), three, two)

    def _lifted(self, v: Vector, three: Row, two: Row) -> Vector:
        x, y, z = about_x(three.twist, v)
        return x, y, z + two.d

    def g(self, P: Vector, q1: Pair) -> Vector:
        """Return the wrist's point as seen from joint 2."""
        two = self.rows[1]
        x, y, z = about_x(back(two.twist), about_z(back(q1), P))
        return x - two.b, y, z

    def first(self, P: Vector, f: Vector, q2: Pair) -> Pair:
        """Return the turn of joint 1."""
        two = self.rows[1]
        x, y, z = about_z(q2, f)
        v = about_x(two.twist, (x + two.b, y, z))
        return onto(v[:2], P[:2], self.size**2)[:2]


def parallel_2_3(reach: Reach, P: Vector) -> list[tuple[Pair, Pair, Pair, Scalar]]:
    """Axes 2 and 3 are parallel: the height over their common plane gives joint 1."""
    _, two, three = reach.rows[:3]
    h = two.d + three.C * reach.w[2]
    found: list[tuple[Pair, Pair, Pair, Scalar]] = []
    firsts, margin = two_turns(P[1], -P[0], (two.C * P[2] - h) / two.S, reach.size)
    for q1 in firsts:
        g = reach.g(P, q1)
        thirds, more = two_elbows(three.b, reach.w[:2], g[0] * g[0] + g[1] * g[1])
        for q3 in thirds:
            q2 = onto(reach.f(q3)[:2], g[:2], reach.size**2)[:2]
            found.append((q1, q2, q3, min(margin, more)))
    return found


def crossing_1_2(reach: Reach, P: Vector) -> list[tuple[Pair, Pair, Pair, Scalar]]:
    """Axes 1 and 2 meet: the distance from their point gives joint 3."""
    thirds, margin = _by_distance(reach, P)
    found: list[tuple[Pair, Pair, Pair, Scalar]] = []
    for q3 in thirds:
        f = reach.f(q3)
        for q2, more in second(reach, P, f):
            found.append((reach.first(P, f, q2), q2, q3, min(margin, more)))
    return found


def _by_distance(reach: Reach, P: Vector) -> tuple[tuple[Pair, Pair], Scalar]:
    A, B, C = distance(reach)
    _, two, three = reach.rows[:3]
    far = dot(P, P) - C
    straight = abs(three.C) < ZERO and three.meets and reach.w[2] == 0.0 and two.d != 0.0
    if not straight:
        return two_turns(A, B, far, reach.size**2)
    # A stretched arm lies on axis 2, and joint 2 does not move it. Its distance says nothing about
    # bends below the root of rounding: they are what joint 2 needs for the height along axis 1.
    height = (2.0 * two.d * P[2] - two.C * (2.0 * two.d**2 + far)) / two.S
    return two_turns(A, B, far, reach.size**2, height * height)


def distance(reach: Reach) -> tuple[Scalar, Scalar, Scalar]:
    """Return A, B, C with |f|^2 = A c3 + B s3 + C."""
    _, two, three = reach.rows[:3]
    w = reach.w
    A = 2.0 * (three.b * w[0] + two.d * three.S * w[1])
    B = 2.0 * (two.d * three.S * w[0] - three.b * w[1])
    C = three.b**2 + dot(w, w) + two.d**2 + 2.0 * two.d * three.C * w[2]
    return A, B, C


def second(reach: Reach, P: Vector, f: Vector) -> list[tuple[Pair, Scalar]]:
    """Return the turns of joint 2, by the height along axis 1, and their margin."""
    two = reach.rows[1]
    seconds, margin = two_turns(f[1], f[0], (P[2] - two.C * f[2]) / two.S, reach.size)
    return [(q2, margin) for q2 in seconds]


def crossing_2_3(reach: Reach, P: Vector) -> list[tuple[Pair, Pair, Pair, Scalar]]:
    """Axes 2 and 3 meet: the distance from their point gives joint 1."""
    _, two, three = reach.rows[:3]
    w = reach.w
    firsts, margin = two_turns(
        2.0 * (two.d * two.S * P[1] - two.b * P[0]),
        -2.0 * (two.b * P[1] + two.d * two.S * P[0]),
        dot(w, w) - dot(P, P) - two.b**2 - two.d**2 + 2.0 * two.d * two.C * P[2],
        reach.size**2,
    )
    found: list[tuple[Pair, Pair, Pair, Scalar]] = []
    for q1 in firsts:
        g = reach.g(P, q1)
        height = (g[2] - two.d - three.C * w[2]) / three.S
        thirds, more = two_turns(w[1], w[0], height, reach.size)
        for q3 in thirds:
            q2 = onto(reach.f(q3)[:2], g[:2], reach.size**2)[:2]
            found.append((q1, q2, q3, min(margin, more)))
    return found


def parallel_1_2(reach: Reach, P: Vector) -> list[tuple[Pair, Pair, Pair, Scalar]]:
    """Axes 1 and 2 are parallel: the height along them gives joint 3."""
    _, two, three = reach.rows[:3]
    w = reach.w
    height = two.C * P[2] - two.d - three.C * w[2]
    thirds, margin = two_turns(three.S * w[1], three.S * w[0], height, reach.size)
    found: list[tuple[Pair, Pair, Pair, Scalar]] = []
    for q3 in thirds:
        f = reach.f(q3)
        lack = P[0] * P[0] + P[1] * P[1] - two.b**2 - f[0] * f[0] - f[1] * f[1]
        twice = 2.0 * two.b
        seconds, more = two_turns(twice * f[0], -twice * f[1], lack, reach.size**2)
        for q2 in seconds:
            found.append((reach.first(P, f, q2), q2, q3, min(margin, more)))
    return found


def skew(reach: Reach, P: Vector) -> list[tuple[Pair, Pair, Pair, Scalar]]:
    """No two of the first three axes meet or are parallel: a quartic gives joint 3."""
    two = reach.rows[1]
    A, B, C = distance(reach)
    three, w = reach.rows[2], reach.w
    # f_z, gx = (Rz_2 f)_x and gy = (Rz_2 f)_y as sums 1, c3, s3
    fz = (two.d + three.C * w[2], three.S * w[1], three.S * w[0])
    lack = dot(P, P) - two.b**2
    twice = 2.0 * two.b
    gx = ((lack - C) / twice, -A / twice, -B / twice)
    gy = ((P[2] - two.C * fz[0]) / two.S, -two.C * fz[1] / two.S, -two.C * fz[2] / two.S)
    total = added(squared(gx), squared(gy), squared(fz), (-C, -A, -B, 0.0, 0.0))
    found: list[tuple[Pair, Pair, Pair, Scalar]] = []
    for q3, margin in quartic(*total):
        f = reach.f(q3)
        here = [x[0] + x[1] * q3[0] + x[2] * q3[1] for x in (gx, gy)]
        q2 = onto(f[:2], (here[0], here[1]), reach.size**2)[:2]
        found.append((reach.first(P, f, q2), q2, q3, margin))
    return found


def three_turns(rows: Sequence[Row], X: Vector, Z: Vector) -> list[tuple[Pair, Pair, Pair, Scalar]]:
    """Return the turns of three joints whose axes meet, for a rotation with the columns X and Z.

    The columns are seen from the first of them, without its twist. The last turn is a direction of
    any length.
    """
    _, five, six = rows
    A = -five.S * six.S
    C = Z[2] - five.C * six.C
    right = abs(five.C) < ZERO and abs(six.C) < ZERO
    disc = Z[0] * Z[0] + Z[1] * Z[1] if right else (A - C) * (A + C)
    found: list[tuple[Pair, Pair, Pair, Scalar]] = []
    fifths, w = halves(C if A > 0.0 else -C, disc, right)
    for q5, side in zip(fifths, (six.S, -six.S), strict=True):
        if right:  # Z is as far from the axis as joint 5 turns it
            x, y = along(Z[:2], w)
            q4 = (side * x, side * y)
        else:
            v = about_x(five.twist, about_z(q5, (0.0, -six.S, six.C)))
            q4 = onto(v[:2], Z[:2], 1.0)[:2]
        a = about_x(back(five.twist), about_z(back(q4), X))
        a = about_x(back(six.twist), about_z(back(q5), a))
        found.append((q4, q5, a[:2], disc / (A * A)))
    return found


def wrist_branches(
    rows: Sequence[Row],
    reached: Callable[[Reach, Vector], list[tuple[Pair, Pair, Pair, Scalar]]],
    pose: Pose,
) -> list[Branch]:
    """Return all branches of an arm with a wrist; `reached` gives its first three joints."""
    reach = Reach(rows, size_of(rows))
    P = wrist_point(rows, pose)
    found: list[Branch] = []
    for q1, q2, q3, margin in reached(reach, P):
        found += with_wrist(rows, pose, [q1, q2, q3], [q1, q2, q3], margin)
    return found


def wrist_point(rows: Sequence[Row], pose: Pose) -> Vector:
    """Return the point where the wrist's axes meet, as seen from joint 1."""
    x, y, z = add(pose.p, scale(-rows[-1].d, pose.Z))
    return x, y, z - rows[0].d


def with_wrist(
    rows: Sequence[Row],
    pose: Pose,
    turns: Sequence[Pair],
    first: Sequence[Pair | Scalar],
    margin: Scalar,
) -> list[Branch]:
    """Return the branches of the wrist behind given turns of the joints before it."""
    x, z = pose.X, pose.Z
    for turn, row in zip(turns, rows[1:-2], strict=True):
        x, z = (about_x(back(row.twist), about_z(back(turn), v)) for v in (x, z))
    found: list[Branch] = []
    for *last, more in three_turns(rows[-3:], x, z):
        found.append(([*first, *last], min(margin, more)))
    return found


def is_wrist(rows: Sequence[Row]) -> bool:
    """Say whether the last three of six joints turn about axes through one point."""
    return is_ball(rows[3:])


def is_ball(rows: Sequence[Row]) -> bool:
    """Say whether three joints turn about axes through one point, the neighbours not parallel."""
    _, two, three = rows
    return (
        all(row.rotational for row in rows)
        and two.meets and three.meets and two.d == 0.0
        and not two.parallel and not three.parallel
    )  # fmt: skip


# Seven joints: three axes meet in a shoulder, three in a wrist, and one bends the elbow between.
#
# The distance of the wrist from the shoulder gives joint 4. What is left free is the turn of the
# elbow about the line from shoulder to wrist, the swivel angle psi: with n along that line and z
# along axis 1, e2 = z x n and e1 = e2 x n, the elbow lies on the side cos(psi) e1 + sin(psi) e2.
# Where n is parallel to axis 1 the angle has no zero of its own, and is counted from x.

# Two each of the elbow, the shoulder and the wrist.
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
    line = wrist_point(rows, pose)
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
    elbows, margin = two_elbows(length, turned(lower, along), square)
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
