"""Six joints of which 2, 3 and 4 have parallel axes.

Seen along those axes the arm is planar. g is joint 5's point and MX, MY, MZ are the axes of the
last link, seen from joint 2; phi is the turn of joints 2, 3 and 4 together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from armdyn.algorithms.vector import add, scale
from armdyn.kinematics.equations import (
    LONGEST_STEP,
    ROUNDING,
    TINY,
    Linear,
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
from armdyn.kinematics.geometry import ZERO, Branch, Pose, Position, Row, size_of
from armdyn.robot.chain import Vector
from armdyn.scalar import Scalar, atan2, copysign, max, min, select, sqrt

# Below this sine of the angle between axes 4 and 6 they may be parallel: the sine is as wrong as
# joint 1, which is known to 1e-8 where its own two solutions meet. Then only the turns of joints 4
# and 6 together matter. If the elbow is out of reach, joint 6 is chosen for its sake.
WRIST_IN_LINE = 1e-7
# An elbow whose margin is above minus this is stretched, not out of reach: it is rounding. Joint 6
# makes it larger by its own error, up to the second number.
OUT_OF_REACH, MOST_OUT_OF_REACH = 1e-10, 1e-6
# Steps of Newton's method behind the quartic, and a determinant below which they do not move.
NEWTON, SINGULAR = 4, 1e-10


def three_parallel(rows: Sequence[Row], pose: Pose) -> list[Branch]:
    """Return all branches where axes 5 and 6 meet."""
    arm = _Planar(rows, pose)
    _, two = rows[:2]
    P = arm.P
    found: list[Branch] = []
    firsts, margin = two_turns(P[1], -P[0], (two.C * P[2] - arm.h) / two.S, arm.size)
    for q1 in firsts:
        seen = arm.seen_from_two(q1)
        fifths, more = arm.fifth(seen)
        least = min(margin, more)
        for q5 in fifths:
            found += arm.rest(q1, q5, seen, least)
    return found


def three_parallel_offset(rows: Sequence[Row], pose: Pose) -> list[Branch]:
    """Return all branches where axes 5 and 6 do not meet: a quartic gives joint 5."""
    arm = _Planar(rows, pose)
    _, two, _, _, five, six = rows
    P, Z = arm.P, pose.Z
    # r1 and r2, the sides of two linear equations in the turn of joint 1, as sums 1, c5, s5
    r1 = ((two.C * P[2] - arm.h) / two.S, 0.0, -arm.sigma * six.b * five.S / two.S)
    r2 = (
        (two.C * Z[2] - arm.sigma * five.C * six.C) / two.S,
        arm.sigma * five.S * six.S / two.S,
        0.0,
    )
    U, V = (_combined(P[k], Z[k], r1, r2) for k in (0, 1))
    det = P[0] * Z[1] - P[1] * Z[0]
    found: list[Branch] = []
    total = added(squared(U), squared(V), (-(det * det), 0.0, 0.0, 0.0, 0.0))
    for q5, margin in quartic(*total):
        u, v = (x[0] + x[1] * q5[0] + x[2] * q5[1] for x in (U, V))
        q1 = unit(det * u, det * v, arm.size**2)[:2]
        for _ in range(NEWTON):
            q1, q5 = _closer(q1, q5, [(P, r1, arm.size), (Z, r2, 1.0)])
        seen = arm.seen_from_two(q1)
        found += arm.rest(q1, q5, seen, min(margin, arm.crossing(seen)))
    return found


def _closer(
    q1: Pair, q5: Pair, equations: Sequence[tuple[Vector, Linear, float]]
) -> tuple[Pair, Pair]:
    """Return turns of joints 1 and 5 after a step of Newton's method on two linear equations.

    They are y c1 - x s1 = r(q5), each with its usual size. The quartic has their square, in which
    half of the digits are lost where two roots meet.
    """
    (c1, s1), (c5, s5) = q1, q5
    (e, a, b), (f, c, d) = (
        (
            (v[1] * c1 - v[0] * s1 - (r[0] + r[1] * c5 + r[2] * s5)) * (1.0 / size),
            -(v[1] * s1 + v[0] * c1) * (1.0 / size),
            (r[1] * s5 - r[2] * c5) * (1.0 / size),
        )
        for v, r, size in equations
    )
    det = a * d - b * c
    inverse = det / max(det * det, SINGULAR**2)
    return _moved(q1, (b * f - d * e) * inverse), _moved(q5, (c * e - a * f) * inverse)


def _moved(q: Pair, step: Scalar) -> Pair:
    t = max(min(step, LONGEST_STEP), -LONGEST_STEP)
    turn = unit(1.0 - 0.5 * (t * t), t, 1.0)[:2]
    return turned(q, turn)


def _combined(p: Scalar, z: Scalar, r1: Linear, r2: Linear) -> Linear:
    return p * r2[0] - z * r1[0], p * r2[1] - z * r1[1], p * r2[2] - z * r1[2]


# g, MX, MY, MZ.
Seen = tuple[Vector, Vector, Vector, Vector]


class _Planar:
    """The arm and the pose, and what all branches share."""

    def __init__(self, rows: Sequence[Row], pose: Pose) -> None:
        one, two, three, four, five, six = rows
        self.rows, self.pose = rows, pose
        self.size = size_of(rows)
        # then pairs have length 1 by themselves; not to rounding, behind a quartic
        self.right = abs(five.C) < ZERO and abs(six.C) < ZERO and six.meets
        self.sigma3, self.sigma = three.C, three.C * four.C
        self.h = two.d + three.C * (three.d + four.C * (four.d + five.C * five.d))
        x, y, z = add(pose.p, scale(-six.d, pose.Z))
        self.P: Vector = (x, y, z - one.d)

    def seen_from_two(self, q1: Pair) -> Seen:
        """Return g, MX, MY, MZ."""
        twist = back(self.rows[1].twist)
        pose = self.pose
        g, X, Y, Z = (
            about_x(twist, about_z(back(q1), v)) for v in (self.P, pose.X, pose.Y, pose.Z)
        )
        return g, X, Y, Z

    def fifth(self, seen: Seen) -> tuple[tuple[Pair, Pair], Scalar]:
        """Return the turns of joint 5 and their margin."""
        five, six = self.rows[4:]
        MZ = seen[3]
        A = -five.S * six.S
        C = self.sigma * MZ[2] - five.C * six.C
        right = self.right
        disc = self.crossing(seen) if right else (A - C) * (A + C)
        fifths, _ = halves(C if A > 0.0 else -C, disc, right)
        return fifths, disc / (A * A)

    def crossing(self, seen: Seen) -> Scalar:
        """Return the square of the sine of the angle between axes 4 and 6."""
        _, MX, MY, _ = seen
        return MX[2] * MX[2] + MY[2] * MY[2]

    def sixth(self, q5: Pair, seen: Seen) -> Pair:
        """Return the turn of joint 6."""
        five, six = self.rows[4:]
        g, MX, MY, MZ = seen
        if self.right:  # both are as long as the sine of joint 5
            x, y = along((MX[2], MY[2]), abs(q5[1]))
            side = self.sigma * five.S * copysign(1.0, q5[1])
            c, s = side * x, -side * y
        else:
            v = (0.0, self.sigma * five.S, self.sigma * five.C)
            v = about_x(back(six.twist), about_z(back(q5), v))
            c, s, _ = onto((MX[2], MY[2]), v[:2], 1.0)
        b3, b4 = self.rows[2].b, self.rows[3].b
        square = self.crossing(seen)
        in_line = WRIST_IN_LINE**2 - square
        G = self.across(seen, q5, self.phi(q5, (c, s), seen))
        _, margin = two_elbows(b3, (b4, 0.0), G[0] * G[0] + G[1] * G[1])
        wrong = min(ROUNDING / sqrt(max(square, TINY)), MOST_OUT_OF_REACH)
        lost = select(in_line, -OUT_OF_REACH - wrong - margin, -1.0)
        # the elbow at a right angle is in reach if any elbow is
        e, H = self.e(q5), (g[0] - self.rows[1].b, g[1])
        (best, _), _ = two_turns(
            2.0 * (H[0] * e[0] + H[1] * e[1]),
            2.0 * (H[1] * e[0] - H[0] * e[1]),
            H[0] * H[0] + H[1] * H[1] + e[0] * e[0] + e[1] * e[1] - (b3 * b3 + b4 * b4),
            self.size**2,
        )
        c0, s0 = turned(self.phi(q5, (1.0, 0.0), seen), back(best))
        return select(lost, c0, c), select(lost, select(MZ[2], s0, -s0), s)

    def e(self, q5: Pair) -> Pair:
        """Return the point where joint 6's shift begins, across the parallel axes from joint 4."""
        five, six = self.rows[4:]
        return (
            five.b + six.b * q5[0],
            self.sigma * (five.C * six.b * q5[1] - five.S * five.d),
        )

    def across(self, seen: Seen, q5: Pair, phi: Pair) -> Pair:
        """Return joint 4's point as seen from joint 2, across the parallel axes."""
        g, (x, y) = seen[0], turned(phi, self.e(q5))
        return g[0] - self.rows[1].b - x, g[1] - y

    def phi(self, q5: Pair, q6: Pair, seen: Seen) -> Pair:
        """Return the turn of joints 2, 3 and 4 together."""
        _, MX, MY, MZ = seen
        six = self.rows[5]
        y = about_z(back(q6), about_x(back(six.twist), (q5[0], -q5[1], 0.0)))
        c, s = (MX[k] * y[0] + MY[k] * y[1] + MZ[k] * y[2] for k in (0, 1))
        return (c, s) if self.right else unit(c, s, 1.0)[:2]

    def rest(self, q1: Pair, q5: Pair, seen: Seen, margin: Scalar) -> list[Branch]:
        """Return the branches behind given turns of joints 1 and 5."""
        two, three, four = self.rows[1:4]
        q6 = self.sixth(q5, seen)
        phi = self.phi(q5, q6, seen)
        G = self.across(seen, q5, phi)
        elbows, more = two_elbows(three.b, (four.b, 0.0), G[0] * G[0] + G[1] * G[1])
        # the turns of the three joints together, where their variables are counted from
        zero = turned(two.zero, (three.zero[0], self.sigma3 * three.zero[1]))
        zero = turned(zero, (four.zero[0], self.sigma * four.zero[1]))
        c, s = turned(phi, back(zero))
        together = atan2(s, c)
        found: list[Branch] = []
        for c3, t3 in elbows:
            u, v = three.b + four.b * c3, four.b * t3
            q2 = two.position((u * G[0] + v * G[1], u * G[1] - v * G[0]))
            q3 = three.position((c3, self.sigma3 * t3))
            q4 = within_half_a_turn(self.sigma * (together - q2 - self.sigma3 * q3))
            found.append(
                ([q1, Position(q2), Position(q3), Position(q4), q5, q6], min(margin, more))
            )
        return found


def within_half_a_turn(x: Scalar) -> Scalar:
    """Return an angle of up to three half turns by whole turns within half a turn of 0."""
    return select(abs(x) - math.pi, x - copysign(2.0 * math.pi, x), x)
