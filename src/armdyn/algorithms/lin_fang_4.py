"""Formulation 4 of the mass matrix: every vector in the frame of the last link.

[LinFang1999] Table IV, after [FijanyBejczy1990]. N_i takes components in E_i to E_n and is
held as its three rows; u_i in E_n is its third column, which Table IV computes a second time.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.composite import Composite, composites
from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.vector import (
    Matrix,
    Rows,
    add,
    column,
    cross,
    dot,
    scale,
    symmetric_full,
    times,
)
from armdyn.robot import Chain
from armdyn.scalar import Scalar


def formulation_4(F: Sequence[Frame], composites: Sequence[Composite]) -> Matrix:
    """Return the mass matrix, without rotors, of given composite bodies."""
    n = len(F) - 1
    N = _rotations(F)
    s = {  # s_i in E_n
        i: add(scale(F[i].b, column(N[i - 1], 1)), scale(F[i].d, column(N[i], 3)))
        for i in range(2, n + 1)
    }
    lower: Matrix = []
    for i in range(1, n + 1):
        f_own, t_own = composites[i].unit_wrench(F[i].rotational)
        f, t = times(N[i], f_own), times(N[i], t_own)
        entries = [composites[i].diagonal(F[i].rotational)]
        for j in range(i - 1, 0, -1):
            t = add(t, cross(s[j + 1], f))
            entries.append(dot(column(N[j], 3), t if F[j].rotational else f))
        lower.append(entries[::-1])
    return symmetric_full(lower)


def _rotations(F: Sequence[Frame]) -> dict[int, Rows]:
    """Return N_i for i = n..1."""
    n = len(F) - 1
    N: dict[int, Rows] = {n: ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))}
    for i in range(n - 1, 0, -1):
        p, (x, y, z) = F[i + 1], N[i + 1]
        N[i] = (p.to_parent(x), p.to_parent(y), p.to_parent(z)) if i < n - 1 else _transposed(p)
    return N


def _transposed(Fn: Frame) -> Rows:
    """Return R_n^T; its third column is already known."""
    columns = (Fn.to_child((1.0, 0.0, 0.0)), Fn.to_child((0.0, 1.0, 0.0)), Fn.z_previous)
    return (column(columns, 1), column(columns, 2), column(columns, 3))


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix."""
    F = frames(chain, q)
    return diagonal_with_rotors(formulation_4(F, composites(chain, F)), chain)
