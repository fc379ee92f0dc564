"""Arms whose mass matrix has no inverse, wherever they stand."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from armdyn.algorithms import KINDS
from armdyn.robot import Chain

INVERTING = ("forward_dynamics", "forward_dynamics_derivatives", "inverse_mass_matrix", "udu")
"""The kinds that divide by the mass matrix."""

# Of the smallest eigenvalue of M scaled to a unit diagonal: below it is rounding. Real arms, heavy
# at the base and light at the wrist, stay many orders above it once scaled.
SINGULAR = 1e-13
# Of a diagonal entry of M beside the largest: what rounding leaves of an inertia that is zero.
RESIDUE = 1e-16


@lru_cache(maxsize=64)
def singular(chain: Chain) -> str:
    """Say why the mass matrix has no inverse at any state; empty if it has one.

    A matrix that is singular at one state without symmetry is singular at all of them.
    """
    q = [0.3 + 0.7 * i for i in range(chain.n)]
    M = np.array(KINDS["mass_matrix"].methods["lin_fang_1"].run(chain, q), dtype=np.float64)
    still = [i + 1 for i in range(chain.n) if not M[i, i] > RESIDUE * M.max(initial=0.0)]
    why = "give the links behind it mass and inertia, or the joint a rotor inertia"
    if still:
        return f"nothing that joint {still[0]} moves resists it: {why}"
    scale = 1.0 / np.sqrt(np.diag(M))
    smallest = np.abs(np.linalg.eigvalsh(M * np.outer(scale, scale))).min()
    if smallest < SINGULAR:
        return "some joints can move together without moving any mass: give their links inertia"
    return ""
