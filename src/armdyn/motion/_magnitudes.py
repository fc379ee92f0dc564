"""Sizes of numbers with which motions are computed.

Squares and quotients of numbers beyond them overflow, and no arm has such positions, limits or
times.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_per_joint, checked_positive
from armdyn.errors import InputError

Array = NDArray[np.float64]

# Fifth powers of these are far from the ends of the range of doubles, 1e-308 to 1e308.
LEAST, MOST = 1e-30, 1e30
RANGE = f"from {LEAST:g} to {MOST:g}"


def check_positions(q: Array, name: str) -> None:
    """Raise an error if a position is too large; it may be as small as it likes."""
    if not (np.abs(q) <= MOST).all():
        raise InputError(
            f"`{name}` has {np.abs(q).max():g}, expected positions of at most {MOST:g} in size "
            "[rad or m].",
            argument=name,
        )


def checked_limits(value: object, name: str, n: int, *, infinite: bool = True) -> Array:
    """Return the limits of n joints, given as one number or as n; infinite for none."""
    limits = checked_per_joint(value, name, n, above=0.0, infinite=infinite)
    check_limits(limits, name)
    return limits


def check_limits(limits: Array, name: str) -> None:
    """Raise an error if a limit is too small or too large."""
    wrong = np.isfinite(limits) & ((limits < LEAST) | (limits > MOST))
    if wrong.any():
        raise InputError(
            f"`{name}` has {limits[wrong][0]:g}, expected limits {RANGE}.", argument=name
        )


def checked_duration(value: object, name: str = "duration") -> float:
    """Return a duration [s]."""
    duration = checked_positive(value, name)
    if not LEAST <= duration <= MOST:
        raise InputError(f"`{name}` is {duration:g} s, expected {RANGE} s.", argument=name)
    return duration


def check_shortest(duration: float) -> None:
    """Raise an error if limits make a motion last too short or too long a time [s]."""
    if not LEAST <= duration <= MOST:
        raise InputError(
            f"within the limits the motion takes {duration:g} s, expected {RANGE} s. Are its way "
            "and its limits in rad or m, and seconds?"
        )
