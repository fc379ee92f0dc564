"""Turns as pairs (c, s) of length 1, and the equations in one turn that have a closed form.

Every pair is finite: where an equation has no solution, the pair is that of least squares, and
where it leaves the turn open, the pair is (1, 0). A `margin` is negative where there is no solution
and 0 at the border; it has no unit.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from armdyn.robot import Vector
from armdyn.scalar import Scalar, copysign, max, min, select, sqrt

Pair: TypeAlias = tuple[Scalar, Scalar]
"""Cosine and sine of a turn, or a vector in the plane."""

# A vector shorter than this, relative to its usual size, has no direction. The vectors are often
# products of two small ones, so the bound is far below rounding.
NO_DIRECTION = 1e-20
TINY = 1e-200
# Rounding of a difference of squares, as a share of them.
ROUNDING = 1e-14
# Up to this ratio of two bones the law of cosines gives a pair of length 1 to rounding.
ALIKE = 8.0


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
    if 1.0 / ALIKE < abs(a) / length < ALIKE:
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
