"""Cosine and sine of a constant angle, and the angle of a vector, correctly rounded.

C libraries differ in the last bit of sines and angles. The constants of an arm are therefore
computed in integers, so that one file is the same arm, to the bit, on every machine.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache

# Binary digits after the point. An angle has at most 1074 of its own; what is beyond these digits
# cannot change the rounding of an angle that is not within 1e-12 rad of a multiple of pi/2.
BITS = 192
# The angle of a vector that rises less is its slope, but for 1e-25 of it.
SMALL = 1e-12


@lru_cache(maxsize=4096)
def rounded_cos_sin(angle: float) -> tuple[float, float]:
    """Return (cos, sin) of an angle [rad], the floats that are nearest to them."""
    c, s = _cos_sin(_fixed(angle))
    one = 1 << BITS
    return c / one, s / one  # Python rounds quotients of integers correctly


def rounded_atan2(y: float, x: float) -> float:
    """Return the angle [rad] of the vector (x, y), the float that is nearest to it."""
    if abs(y) < SMALL * x:
        return y / x
    near = math.atan2(y, x)
    if x == 0.0 or y == 0.0:
        return near
    angle = _fixed(near)
    c, s = _cos_sin(angle)
    (a, b), (p, q) = x.as_integer_ratio(), y.as_integer_ratio()
    X, Y = a * q, p * b
    # the vector turned back by `near`: the angle that is left is its tangent, but for 1e-45 rad
    along, across = X * c + Y * s, Y * c - X * s
    return (angle * along + (across << BITS)) / (along << BITS)


def _fixed(angle: float) -> int:
    numerator, denominator = angle.as_integer_ratio()
    return (numerator << BITS) // denominator


def _cos_sin(x: int) -> tuple[int, int]:
    half_pi = _half_pi()
    quarter = (2 * x + half_pi) // (2 * half_pi)
    r = x - quarter * half_pi
    c, s = _series(r, 0), _series(r, 1)
    return ((c, s), (-s, c), (-c, -s), (s, -c))[quarter % 4]


def _series(r: int, power: int) -> int:
    """Return the sum of every second term of the series of exp(i r), from a power of r on."""
    term = r if power else 1 << BITS
    square = r * r >> BITS
    total = 0
    while term:
        total += term
        power += 2
        # rounds towards zero, so that the terms end
        size = abs(term) * square // (power * (power - 1)) >> BITS
        term = -size if term > 0 else size
    return total


@cache
def _half_pi() -> int:
    """Return pi/2 by Machin's formula: pi/4 = 4 arctan(1/5) - arctan(1/239)."""
    guard = 32
    one = 1 << BITS + guard

    def arctan(inverse: int) -> int:
        total, term, k = 0, one // inverse, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term //= inverse * inverse
            k += 2
        return total

    return 2 * (4 * arctan(5) - arctan(239)) >> guard
