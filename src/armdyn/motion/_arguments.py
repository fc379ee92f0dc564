"""The arguments of motions, checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError, shown

Array = NDArray[np.float64]


def numbers(name: str, value: object, ndim: int, what: str) -> Array:
    """Return a read-only array of finite numbers with some axes, none of them empty.

    Args:
        name: of the argument.
        value: its value.
        ndim: number of axes.
        what: the expected shape, in words.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"`{name}` is {shown(value)}, expected {what}.") from None
    if array.ndim != ndim or not array.size:
        raise InputError(f"`{name}` has shape {array.shape}, expected {what}.")
    if not np.isfinite(array).all():
        raise InputError(f"`{name}` is {shown(value)}: its numbers must be finite.")
    array.flags.writeable = False
    return array


def positive(name: str, value: object) -> float:
    """Return a positive, finite number."""
    number = numbers(name, value, 0, "a positive number")
    if not number > 0.0 or isinstance(value, bool):
        raise InputError(f"`{name}` is {shown(value)}, expected a positive number.")
    return float(number)


def limits(name: str, value: object, n: int) -> Array:
    """Return positive limits of n joints, given as one or as n; infinity is no limit."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if array.shape not in ((), (n,)) or not (array > 0.0).all():
        raise InputError(
            f"`{name}` is {shown(value)}, expected a positive number or {n} of them, one a joint."
        )
    return np.broadcast_to(array, (n,)).copy()
