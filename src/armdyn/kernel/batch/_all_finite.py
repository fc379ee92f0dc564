"""Check whether all numbers of an array are finite or bounded, without a temporary mask."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.kernel._element import ELEMENTS, ElementType
from armdyn.kernel.batch._batch_code import largest_address
from armdyn.kernel.ir._finite_check import finite_magnitude

Array = NDArray[np.float64] | NDArray[np.float32]

# From this many numbers on, loading machine code pays off; NumPy would build a mask first.
MANY = 4096


def all_finite(array: Array) -> bool:
    """Return whether all numbers are finite; other threads may run meanwhile."""
    if array.size < MANY or not array.flags.c_contiguous:
        return bool(np.isfinite(array).all())
    element = ELEMENTS[array.dtype.char]
    return _largest(element)(array.ctypes.data, array.size) <= finite_magnitude(element)


def all_within(array: Array, largest: float) -> bool:
    """Return whether all numbers are finite and at most this large in magnitude."""
    element = ELEMENTS[array.dtype.char]
    if array.size < MANY or not array.flags.c_contiguous:
        return bool((np.abs(array) <= min(largest, element.largest)).all())
    return _largest(element)(array.ctypes.data, array.size) <= element.bound(largest)


@lru_cache(maxsize=len(ELEMENTS))
def _largest(element: ElementType) -> Callable[..., Any]:
    kinds = element.c_integer, ctypes.c_void_p, ctypes.c_int64
    return ctypes.CFUNCTYPE(*kinds)(largest_address(element))
