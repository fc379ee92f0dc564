"""Formulation 4 of the mass matrix: every vector in one frame, that of the last link.

[LinFang1999] Table IV, after [FijanyBejczy1990]. N_i takes components in E_i to the common frame
E_k and is held as its three rows; u_i in E_k is its third column, which Table IV, for k = n,
computes a second time.
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
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def formulation_4(F: Sequence[Frame], composites: Sequence[Composite]) -> Matrix:
    """Return the mass matrix, without rotors, of given composite bodies."""
    return in_frame(F, composites, len(F) - 1)


def in_frame(F: Sequence[Frame], composites: Sequence[Composite], k: int) -> Matrix:
    """Return the same by way of frame E_k."""
    n = len(F) - 1
    N = _rotations(F, k)
    s = {  # s_i in E_k
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


def _rotations(F: Sequence[Frame], k: int) -> dict[int, Rows]:
    """Return N_i for i = 1..n."""
    n = len(F) - 1
    N: dict[int, Rows] = {k: ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))}
    for i in range(k - 1, 0, -1):
        p, (x, y, z) = F[i + 1], N[i + 1]
        N[i] = (p.to_parent(x), p.to_parent(y), p.to_parent(z)) if i < k - 1 else _transposed(p)
    for i in range(k + 1, n + 1):
        p, (x, y, z) = F[i], N[i - 1]
        N[i] = (p.to_child(x), p.to_child(y), p.to_child(z))
    return N


def _transposed(Fk: Frame) -> Rows:
    """Return R_k^T; its third column is already known."""
    columns = (Fk.to_child((1.0, 0.0, 0.0)), Fk.to_child((0.0, 1.0, 0.0)), Fk.z_previous)
    return (column(columns, 1), column(columns, 2), column(columns, 3))


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix."""
    F = frames(chain, q)
    return diagonal_with_rotors(formulation_4(F, composites(chain, F)), chain)
