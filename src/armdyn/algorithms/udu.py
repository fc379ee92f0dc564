"""Square-root-free factors of a symmetric matrix by reverse elimination, and what they solve.

X = U D U^T with U unit upper triangular and D diagonal: columns are eliminated from the last to the
first, the reverse Gaussian elimination of [Saha1999] section 5.1 carried out on numbers. Divisions
are slow, so every pivot is inverted once and multiplied by after.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.vector import Matrix, symmetric_full
from armdyn.scalar import Scalar


def factors(X: Matrix) -> tuple[Matrix, list[Scalar]]:
    """Return U (n x n, full, with exact ones and zeros) and D (n) of a symmetric matrix."""
    U, D, _ = _eliminated(X)
    return U, D


def solve(X: Matrix, y: Sequence[Scalar]) -> list[Scalar]:
    """Return x with X x = y for a symmetric positive definite X."""
    n = len(X)
    U, D, inverse = _eliminated(X)
    x = list(y)
    for k in range(n - 1, 0, -1):  # U^-1
        for i in range(k):
            x[i] = x[i] - U[i][k] * x[k]
    # The first pivot divides nothing else: one division, where inverting it would add a product.
    x = [x[0] / D[0], *(a * b for a, b in zip(x[1:], inverse[1:], strict=True))]
    for i in range(1, n):  # U^-T
        for k in range(i):
            x[i] = x[i] - U[k][i] * x[k]
    return x


def inverse(X: Matrix) -> Matrix:
    """Return the inverse of a symmetric positive definite matrix.

    Y = X^-1 obeys U^T Y = D^-1 U^-1, whose right side is 1/D_i on the diagonal and zero below it:
    the lower triangle of Y follows row by row, and U is never inverted.
    """
    U, _, inverse = _eliminated(X)
    Y: Matrix = []
    for i in range(len(X)):
        Y.append([0.0] * (i + 1))
        for j in range(i + 1):
            for k in range(i):
                Y[i][j] = Y[i][j] - U[k][i] * Y[max(k, j)][min(k, j)]
        Y[i][i] = Y[i][i] + inverse[i]
    return symmetric_full(Y)


def _eliminated(X: Matrix) -> tuple[Matrix, list[Scalar], list[Scalar]]:
    """Return U, D and the entries' inverses 1/D_i."""
    n = len(X)
    rest = [list(row[: i + 1]) for i, row in enumerate(X)]
    U: Matrix = [[float(i == k) for k in range(n)] for i in range(n)]
    inverse: list[Scalar] = [0.0] * n
    for k in range(n - 1, -1, -1):
        inverse[k] = 1.0 / rest[k][k]
        for i in range(k):
            U[i][k] = rest[k][i] * inverse[k]
            for j in range(i + 1):
                rest[i][j] = rest[i][j] - U[i][k] * rest[k][j]
    return U, [rest[k][k] for k in range(n)], inverse
