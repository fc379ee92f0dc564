"""Inverse of the inertia matrix from the formulas of its entries: [Saha1999] section 5.2.

I^-1 = U^-T D^-1 U^-1, (36). The entries -alpha'_ij of U^-1 follow from those of U column by column,
(39). The closed form (41) is `denoc_closed_inverse`.

The sign of alpha' is printed both ways: (38), (40), (47) have U^-1 = 1 + alpha' and (39) an outer
minus, while alpha'_2 = alpha_2, (41) and (48) want U^-1 = 1 - alpha' and no minus in (39), as here.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.denoc_udu import udu
from armdyn.algorithms.vector import Matrix, symmetric_full
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def inverse_mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return I^-1, full and symmetric."""
    return inverse_from_factors(*udu(chain, q))


def inverse_from_factors(U: Matrix, D: Sequence[Scalar]) -> Matrix:
    """Return U^-T D^-1 U^-1."""
    return from_inverse_factor(unit_upper_inverse(U), D)


def from_inverse_factor(V: Matrix, D: Sequence[Scalar]) -> Matrix:
    """Return V^T D^-1 V, V = U^-1: entry (i, j) is the sum over k <= i, j of v_ki v_kj / mh_k.

    (48) is this for three joints, printed without squares on the diagonal.
    """
    inverse = [1.0 / mh for mh in D]
    lower: Matrix = [[0.0] * (i + 1) for i in range(len(D))]
    for i in range(len(D)):
        for j in range(i + 1):
            for k in range(j + 1):
                lower[i][j] = lower[i][j] + V[k][j] * (inverse[k] * V[k][i])
    return symmetric_full(lower)


def unit_upper_inverse(U: Matrix) -> Matrix:
    """Return U^-1 = 1 - [alpha'_ij] of a unit upper triangular U = 1 + [alpha_ij].

    alpha'_j = alpha_j - sum over k < j of alpha_kj alpha'_k, alpha'_2 = alpha_2. (39), corrected.
    """
    n = len(U)
    primed: Matrix = [[0.0] * n for _ in range(n)]
    for j in range(n):
        for i in range(j):
            primed[i][j] = U[i][j]
            for k in range(i + 1, j):
                primed[i][j] = primed[i][j] - primed[i][k] * U[k][j]
    return [[1.0 if i == j else -primed[i][j] for j in range(n)] for i in range(n)]
