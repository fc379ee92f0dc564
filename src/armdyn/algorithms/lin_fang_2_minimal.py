"""Formulation 2 of [LinFang1999] on the minimal set: axes and arms carried towards the tip.

From joint s on it is `lin_fang_2`. Before joint s the elements follow (32), from the moment tau
about u_r of a translational body and the last entry of J of a rotational one; the axis of every
rotational joint is +-u_r there, hence constant. The factors delta_i of (32) are left out: what they
multiply adds up to zero where delta_i = 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.lin_fang_2 import formulation_2
from armdyn.algorithms.minimal_set import minimal_set
from armdyn.algorithms.structure import Structure, structure
from armdyn.algorithms.table_vii import AxialComposite, minimal_composites
from armdyn.algorithms.vector import ZERO, Matrix, scale
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix from the values of the minimal set."""
    F, found = frames(chain, q), structure(chain)
    bodies = minimal_composites(F, found, minimal_set(chain, found))
    D = formulation_2(F, bodies)
    for j in range(1, len(F)):
        for i, entry in _before_s(F, found, j, bodies).items():
            D[i - 1][j - 1] = D[j - 1][i - 1] = entry
    return diagonal_with_rotors(D, chain)


def _before_s(
    F: Sequence[Frame], found: Structure, j: int, bodies: Sequence[AxialComposite]
) -> dict[int, Scalar]:
    """Return D_ji, j < i < s. (32)."""
    D: dict[int, Scalar] = {}
    turns = F[j].rotational
    u: Vector = (0.0, 0.0, 1.0)
    s: Vector = ZERO
    for i in range(j + 1, min(found.s, len(F))):
        u = scale(found.w[j][2], found.w[i]) if turns else F[i].to_child(u)
        s = F[i].arm(s)
        D[i] = _entry(turns, F[i].rotational, u, s, bodies[i])
        if turns and not F[i].rotational:
            D[i] = D[i] + found.w[j][2] * bodies[i].tau
    return D


def _entry(j_turns: bool, i_turns: bool, u: Vector, s: Vector, body: AxialComposite) -> Scalar:
    """Return (32) without its term in tau; u, s: axis and arm of joint j in E_i."""
    cx, cy, _ = body.c
    if j_turns and i_turns:
        return u[2] * (body.J3[2] + cx * s[0] + cy * s[1])
    if i_turns:
        return u[1] * cx - u[0] * cy
    return body.m * (u[0] * s[1] - u[1] * s[0]) if j_turns else body.m * u[2]
