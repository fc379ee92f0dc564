"""Inverse of the inertia matrix with U^-1 in closed form: [Saha1999] (41).

The entries of U^-1 are -alpha'_ij, with

    alpha'_ij = p_i^T Bh_ji^T Mh_j p_j / mh_j,   i < j,
    Bh_ji = B_{j,j-1} Psi_{j-1}^T B_{j-1,j-2} ... Psi_{i+1}^T B_{i+1,i}.

The wrench Mh_j p_j / mh_j goes from joint to joint, and Psi_k takes off what joint k, which
is free, does not carry. (41) prints the indices of Bh the other way round. `denoc_inverse` makes
the same numbers from U by the recursion (39).
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.denoc_inverse import from_inverse_factor
from armdyn.algorithms.denoc_udu import articulated, regrouped_masses
from armdyn.algorithms.frame import frames
from armdyn.algorithms.spatial import wrench_to_parent
from armdyn.algorithms.vector import Matrix
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def inverse_mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return I^-1, full and symmetric."""
    n, F = chain.n, frames(chain, q)
    joints = articulated(chain, F, regrouped_masses(chain))
    V: Matrix = [[float(i == j) for j in range(n)] for i in range(n)]
    for j in range(2, n + 1):
        wrench = joints[j].psi
        for i in range(j - 1, 0, -1):
            wrench = wrench_to_parent(F[i + 1], wrench)
            alpha = wrench[joints[i].k]
            V[i - 1][j - 1] = -alpha
            wrench = joints[i].let_through(wrench, 0.0, -alpha)  # Psi_i times the wrench
    return from_inverse_factor(V, [joints[i].mh for i in range(1, n + 1)])
