"""Inertia matrix from the decoupled natural orthogonal complement (DeNOC) of [Saha1999].

p_i: twist that joint i gives to link i at unit rate, (11) and (13); B_ij: twist of link i made by a
unit twist of link j with the joints between them held, (11); M_i: extended mass of link i, (2);
Mt_i (M-tilde): that of links i..n held as one body, (21). The inertia matrix is I = N_d^T Mt N_d,
(19), with entries i_ij = p_i^T Mt_i B_ij p_j, (22).

The paper has twists at the centres of mass, in one frame for all. Here they are at the origins O_i,
in the frames of the links, see `spatial`: the entries are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.spatial import Six, axis, wrench_up
from armdyn.algorithms.vector import (
    ZERO,
    ZERO_SYMMETRIC,
    Matrix,
    add,
    add_symmetric,
    inertia_at_origin,
    outer,
    scale,
    scale_symmetric,
    square,
    symmetric_full,
    trace_minus,
)
from armdyn.robot import Chain, Link, Symmetric, Vector
from armdyn.scalar import Scalar

Rigid = tuple[Scalar, Vector, Symmetric]
"""The extended mass of a rigid body at O_i: mass, first moment, inertia."""


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return I, full and symmetric."""
    F = frames(chain, q)
    Mt = composite_masses(chain, F)
    I: Matrix = []
    for i in range(1, chain.n + 1):
        wrench = _column(Mt[i], chain[i])  # Mt_i p_i
        row: list[Scalar] = [wrench[axis(chain[i])]]
        for j in range(i - 1, 0, -1):  # (22) from the left: B_ij^T = B_{j+1,j}^T B_{i,j+1}^T, (12)
            wrench = wrench_up(F[j + 1], wrench)
            row.append(wrench[axis(chain[j])])
        I.append(row[::-1])
    return diagonal_with_rotors(symmetric_full(I), chain)


def composite_masses(chain: Chain, F: list[Frame]) -> list[Rigid]:
    """Return Mt_i = M_i + B_{i+1,i}^T Mt_{i+1} B_{i+1,i}, i = 1..n; entry 0 is the base's. (21)."""
    Mt: list[Rigid] = [(0.0, ZERO, ZERO_SYMMETRIC)]
    for link in chain.links:
        at_origin = inertia_at_origin(link.m, link.c, link.I)
        Mt.append((link.m, scale(link.m, link.c), at_origin))
    for i in range(chain.n - 1, 0, -1):
        (m, h, J), (m_next, h_next, J_next) = Mt[i], _moved_up(F[i + 1], Mt[i + 1])
        Mt[i] = (m + m_next, add(h, h_next), add_symmetric(J, J_next))
    return Mt


def _moved_up(F: Frame, body: Rigid) -> Rigid:
    """Return B^T M B of a rigid body: along z_i, turned, along x_{i-1}."""
    m, h, J = _shifted(body, (0.0, 0.0, F.d))
    return _shifted((m, F.up(h), F.up_symmetric(J)), (F.b, 0.0, 0.0))


def _shifted(body: Rigid, s: Vector) -> Rigid:
    """Return the extended mass about a point from which the old one is at s."""
    m, h, J = body
    steiner = trace_minus(add_symmetric(outer(s, h), scale_symmetric(m, square(s))))
    return m, add(h, scale(m, s)), add_symmetric(J, steiner)


def _column(body: Rigid, link: Link) -> Six:
    """Return the extended mass times p_i: moment and force of unit joint acceleration."""
    m, (x, y, _), (_, _, xz, _, yz, zz) = body
    return [xz, yz, zz, -y, x, 0.0] if link.rotational else [y, -x, 0.0, 0.0, 0.0, m]
