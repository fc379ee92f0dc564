"""Formulation 2 of the mass matrix: axes and arms carried towards the tip.

[LinFang1999] (20) and Table II, which has no line for O_j -> O_{j+1} in E_{j+1}. In E_i: u is the
axis u_j of joint j, s the arm O_j -> O_i.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.composite import Composite, composites
from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.vector import Matrix, dot, symmetric_full
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def formulation_2(F: Sequence[Frame], composites: Sequence[Composite]) -> Matrix:
    """Return the mass matrix, without rotors, of given composite bodies."""
    lower: Matrix = []
    seen: list[tuple[Vector, Vector]] = []  # (u, s) of joints 1..i-1 in E_i
    for i in range(1, len(F)):
        here = F[i]
        seen = [(here.to_child(u), here.arm(s)) for u, s in seen]
        if i > 1:
            seen.append((here.z_previous, here.s_own))
        row = [_entry(F[j], here, u, s, composites[i]) for j, (u, s) in enumerate(seen, start=1)]
        lower.append([*row, composites[i].diagonal(here.rotational)])
    return symmetric_full(lower)


def _entry(Fj: Frame, Fi: Frame, u: Vector, s: Vector, body: Composite) -> Scalar:
    """Return D_ji, j < i."""
    m, (x, y, _), (J13, J23, J33) = body.m, body.c, body.J3
    if Fi.rotational and Fj.rotational:
        return dot(u, (J13 - x * s[2], J23 - y * s[2], J33 + (x * s[0] + y * s[1])))
    if Fi.rotational:
        return u[1] * x - u[0] * y
    if Fj.rotational:
        return u[0] * (m * s[1] + y) - u[1] * (m * s[0] + x)
    return m * u[2]


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix."""
    F = frames(chain, q)
    return diagonal_with_rotors(formulation_2(F, composites(chain, F)), chain)
