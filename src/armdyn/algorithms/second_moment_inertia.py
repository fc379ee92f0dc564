"""Inertia matrix by composite second moments, with unit wrenches passed down the chain.

The composite-body idea on the moments of `composite_moments`: the wrench that accelerates joint j
by one, everything behind it rigid, is passed from joint to joint towards the base; its component
along axis k on the way is D_jk.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.composite_moments import composites, unit_wrench
from armdyn.algorithms.frame import diagonal_with_rotors, frames
from armdyn.algorithms.spatial import wrench_to_base
from armdyn.algorithms.vector import Matrix, symmetric_full
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return D, full and symmetric."""
    F = frames(chain, q)
    C = composites(chain, F)
    rows = [wrench_to_base(chain, F, j, unit_wrench(F[j], C[j])) for j in range(1, chain.n + 1)]
    return diagonal_with_rotors(symmetric_full(rows), chain)
