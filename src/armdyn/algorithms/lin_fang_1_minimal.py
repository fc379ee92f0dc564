"""Formulation 1 of [LinFang1999] on the minimal set: unit wrenches carried towards the base.

From joint s on it is `lin_fang_1`. Before joint s not the moment t_ji but only its part tau about
u_r is carried, (29)-(31), and before joint r only the force f_ji.

Corrected: (30) holds for r <= j < i, (31) has (u_r)_z in E_j, and its translational part holds for
all j < i.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.lin_fang_1 import formulation_1
from armdyn.algorithms.minimal_set import minimal_set
from armdyn.algorithms.structure import Direction, Structure, structure
from armdyn.algorithms.table_vii import AxialComposite, minimal_composites
from armdyn.algorithms.vector import Matrix, add, cross, dot, scale
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix from the values of the minimal set."""
    F, found = frames(chain, q), structure(chain)
    bodies = minimal_composites(F, found, minimal_set(chain, found))
    D = formulation_1(F, bodies)
    for i in range(1, min(found.s, len(F))):
        for j, entry in _before_s(F, found, i, bodies[i]).items():
            D[i - 1][j - 1] = D[j - 1][i - 1] = entry
    return diagonal_with_rotors(D, chain)


def _before_s(
    F: Sequence[Frame], found: Structure, i: int, body: AxialComposite
) -> dict[int, Scalar]:
    """Return D_ji, j < i, for i < s. (29)-(31)."""
    D: dict[int, Scalar] = {}
    (f, _), tau = body.unit_wrench(F[i].rotational), body.tau
    for j in range(i - 1, 0, -1):
        f = F[j + 1].to_parent(f)
        if j >= found.r:
            tau = tau + dot(arm_about_axis(F[j + 1], found.w[j]), f)
        D[j] = found.w[j][2] * tau if F[j].rotational else f[2]
    return D


def arm_about_axis(p: Frame, w: Direction) -> Vector:
    """Return w x s_p in E_{p-1}: constant if joint p turns, else linear in d_p."""
    return add(cross(w, (p.b, 0.0, 0.0)), scale(p.d, cross(w, p.z)))
