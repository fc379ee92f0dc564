"""Forward dynamics by the inertia matrix and the bias of the Gibbs-Appell forms, [Mata2002] 4.2."""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.cholesky import solve
from armdyn.algorithms.gibbs_appell import bias
from armdyn.algorithms.gibbs_appell_inertia import mass_matrix
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def forward_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """Return the accelerations D^-1 (tau - b) that the torques tau give."""
    b = bias(chain, q, qd)
    return solve(mass_matrix(chain, q), [t - bi for t, bi in zip(tau, b, strict=True)])
