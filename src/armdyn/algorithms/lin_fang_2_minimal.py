"""Formulation 2 of [LinFang1999] on the minimal set: axes and offsets carried up the arm.

For each joint j its axis u_j and the offset s = O_j -> O_i are carried up to every frame E_i, where
D_ji is read from composite body i: by (20) for i >= s, by (32) for i < s, where w_i = u_r in E_i is
constant and so are the axes of the rotational joints.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.minimal_set import minimal_set
from armdyn.algorithms.structure import Structure, structure
from armdyn.algorithms.table_vii import Composite, composites
from armdyn.algorithms.vector import ZERO, Matrix, scale, symmetric_full
from armdyn.robot import Chain, Vector
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the inertia matrix from the values of the minimal set."""
    F, found = frames(chain, q), structure(chain)
    S = minimal_set(chain, found)
    return diagonal_with_rotors(_formulation(F, found, composites(F, found, S)), chain)


def _formulation(F: Sequence[Frame], found: Structure, bodies: dict[int, Composite]) -> Matrix:
    n = len(F) - 1
    rows: Matrix = [[0.0] * i + [bodies[i + 1].inertia] for i in range(n)]
    for j in range(1, n):
        u: Vector = (0.0, 0.0, 1.0)
        s: Vector = ZERO
        for i in range(j + 1, n + 1):
            u = F[i].z_previous if i == j + 1 else F[i].down(u)
            if F[j].rotational and i < found.s:
                u = scale(found.w[j][2], found.w[i])
            x, y, z = F[i].down((s[0] + F[i].b, s[1], s[2]))
            s = (x, y, z + F[i].d)
            if i >= found.s:
                rows[i - 1][j - 1] = element(F[j].rotational, u, s, bodies[i])
            else:
                along = found.w[j][2] if F[j].rotational else 0.0
                rows[i - 1][j - 1] = element_before_s(F[j].rotational, u, s, bodies[i], along)
    return symmetric_full(rows)


def element(turns: bool, u: Vector, s: Vector, body: Composite) -> Scalar:
    """Return D_ji for i >= s; `turns` says whether joint j is rotational. (20)."""
    (cx, cy, _), (J13, J23, J33), m = body.c, body.J, body.m
    if turns and body.rotational:
        across = u[0] * (J13 - cx * s[2]) + u[1] * (J23 - cy * s[2])
        return across + u[2] * (J33 + cx * s[0] + cy * s[1])
    if turns:
        return u[0] * (m * s[1] + cy) - u[1] * (m * s[0] + cx)
    return u[1] * cx - u[0] * cy if body.rotational else m * u[2]


def element_before_s(
    turns: bool, u: Vector, s: Vector, body: Composite, along: Scalar
) -> Scalar:
    """Return D_ji for i < s; `along` = (u_r)_z in E_j, the sense in which joint j turns. (32)."""
    cx, cy, _ = body.c
    if turns and body.rotational:
        return u[2] * (body.J[2] + cx * s[0] + cy * s[1])
    if turns:
        return body.m * (u[0] * s[1] - u[1] * s[0]) + along * body.tau
    return u[1] * cx - u[0] * cy if body.rotational else body.m * u[2]
