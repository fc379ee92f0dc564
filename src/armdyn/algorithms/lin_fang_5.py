"""Formulation 5 of the mass matrix: Formulation 1 on first moments about the joint before.

[LinFang1999] Table V and Appendix B, corrected, after [Kawasaki1996]. Instead of the first moment
of composite body i about O_i it takes h_i, the one about O_{i-1} in E_{i-1}, (B3). Table V prints
the moment of f for both kinds of joint i: as (B8) says, it is of rotational ones only (h_i holds it
already for translational ones). D_ji goes by the kind of joint j; Table V and (B11) print i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.composite import Composite, composites, moments_before
from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.lin_fang_1 import wrench_before
from armdyn.algorithms.vector import Matrix, add, cross, neg, scale, sub, symmetric_full
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class CompositeBefore:
    """Composite body i: its mass, h_i in E_{i-1} and the third column of its J in E_i."""

    m: Scalar
    h: Vector
    J3: Vector


def composites_before(F: Sequence[Frame], composites: Sequence[Composite]) -> list[CompositeBefore]:
    """Return the composite bodies 1..n with h_i in place of the first moment; entry 0 is empty."""
    return [
        CompositeBefore(body.m, moments_before(Fi, body)[0], body.J3)
        for Fi, body in zip(F, composites, strict=True)
    ]


def formulation_5(F: Sequence[Frame], composites: Sequence[CompositeBefore]) -> Matrix:
    """Return the mass matrix, without rotors, of given composite bodies."""
    lower: Matrix = []
    for i in range(1, len(F)):
        body = composites[i]
        column = [body.J3[2] if F[i].rotational else body.m]
        f, t = _first_step(F[i], body)
        for j in range(i - 1, 0, -1):
            if j < i - 1:
                f, t = wrench_before(F, j, f, t)
            column.append(t[2] if F[j].rotational else f[2])
        lower.append(column[::-1])
    return symmetric_full(lower)


def _first_step(Fi: Frame, body: CompositeBefore) -> tuple[Vector, Vector]:
    """Return the unit wrench of composite body i about O_{i-1} in E_{i-1}: (B7), (B8)."""
    u = Fi.z
    if Fi.rotational:
        f = neg(cross(sub(body.h, scale(body.m, Fi.s)), u))
        return f, add(Fi.to_parent(body.J3), cross(Fi.s, f))
    return scale(body.m, u), cross(body.h, u)


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix."""
    F = frames(chain, q)
    bodies = composites_before(F, composites(chain, F))
    return diagonal_with_rotors(formulation_5(F, bodies), chain)
