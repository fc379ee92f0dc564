"""Three-vectors, symmetric matrices and the cleaning of offline constants: plain arithmetic.

Vectors are tuples (x, y, z); symmetric matrices are tuples (xx, xy, xz, yy, yz, zz).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from armdyn.robot.chain import Symmetric, Vector
from armdyn.scalar import Scalar

Matrix: TypeAlias = list[list[Scalar]]

# A 3x3 matrix as its rows.
Rows: TypeAlias = tuple[Vector, Vector, Vector]

ZERO: Vector = (0.0, 0.0, 0.0)
ZERO_SYMMETRIC: Symmetric = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

# An offline constant this small relative to the numbers it is made from is rounding, not physics.
RESIDUE = 1e-14


def add(*vectors: Vector) -> Vector:
    """Return the sum, added from left to right."""
    x, y, z = vectors[0]
    for v in vectors[1:]:
        x, y, z = x + v[0], y + v[1], z + v[2]
    return (x, y, z)


def sum_of(vectors: Sequence[Vector]) -> Vector:
    """Return the sum of vectors; zero if there are none."""
    return add(*vectors) if vectors else ZERO


def sub(u: Vector, v: Vector) -> Vector:
    """Return u - v."""
    return (u[0] - v[0], u[1] - v[1], u[2] - v[2])


def neg(v: Vector) -> Vector:
    """Return -v."""
    return (-v[0], -v[1], -v[2])


def scale(k: Scalar, v: Vector) -> Vector:
    """Return k v."""
    return (k * v[0], k * v[1], k * v[2])


def dot(u: Vector, v: Vector) -> Scalar:
    """Return u . v."""
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def cross(u: Vector, v: Vector) -> Vector:
    """Return u x v."""
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


def total(values: Iterable[Scalar]) -> Scalar:
    """Return the sum, added from left to right; 0 of no values."""
    left = iter(values)
    found = next(left, 0.0)
    for x in left:
        found = found + x
    return found


def inner(u: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """Return u . v of rows of any length."""
    return total(a * b for a, b in zip(u, v, strict=True))


def add_symmetric(*matrices: Symmetric) -> Symmetric:
    """Return the sum, added from left to right."""
    xx, xy, xz, yy, yz, zz = matrices[0]
    for m in matrices[1:]:
        xx, xy, xz = xx + m[0], xy + m[1], xz + m[2]
        yy, yz, zz = yy + m[3], yz + m[4], zz + m[5]
    return (xx, xy, xz, yy, yz, zz)


def scale_symmetric(k: Scalar, m: Symmetric) -> Symmetric:
    """Return k m."""
    return (k * m[0], k * m[1], k * m[2], k * m[3], k * m[4], k * m[5])


def apply(m: Symmetric, v: Vector) -> Vector:
    """Return the symmetric matrix m times v."""
    xx, xy, xz, yy, yz, zz = m
    return (
        xx * v[0] + xy * v[1] + xz * v[2],
        xy * v[0] + yy * v[1] + yz * v[2],
        xz * v[0] + yz * v[1] + zz * v[2],
    )


def times(m: Rows, v: Vector) -> Vector:
    """Return any matrix m times v."""
    return (dot(m[0], v), dot(m[1], v), dot(m[2], v))


def column(m: Rows, k: int) -> Vector:
    """Return column k of a matrix, counted from 1 as in the papers."""
    return (m[0][k - 1], m[1][k - 1], m[2][k - 1])


def outer(u: Vector, v: Vector) -> Symmetric:
    """Return u v^T + v u^T."""
    return (
        u[0] * v[0] + v[0] * u[0],
        u[0] * v[1] + v[0] * u[1],
        u[0] * v[2] + v[0] * u[2],
        u[1] * v[1] + v[1] * u[1],
        u[1] * v[2] + v[1] * u[2],
        u[2] * v[2] + v[2] * u[2],
    )


def square(v: Vector) -> Symmetric:
    """Return v v^T."""
    return (v[0] * v[0], v[0] * v[1], v[0] * v[2], v[1] * v[1], v[1] * v[2], v[2] * v[2])


def trace_minus(m: Symmetric) -> Symmetric:
    """Return tr(m) 1 - m: the inertia of a second-moment matrix, and half way back again."""
    xx, xy, xz, yy, yz, zz = m
    return (yy + zz, -xy, -xz, xx + zz, -yz, xx + yy)


def second_moment(I: Symmetric) -> Symmetric:
    """Return tr(I)/2 1 - I: the second-moment matrix of an inertia tensor I."""
    xx, xy, xz, yy, yz, zz = I
    return (
        0.5 * (yy + zz - xx), -xy, -xz, 0.5 * (xx + zz - yy), -yz, 0.5 * (xx + yy - zz),
    )  # fmt: skip


def point_inertia(m: Scalar, c: Vector) -> Symmetric:
    """Return -m [c x]^2 = m (c.c 1 - c c^T): the inertia of a point mass m at c."""
    return scale_symmetric(m, trace_minus(square(c)))


def inertia_at_origin(m: Scalar, c: Vector, I: Symmetric) -> Symmetric:
    """Return I - m [c x]^2: the inertia about the origin of a link whose I is about its COM c."""
    return add_symmetric(I, point_inertia(m, c))


def clean(values: Iterable[Scalar], sized_by: Iterable[Scalar]) -> list[Scalar]:
    """Return offline constants with rounding residues, judged by `sized_by`, set to zero.

    Values that are not floats (parameters kept symbolic) pass through.
    """
    size = max((abs(x) for x in sized_by if isinstance(x, float)), default=0.0)
    return [0.0 if isinstance(x, float) and abs(x) <= RESIDUE * size else x for x in values]


def clean_sum(*vectors: Vector) -> Vector:
    """Return the sum of offline vectors, with rounding of cancelling components set to zero.

    Each component is judged by itself: a small one next to a large one is physics.
    """
    x, y, z = (
        clean([total], parts)[0]
        for total, parts in zip(add(*vectors), zip(*vectors, strict=True), strict=True)
    )
    return (x, y, z)


def clean_symmetric(m: Symmetric, *terms: Symmetric) -> Symmetric:
    """Return an offline matrix with rounding residues, relative to its terms, set to zero.

    An entry is judged by the same entry of the terms; one off the diagonal also by the geometric
    mean of the two on it, which it cannot exceed in the moments of a body. So the small moment of a
    slender link about its own axis is kept beside the large ones across it.
    """
    xx, xy, xz, yy, yz, zz = (
        clean([x], [size for t in terms for size in (t[k], _mean(t[a], t[b]))])[0]
        for k, (x, (a, b)) in enumerate(zip(m, _ON_DIAGONAL, strict=True))
    )
    return (xx, xy, xz, yy, yz, zz)


# Of every entry of a symmetric matrix, where the two diagonal entries in its row and column are.
_ON_DIAGONAL = ((0, 0), (0, 3), (0, 5), (3, 3), (3, 5), (5, 5))


def _mean(x: Scalar, y: Scalar) -> Scalar:
    if isinstance(x, float) and isinstance(y, float):
        return math.sqrt(abs(x)) * math.sqrt(abs(y))
    return 0.0


def is_zero(x: Scalar) -> bool:
    """Say whether a constant is known to be zero; one kept symbolic is not."""
    return isinstance(x, float) and x == 0.0


def symmetric_full(lower: Sequence[Sequence[Scalar]]) -> Matrix:
    """Return the full symmetric matrix whose lower triangle (row i has i+1 entries) is given."""
    n = len(lower)
    return [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
