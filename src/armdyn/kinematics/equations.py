"""Equations in one turn that have a closed form, and turns as pairs (c, s) of length 1."""

from __future__ import annotations

import math
from typing import TypeAlias

from armdyn.robot.chain import Vector
from armdyn.scalar import Scalar, copysign, max, min, select, sqrt

# Turns as pairs (c, s) of length 1, and the equations in one turn that have a closed form.
#
# Every pair is finite: where an equation has no solution, the pair is that of least squares, and
# where it leaves the turn open, the pair is (1, 0). A `margin` is negative where there is no
# solution and 0 at the border; it has no unit.

# Cosine and sine of a turn, or a vector in the plane.
Pair: TypeAlias = tuple[Scalar, Scalar]

# A vector shorter than this, relative to its usual size, has no direction. The vectors are often
# products of two small ones, so the bound is far below rounding.
NO_DIRECTION = 1e-20
# Less than any square that occurs, so that nothing is divided by zero.
TINY = 1e-200
# Rounding of a difference of squares, as a share of them.
ROUNDING = 1e-14
# Up to this ratio of two bones the law of cosines gives a pair of length 1 to rounding.
MAX_BONE_RATIO = 8.0


def unit(c: Scalar, s: Scalar, size: float) -> tuple[Scalar, Scalar, Scalar]:
    """Return the direction of a vector of usual length `size`; (1, 0) if it is too short.

    The third number is positive where the direction is known.
    """
    m = c * c + s * s
    known = m - (NO_DIRECTION * size) ** 2
    inverse = 1.0 / sqrt(select(known, m, 1.0))
    return select(known, c * inverse, 1.0), select(known, s * inverse, 0.0), known


def onto(u: Pair, v: Pair, size: float) -> tuple[Scalar, Scalar, Scalar]:
    """Return the turn that takes the direction of u to that of v, and whether it is known.

    `size` is the product of their usual lengths.
    """
    return unit(u[0] * v[0] + u[1] * v[1], u[0] * v[1] - u[1] * v[0], size)


def two_turns(
    A: Scalar, B: Scalar, C: Scalar, size: float, least: Scalar | None = None
) -> tuple[tuple[Pair, Pair], Scalar]:
    """Return the two turns with A c + B s = C, all of usual size `size`, and the margin.

    `least` is what A^2 + B^2 - C^2 must be by other equations; it is, if rounding allows.
    """
    square = A * A + B * B
    disc = square - C * C
    if least is not None:
        disc = select(disc + ROUNDING * square - least, max(disc, least), disc)
    w = sqrt(max(disc, 0.0))
    known = square - NO_DIRECTION * size**2
    some = select(known, square, 1.0)
    inverse = 1.0 / some
    # (C, w) is as long as (A, B); beyond reach C is cut to that length
    along = select(disc, C, copysign(sqrt(some), C))
    AC, BC, Aw, Bw = A * along, B * along, A * w, B * w

    def turn(c: Scalar, s: Scalar) -> Pair:
        return select(known, c * inverse, 1.0), select(known, s * inverse, 0.0)

    return (turn(AC - Bw, BC + Aw), turn(AC + Bw, BC - Aw)), disc * inverse


def halves(C: Scalar, disc: Scalar, right: bool) -> tuple[tuple[Pair, Pair], Scalar]:
    """Return the turns along (C, +-sqrt(disc)), and that root.

    Args:
        C: the part along x.
        disc: the square of the part along y; below 0 there is no solution.
        right: whether the pair has length 1 by itself.
    """
    w = sqrt(max(disc, 0.0))
    c, s = (C, w) if right else unit(C, w, 1.0)[:2]
    return ((c, s), (c, -s)), w


def along(v: Pair, length: Scalar) -> Pair:
    """Return the direction of a vector of known length; (1, 0) if it is too short."""
    known = length - math.sqrt(NO_DIRECTION)
    inverse = 1.0 / select(known, length, 1.0)
    return select(known, v[0] * inverse, 1.0), select(known, v[1] * inverse, 0.0)


def two_elbows(a: float, b: Pair, square: Scalar) -> tuple[tuple[Pair, Pair], Scalar]:
    """Return the two turns q with |a e_x + Rz(q) b|^2 = square, by the law of cosines; the margin.

    The product of sums and differences does not cancel near the stretched arm.
    """
    assert isinstance(b[0], float) and isinstance(b[1], float)
    length = (b[0] * b[0] + b[1] * b[1]) ** 0.5
    disc = ((a + length) ** 2 - square) * (square - (a - length) ** 2)
    w = sqrt(max(disc, 0.0))
    size = 2.0 * a * length
    C = (square - (a * a + length * length)) * (1.0 if size > 0.0 else -1.0)
    if 1.0 / MAX_BONE_RATIO < abs(a) / length < MAX_BONE_RATIO:
        inverse = 1.0 / abs(size)
        c, s = max(min(C * inverse, 1.0), -1.0), w * inverse
    else:
        c, s, _ = unit(C, w, abs(size))
    back = (b[0] / length, -b[1] / length)
    return (turned((c, s), back), turned((c, -s), back)), disc / (size * size)


def turned(a: Pair, b: Pair) -> Pair:
    """Return the sum of two turns."""
    return a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]


def back(a: Pair) -> Pair:
    """Return the opposite turn."""
    return a[0], -a[1]


def about_z(turn: Pair, v: Vector) -> Vector:
    """Return Rz v."""
    c, s = turn
    return c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]


def about_x(turn: Pair, v: Vector) -> Vector:
    """Return Rx v."""
    C, S = turn
    return v[0], C * v[1] - S * v[2], S * v[1] + C * v[2]


# The turns q with a0 + a1 cos q + b1 sin q + a2 cos 2q + b2 sin 2q = 0: at most four.
#
# In z = e^{iq} it is a polynomial of degree 4, whose roots on the unit circle are the turns. All
# four roots are found together by the iteration of Aberth and Ehrlich, then polished on the circle.
# Nothing is special at a half turn, as it would be with half-angle tangents.

# After 14 steps, 1 of 50,000 random equations has a root that is not there yet; after 18, none of
# 400,000.
STEPS = 18
# Steps of Newton's method on the circle after that, and the longest of them [rad].
NEWTON, LONGEST_STEP = 2, 0.1
# How far from the circle a root may be, and how far from zero the equation there, relative to its
# factors.
OFF_CIRCLE, OFF_ZERO = 1e-4, 1e-11


def quartic(
    a0: Scalar, a1: Scalar, b1: Scalar, a2: Scalar, b2: Scalar
) -> list[tuple[Pair, Scalar]]:
    """Return the four turns with their margins, which are negative for those that solve nothing."""
    size = abs(a0) + abs(a1) + abs(b1) + abs(a2) + abs(b2)
    scale = 1.0 / max(size, TINY)
    a0, a1, b1, a2, b2 = (x * scale for x in (a0, a1, b1, a2, b2))
    P = [(0.5 * a2, 0.5 * b2), (0.5 * a1, 0.5 * b1), (a0, 0.0), (0.5 * a1, -0.5 * b1),
         (0.5 * a2, -0.5 * b2)]  # fmt: skip
    roots: list[Pair] = [
        (1.1 * math.cos(0.4 + k * math.pi / 2), 0.9 * math.sin(0.4 + k * math.pi / 2))
        for k in range(4)
    ]
    for _ in range(STEPS):
        roots = [_improved(P, roots, k) for k in range(4)]
    return [_on_circle(root, a0, a1, b1, a2, b2) for root in roots]


# Factors of 1, cos q, sin q.
Linear: TypeAlias = tuple[Scalar, Scalar, Scalar]

# Factors of 1, cos q, sin q, cos 2q, sin 2q.
Harmonics: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar, Scalar]


def squared(x: Linear) -> Harmonics:
    """Return the square of a sum."""
    a, b, c = x
    bb, cc = 0.5 * (b * b), 0.5 * (c * c)
    return a * a + bb + cc, 2.0 * (a * b), 2.0 * (a * c), bb - cc, b * c


def added(*parts: Harmonics) -> Harmonics:
    """Return the sum, from left to right."""
    total = parts[0]
    for part in parts[1:]:
        one, c, s, c2, s2 = (x + y for x, y in zip(total, part, strict=True))
        total = (one, c, s, c2, s2)
    return total


def _times(x: Pair, y: Pair) -> Pair:
    return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]


def _inverse(x: Pair) -> Pair:
    by = 1.0 / max(x[0] * x[0] + x[1] * x[1], TINY)
    return x[0] * by, -(x[1] * by)


def _improved(P: list[tuple[Scalar, Scalar]], roots: list[Pair], k: int) -> Pair:
    """Return a root after one step: z - P / (P' - P times the sum of 1 / (z - other roots))."""
    z = roots[k]
    value, slope = P[4], (0.0, 0.0)
    for coefficient in reversed(P[:4]):
        slope = _plus(_times(slope, z), value)
        value = _plus(_times(value, z), coefficient)
    others = (0.0, 0.0)
    for j, other in enumerate(roots):
        if j != k:
            others = _plus(others, _inverse((z[0] - other[0], z[1] - other[1])))
    push = _times(value, others)
    step = _times(value, _inverse((slope[0] - push[0], slope[1] - push[1])))
    return z[0] - step[0], z[1] - step[1]


def _plus(x: Pair, y: Pair) -> Pair:
    return x[0] + y[0], x[1] + y[1]


def _on_circle(
    root: Pair, a0: Scalar, a1: Scalar, b1: Scalar, a2: Scalar, b2: Scalar
) -> tuple[Pair, Scalar]:
    square = root[0] * root[0] + root[1] * root[1]
    c, s, _ = unit(root[0], root[1], 1.0)

    def values(c: Scalar, s: Scalar) -> tuple[Scalar, Scalar]:
        c2, s2 = c * c - s * s, 2.0 * (c * s)
        value = a0 + a1 * c + b1 * s + a2 * c2 + b2 * s2
        return value, b1 * c - a1 * s + 2.0 * (b2 * c2 - a2 * s2)

    for _ in range(NEWTON):
        value, slope = values(c, s)
        step = value * slope / max(slope * slope, TINY)
        t = max(min(step, LONGEST_STEP), -LONGEST_STEP)
        # a turn by -t, to the second order and normalised
        c, s, _ = unit(c + s * t - 0.5 * (t * t) * c, s - c * t - 0.5 * (t * t) * s, 1.0)
    value, _ = values(c, s)
    off = abs(square - 1.0)
    return (c, s), min(OFF_CIRCLE - off, (OFF_ZERO - abs(value)) * (OFF_CIRCLE / OFF_ZERO))
