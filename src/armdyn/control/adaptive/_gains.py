"""Gains of adaptive control: numbers, diagonals or matrices, all positive definite."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_array
from armdyn.errors import InputError

Array = NDArray[np.float64]

# Entries across the diagonal that differ by less, relative to the largest entry, are rounding.
ROUNDING = 1e-9


def checked_gain(value: object, name: str) -> Array:
    """Return a gain as given: a number, a diagonal ``(n,)`` or a matrix ``(n, n)``."""
    what = "a positive number, one a joint, or a symmetric positive definite matrix"
    array = checked_array(value, name, (), ("n",), ("n", "n"), what=what)
    if array.ndim == 2:
        _check_definite(array, name, what)
    elif not (array > 0.0).all():
        lowest = float(array.min())
        raise InputError(
            f"`{name}` is not positive definite: it has {lowest:g}; expected {what}.", argument=name
        )
    return array


def gain_matrix(gain: Array, name: str, n: int, whose: str = "the arm has {n} joints") -> Array:
    """Return a gain as a matrix ``(n, n)``; refuse one of another size."""
    if gain.ndim and len(gain) != n:
        raise InputError(
            f"`{name}` has shape {gain.shape}, but {whose.format(n=n)}.", argument=name
        )
    return gain.copy() if gain.ndim == 2 else np.diag(np.broadcast_to(gain, (n,)))


def _check_definite(matrix: Array, name: str, what: str) -> None:
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"`{name}` has shape {matrix.shape}, expected {what}.", argument=name)
    largest = float(np.abs(matrix).max())
    if np.abs(matrix - matrix.T).max() > ROUNDING * largest:
        raise InputError(f"`{name}` is not symmetric; expected {what}.", argument=name)
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    if not lowest > np.finfo(float).eps * len(matrix) * largest:
        raise InputError(
            f"`{name}` is not positive definite: its smallest eigenvalue is {lowest:.3g}; expected "
            f"{what}.",
            argument=name,
        )
