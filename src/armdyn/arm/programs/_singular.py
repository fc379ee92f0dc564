"""Arms whose mass matrix is singular in every position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms import QUANTITIES
from armdyn.arm.programs._sized_lru import remembered
from armdyn.errors import RobotError
from armdyn.graph import Rolled
from armdyn.robot import Chain

# M scaled to a unit diagonal is singular if its smallest eigenvalue is below this (no unit). Real
# arms, heavy at the base and light at the wrist, stay many orders of magnitude above it.
SINGULAR = 1e-13
# A diagonal entry of M below this times the largest is a rounded zero. No unit.
RESIDUE = 1e-16
# For arms with more joints, machine code computes M; plain Python would take seconds.
MANY_JOINTS = 60


def refuse_singular(chain: Chain, quantity: str) -> None:
    """Refuse a quantity that divides by a mass matrix that has no inverse."""
    if QUANTITIES[quantity].inverts and (why := singular(chain)):
        raise RobotError(f"{quantity} does not exist, the mass matrix is singular: {why}.")


@remembered
def singular(chain: Chain) -> str:
    """Return why the mass matrix has no inverse at any state; empty if it has one.

    It is checked at one state without symmetry: a matrix singular there is singular everywhere.
    """
    M = _mass_matrix(chain, [0.3 + 0.7 * i for i in range(chain.n)])
    still = [i + 1 for i in range(chain.n) if not M[i, i] > RESIDUE * M.max(initial=0.0)]
    why = "give the links behind it mass and inertia, or the joint a rotor inertia"
    if still:
        return f"nothing that joint {still[0]} moves resists it: {why}"
    scale = 1.0 / np.sqrt(np.diag(M))
    if _smallest(M * np.outer(scale, scale)) < SINGULAR:
        return "some joints can move together without moving any mass: give their links inertia"
    return ""


def _mass_matrix(chain: Chain, q: list[float]) -> NDArray[np.float64]:
    sweeps = _sweeps(chain) if chain.n > MANY_JOINTS else None
    if sweeps is not None:
        from armdyn.kernel import cached_kernel

        return np.asarray(cached_kernel(sweeps)(np.array(q)))
    return np.array(QUANTITIES["mass_matrix"].methods["lin_fang_1"].run(chain, q), dtype=np.float64)


def _sweeps(chain: Chain) -> Rolled | None:
    from armdyn.arm.programs._rolled import rolled_program

    return rolled_program(chain, "mass_matrix", friction=False)


def _smallest(M: NDArray[np.float64]) -> float:
    """Return the smallest eigenvalue of M or, if M is large, the smallest pivot, which is faster.

    If M is singular, both are zero up to rounding.
    """
    if len(M) <= MANY_JOINTS:
        return float(np.abs(np.linalg.eigvalsh(M)).min())
    try:
        return float(np.diag(np.linalg.cholesky(M)).min() ** 2)
    except np.linalg.LinAlgError:
        return 0.0
