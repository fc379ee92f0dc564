"""Inertia matrix from the decoupled natural orthogonal complement (DeNOC) of [Saha1999].

p_i: twist that joint i gives to link i at unit rate, (11) and (13); B_ij: twist of link i made by a
unit twist of link j with the joints between them held, (11); M_i: extended mass of link i, (2);
Mt_i (M-tilde): that of links i..n held as one body, (21). The inertia matrix is I = N_d^T Mt N_d,
(19), with entries i_ij = p_i^T Mt_i B_ij p_j, (22).

The paper has twists at the centres of mass, in one frame for all. Here they are at the origins O_i,
in the frames of the links, see `spatial`: the entries are the same. The extended mass of a rigid
body is then made of its mass, first moment and inertia about O_i (`composite.Composite`).
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.composite import Composite, own_body
from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.spatial import wrench_to_base
from armdyn.algorithms.vector import (
    Matrix,
    add,
    add_symmetric,
    outer,
    scale,
    scale_symmetric,
    square,
    symmetric_full,
    trace_minus,
)
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return I, full and symmetric: i_ij = p_j^T B_ij^T (Mt_i p_i) for j <= i. (22), transposed."""
    F = frames(chain, q)
    I: Matrix = []
    for i, Mt in enumerate(composite_masses(chain, F), 1):
        force, moment = Mt.unit_wrench(F[i].rotational)  # Mt_i p_i
        I.append(wrench_to_base(chain, F, i, [*moment, *force]))
    return diagonal_with_rotors(symmetric_full(I), chain)


def composite_masses(chain: Chain, F: list[Frame]) -> list[Composite]:
    """Return Mt_i = M_i + B_{i+1,i}^T Mt_{i+1} B_{i+1,i} for i = 1..n. (21)."""
    Mt = [own_body(link) for link in chain.links]
    for i in range(chain.n, 0, -1):
        for c in chain.children(i):
            own, behind = Mt[i - 1], _to_parent(F[c], Mt[c - 1])
            J = add_symmetric(own.J, behind.J)
            Mt[i - 1] = Composite(own.m + behind.m, add(own.c, behind.c), J)
    return Mt


def _to_parent(F: Frame, body: Composite) -> Composite:
    """Return B^T M B of a rigid body: along z_i, turned, along x_{i-1}."""
    body = _shifted(body, (0.0, 0.0, F.d))
    return _shifted(
        Composite(body.m, F.to_parent(body.c), F.symmetric_to_parent(body.J)), (F.b, 0.0, 0.0)
    )


def _shifted(body: Composite, s: Vector) -> Composite:
    """Return the extended mass about a point from which the old one is at s."""
    m, h = body.m, body.c
    steiner = trace_minus(add_symmetric(outer(s, h), scale_symmetric(m, square(s))))
    return Composite(m, add(h, scale(m, s)), add_symmetric(body.J, steiner))
