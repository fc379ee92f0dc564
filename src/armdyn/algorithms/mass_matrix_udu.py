"""Mass matrix, its dense factors, and what is solved with them: the cheapest for few joints.

The mass matrix is that of `split`, on trees that of `met`; the bias is that of `second_moment`, the
factors those of `udu`. Operations of forward dynamics grow with n^3 / 6: of general arms the O(n)
recursion of `denoc_forward` needs fewer multiplications from nine joints on.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms import met, second_moment, split
from armdyn.algorithms import udu as dense
from armdyn.algorithms.coordinates import positions, projected, projected_matrix, rates
from armdyn.algorithms.vector import Matrix
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return M, of coordinates."""
    if chain.is_serial:
        return split.mass_matrix(chain, q)
    return projected_matrix(chain, met.mass_matrix(chain, positions(chain, q)), symmetric=True)


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """Return C qd + g, of coordinates."""
    return projected(chain, second_moment.bias(chain, positions(chain, q), rates(chain, qd)))


def forward_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """Return the joint accelerations that torques give: M^-1 (tau - bias)."""
    resultant = [t - b for t, b in zip(tau, bias(chain, q, qd), strict=True)]
    return dense.solve(mass_matrix(chain, q), resultant)


def inverse_mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return M^-1, full and symmetric."""
    return dense.inverse(mass_matrix(chain, q))


def udu(chain: Chain, q: Sequence[Scalar]) -> tuple[Matrix, list[Scalar]]:
    """Return U (n x n, full, with exact ones and zeros) and D (n), with M = U diag(D) U^T."""
    return dense.factors(mass_matrix(chain, q))
