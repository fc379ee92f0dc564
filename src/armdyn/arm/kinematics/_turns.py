"""Whole turns of joints: the same pose, nearer to a start."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TURN = 2.0 * np.pi
# Limits and angles that differ by less [turns] are equal: both are rounded.
ROUNDING = 1e-12


def nearest_turn(
    q: Array, start: Array, lower: Array, upper: Array, turns: NDArray[np.bool_]
) -> Array:
    """Return the same poses with every joint as near to a start as whole turns and limits allow.

    Args:
        q: positions ``(..., n)`` within the limits.
        start: where they shall be near to, ``(..., n)``.
        lower: limits, ``(n,)``; may be infinite.
        upper: limits, ``(n,)``; may be infinite.
        turns: which joints turn, ``(n,)``.
    """
    fewest = np.ceil((lower - q) / TURN - ROUNDING)
    most = np.floor((upper - q) / TURN + ROUNDING)
    k = np.minimum(np.maximum(np.rint((start - q) / TURN), fewest), most)
    k = np.where(turns & (fewest <= most), k, 0.0)
    moved = q + TURN * k
    return np.where(k != 0.0, np.minimum(np.maximum(moved, lower), upper), q)
