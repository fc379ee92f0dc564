"""Derivatives of forward dynamics, from those of inverse dynamics at the same motion.

tau(q, qd, qdd(q, qd, tau)) = tau for every q and qd, so that

    dqdd/dq = -M^-1 dtau/dq,   dqdd/dqd = -M^-1 dtau/dqd,   dqdd/dtau = M^-1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from armdyn.algorithms import mass_matrix_udu, udu
from armdyn.algorithms.coordinates import positions, projected_matrix, rates
from armdyn.algorithms.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from armdyn.algorithms.vector import Matrix, inner
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar

Row: TypeAlias = Sequence[Scalar]
# A function of (chain, q, qd, qdd) that returns dtau/dq, dtau/dqd and M.
Derivatives: TypeAlias = Callable[..., tuple[Matrix, Matrix, Matrix]]


def forward_dynamics_derivatives(
    chain: Chain,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    tau: Sequence[Scalar],
    derivatives: Derivatives | None = None,
) -> tuple[Matrix, Matrix, Matrix]:
    """Return dqdd/dq, dqdd/dqd and M^-1 = dqdd/dtau; `derivatives` are those of tau."""
    # M does not depend on qdd, and is part of the work done for the derivatives below.
    derivatives = derivatives or _derivatives
    _, _, M = derivatives(chain, q, qd, [0.0] * chain.dof)
    bias = mass_matrix_udu.bias(chain, q, qd)
    qdd = udu.solve(M, [t - b for t, b in zip(tau, bias, strict=True)])
    dq, dqd, _ = derivatives(chain, q, qd, qdd)
    inverse = udu.inverse(M)
    return _minus_product(inverse, dq), _minus_product(inverse, dqd), inverse


def _derivatives(chain: Chain, q: Row, qd: Row, qdd: Row) -> tuple[Matrix, Matrix, Matrix]:
    """Return those of inverse dynamics, of coordinates."""
    joints = positions(chain, q), rates(chain, qd), rates(chain, qdd)
    dq, dqd, M = inverse_dynamics_derivatives(chain, *joints)
    return (
        projected_matrix(chain, dq),
        projected_matrix(chain, dqd),
        projected_matrix(chain, M, symmetric=True),
    )


def _minus_product(X: Matrix, Y: Matrix) -> Matrix:
    return [[-inner(row, column) for column in zip(*Y, strict=True)] for row in X]
