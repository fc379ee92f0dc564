"""Quotients and linear systems whose answer is defined for degenerate data.

A joint at rest, a torque of zero and data without noise make denominators and pivots zero. All
relative quantities and all solves of normal equations go through these functions, so that what
happens then is decided in one place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import Array
from armdyn.errors import NumericalError

# Relative rounding error of a double: an eigenvalue or squared pivot of a p x p matrix of unit
# diagonal that is smaller than p times this is indistinguishable from zero.
EPSILON = float(np.finfo(np.float64).eps)

# A value this small relative to the largest of its kind is rounding of some operations.
ROUNDING = 1e-12

# Directions that are smaller than this, relative to the largest one, are not distinguishable from
# rounding in sums of many products.
RANK = 1e-9


def ratio(a: ArrayLike, b: ArrayLike, undefined: float) -> Array:
    """Return a / b: 0 where a is 0, and `undefined` where b is 0 or the quotient overflows.

    NaN stays NaN: it is no case of degenerate data, and must not be hidden.
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    with np.errstate(all="ignore"):
        quotient = a / b
    return np.where(a == 0.0, 0.0, np.where(np.isinf(quotient), undefined, quotient))


def scaled_inverse(H: Array) -> Array:
    """Return the inverse of a symmetric, positive semi-definite matrix, scaled to unit diagonal.

    As a covariance: it is positive semi-definite, and directions that H determines only to rounding
    get the largest variance that rounding allows, not zero.

    Raises:
        NumericalError: H is not finite.
    """
    unit, scale = _unit_diagonal(H)
    factor = _factor(unit)
    if factor is None:
        e, V = np.linalg.eigh(unit)
        root = scale[:, None] * (V / np.sqrt(np.maximum(e, _rounding(e))))
    else:
        root = scale[:, None] * np.linalg.inv(factor).T
    return root @ root.T


def scaled_root(H: Array, least: float) -> Array:
    """Return R with R R^T = H^-1, for H as in `scaled_inverse`.

    Args:
        H: the matrix ``(p, p)``.
        least: the least eigenvalue of H scaled to unit diagonal; smaller ones are set to it.

    Raises:
        NumericalError: H is not finite.
    """
    unit, scale = _unit_diagonal(H)
    e, V = np.linalg.eigh(unit)
    return scale[:, None] * (V / np.sqrt(np.maximum(e, least))) @ V.T


def scaled_solve(H: Array, B: Array, least: float = 0.0) -> Array:
    """Return X of H X = B, for H as in `scaled_inverse`; zero in directions that H does not show.

    Args:
        H: the matrix ``(p, p)``.
        B: right sides ``(p,)`` or ``(p, m)``.
        least: directions whose eigenvalue in H scaled to unit diagonal, relative to the largest, is
            below this are not shown; at least rounding.

    Raises:
        NumericalError: H is not finite.
    """
    unit, scale = _unit_diagonal(H)
    sides = (scale * B.T).T
    if not least and _factor(unit) is not None:
        return (scale * np.linalg.solve(unit, sides).T).T
    e, V = np.linalg.eigh(unit)
    shown = e > max(_rounding(e), least * float(e[-1]))
    return (scale * (V[:, shown] @ ((V[:, shown].T @ sides).T / e[shown]).T).T).T


def scaled_pinv(A: Array, rows: Array | None = None, columns: Array | None = None) -> Array:
    """Return the pseudo-inverse of a matrix whose rows and columns have sizes of any order.

    Args:
        A: the matrix ``(m, p)``.
        rows: sizes of its rows ``(m,)``; 1 if left out.
        columns: sizes of its columns ``(p,)``; their norms if left out.

    Raises:
        NumericalError: A is not finite.
    """
    _check_finite(A)
    left = 1.0 if rows is None else _reciprocal(rows)
    right = _reciprocal(np.linalg.norm(A, axis=0) if columns is None else columns)
    unit = (left * A.T).T * right
    return np.asarray(((left * np.linalg.pinv(unit)).T * right).T, np.float64)


def _unit_diagonal(H: Array) -> tuple[Array, Array]:
    """Return H with unit diagonal, and the factors of its rows and columns."""
    _check_finite(H)
    scale = _reciprocal(np.sqrt(np.maximum(np.diagonal(H), 0.0)))
    return scale[:, None] * H * scale, scale


def _reciprocal(sizes: Array) -> Array:
    """Return 1 / sizes, 1 for what has no size."""
    return 1.0 / np.where(sizes > 0.0, sizes, 1.0)


def _factor(unit: Array) -> Array | None:
    """Return the Cholesky factor of a matrix of unit diagonal; None if a pivot is rounding."""
    try:
        factor = np.asarray(np.linalg.cholesky(unit), np.float64)
    except np.linalg.LinAlgError:
        return None
    return factor if (np.diagonal(factor) ** 2 > len(unit) * EPSILON).all() else None


def _rounding(eigenvalues: Array) -> float:
    return len(eigenvalues) * EPSILON * max(float(eigenvalues[-1]), EPSILON)


def _check_finite(A: Array) -> None:
    if not np.isfinite(A).all():
        raise NumericalError(
            "a linear system has numbers that are not finite: the data, or the description of the "
            "arm, have numbers that are too large. Are their units right (rad, m, N m, kg)?"
        )
