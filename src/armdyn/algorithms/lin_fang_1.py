"""Formulation 1 of the mass matrix: unit wrenches carried towards the base.

[LinFang1999] (7)-(11) and Table I; in spatial notation it is Method IV of [LillyOrin1991].
f_ji, t_ji: force and moment about O_j, in E_j, that give joint i alone a unit acceleration.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.composite import Composite, composites
from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.vector import Matrix, add, cross, symmetric_full
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def formulation_1(F: Sequence[Frame], composites: Sequence[Composite]) -> Matrix:
    """Return the mass matrix, without rotors, of given composite bodies."""
    lower: Matrix = []
    for i in range(1, len(F)):
        f, t = composites[i].unit_wrench(F[i].rotational)
        column = [composites[i].diagonal(F[i].rotational)]
        for j in range(i - 1, 0, -1):
            f, t = wrench_before(F, j, f, t)
            column.append(t[2] if F[j].rotational else f[2])
        lower.append(column[::-1])
    return symmetric_full(lower)


def wrench_before(F: Sequence[Frame], j: int, f: Vector, t: Vector) -> tuple[Vector, Vector]:
    """Return f_ji, t_ji from those of j+1: (9), and (10) in the form (18)."""
    p = F[j + 1]
    at_j = p.to_parent(f)
    if j == 1:  # Table I shifts before rotating: of f_1i nothing is needed for rotational joint 1
        return at_j, p.to_parent(add(t, cross(p.s_own, f)))
    shifted = p.to_parent((t[0] - p.d * f[1], t[1] + p.d * f[0], t[2]))
    return at_j, (shifted[0], shifted[1] - p.b * at_j[2], shifted[2] + p.b * at_j[1])


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix."""
    F = frames(chain, q)
    return diagonal_with_rotors(formulation_1(F, composites(chain, F)), chain)
