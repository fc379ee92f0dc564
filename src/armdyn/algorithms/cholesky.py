"""Cholesky's factors of a symmetric positive definite matrix, and what they solve."""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.vector import Matrix
from armdyn.scalar import Scalar, sqrt


def cholesky(X: Matrix) -> Matrix:
    """Return L, lower triangular (row i has i+1 entries), with X = L L^T.

    (n^3 - n)/6 + n (n - 1)/2 M, (n^3 - n)/6 A and n square roots. X must be positive definite.
    """
    L: Matrix = []
    for i, given in enumerate(X):
        row: list[Scalar] = []
        for j in range(i):
            row.append(_less(given[j], row, L[j][:j]) / L[j][j])
        row.append(sqrt(_less(given[i], row, row)))
        L.append(row)
    return L


def solve(X: Matrix, y: Sequence[Scalar]) -> list[Scalar]:
    """Return x with X x = y for a symmetric positive definite X."""
    n, L = len(X), cholesky(X)
    z: list[Scalar] = []
    for i in range(n):  # L z = y
        z.append(_less(y[i], L[i][:i], z) / L[i][i])
    x: list[Scalar] = [0.0] * n
    for i in reversed(range(n)):  # L^T x = z
        column = [L[k][i] for k in range(i + 1, n)]
        x[i] = _less(z[i], column, x[i + 1 :]) / L[i][i]
    return x


def _less(value: Scalar, u: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """Return value - u . v."""
    for a, b in zip(u, v, strict=True):
        value = value - a * b
    return value
