"""The turns q with a0 + a1 cos q + b1 sin q + a2 cos 2q + b2 sin 2q = 0: at most four.

In z = e^{iq} it is a polynomial of degree 4, whose roots on the unit circle are the turns. All four
roots are found together by the iteration of Aberth and Ehrlich, then polished on the circle.
Nothing is special at a half turn, as it would be with half-angle tangents.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from armdyn.algorithms.closed_form.turns import TINY, Pair, unit
from armdyn.scalar import Scalar, max, min

# After 14 steps, 1 of 50,000 random equations has a root that is not there yet; after 18, none of
# 400,000.
STEPS = 18
NEWTON = 2
# How far from the circle a root may be, and how far from zero the equation there, relative to its
# factors.
OFF_CIRCLE, OFF_ZERO = 1e-4, 1e-11
LONGEST_STEP = 0.1


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


Linear: TypeAlias = tuple[Scalar, Scalar, Scalar]
"""Factors of 1, cos q, sin q."""
Harmonics: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar, Scalar]
"""Factors of 1, cos q, sin q, cos 2q, sin 2q."""


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
