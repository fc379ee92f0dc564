"""M, the Christoffel symbols and the gravity torques of an arm as series."""

from __future__ import annotations

from armdyn.algorithms import gibbs_appell
from armdyn.algorithms.denoc import mass_matrix as denoc_mass_matrix
from armdyn.symbolics._description import Described
from armdyn.symbolics._series import Series

Table = list[list[Series]]


def mass_matrix(arm: Described) -> Table:
    """Return M by [Saha1999] (22), full and symmetric."""
    flat = arm.evaluated(denoc_mass_matrix, (arm.n, arm.n))
    return [flat[arm.n * i : arm.n * (i + 1)] for i in range(arm.n)]


def gravity(arm: Described) -> list[Series]:
    """Return the torques that hold the arm still."""
    return arm.evaluated(gibbs_appell.gravity, (arm.n,))


def christoffel(arm: Described, M: Table) -> list[Table]:
    """Return c_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2; C_ij is the sum of c_ijk qd_k."""
    joints = range(arm.n)
    slope = [[[_by_joint(arm, M[i][j], k) for k in joints] for j in joints] for i in joints]
    return [
        [[0.5 * (slope[i][j][k] + slope[i][k][j] - slope[j][k][i]) for k in joints] for j in joints]
        for i in joints
    ]


def _by_joint(arm: Described, entry: Series, k: int) -> Series:
    if not arm.rotational[k]:
        return entry.by_generator(f"q{k + 1}")
    return entry.by_angle(*arm.places[k + 1])
