"""Functions composed of operations: the lesser of two numbers, and the angle of a plane vector."""

from __future__ import annotations

import math

from armdyn.scalar._node import Scalar, copysign, max, select

# atan(t) / t as a polynomial in t^2 for |t| <= tan(pi/8): the minimax of degree 10, by
# `mpmath.chebyfit`; its error is 3.5e-17.
ARC = (
    1.0,
    -0.3333333333332844,
    0.1999999999885511,
    -0.14285714180976467,
    0.11111106180455946,
    -0.09090773074808414,
    0.07689953496306857,
    -0.06640233930429408,
    0.056883492268090106,
    -0.04348052215716462,
    0.021135373157693246,
)
EIGHTH = math.tan(math.pi / 8)
# Less than any length, so that the vector (0, 0) divides by no zero.
TINY = 1e-200


def min(a: Scalar, b: Scalar) -> Scalar:
    """Return the lesser of two numbers."""
    return -max(-a, -b)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Return the angle of the vector (x, y) in [-pi, pi]; 0 for (0, 0).

    The vector is mirrored into the first octant, and turned by pi/4 if that brings it nearer to
    the x axis; there, a polynomial gives the angle. The error is a few units in the last place.
    """
    across, along = abs(y), abs(x)
    steep = across - along
    # `min` would negate both, and what follows
    small, big = select(steep, along, across), max(along, across)
    far = small - EIGHTH * big
    t = select(far, small - big, small) / max(select(far, small + big, big), TINY)
    z = t * t
    total: Scalar = ARC[-1]
    for coefficient in reversed(ARC[:-1]):
        total = total * z + coefficient
    angle = t * total + select(far, math.pi / 4, 0.0)
    angle = select(steep, math.pi / 2 - angle, angle)
    return copysign(select(-x, math.pi - angle, angle), y)
