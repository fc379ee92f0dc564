"""Composite bodies: links i..n frozen into one, about O_i in E_i, from the natural parameters.

Notation of [LinFang1999] (3)-(5): m is the mass, c the first moment (not divided by the mass) and J
the inertia about O_i of composite body i; the paper writes them with a hat. With p = i+1,

    c_i = m_i c_i + h_p,   h_p = R_p c_p + m_p s_p,
    J_i = J°_i + R_p J_p R_p^T - m_p [s_p x]^2 - [s_p x][R_p c_p x] - [R_p c_p x][s_p x],

where on the right m_i c_i and J°_i belong to link i alone. s_p is split into d_p along z_p, shifted
in E_p before the rotation, and b_p along x_i, shifted in E_i after it: (18) for tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame
from armdyn.algorithms.vector import (
    ZERO,
    ZERO_SYMMETRIC,
    add,
    add_symmetric,
    clean_symmetric,
    point_inertia,
    scale,
)
from armdyn.robot.chain import Chain, Link, Symmetric, Vector
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class Composite:
    """Mass, first moment and inertia of composite body i, about O_i in E_i."""

    m: Scalar
    c: Vector
    J: Symmetric

    @property
    def J3(self) -> Vector:
        """Third column of J: the part that a formulation reads."""
        return (self.J[2], self.J[4], self.J[5])

    def unit_wrench(self, rotational: bool) -> tuple[Vector, Vector]:
        """Return f_ii, t_ii: force and moment about O_i that give joint i a unit acceleration.

        [LinFang1999] (7), (8); no operation.
        """
        x, y, _ = self.c
        if rotational:
            return (-y, x, 0.0), self.J3
        return (0.0, 0.0, self.m), (y, -x, 0.0)

    def diagonal(self, rotational: bool) -> Scalar:
        """Return D_ii."""
        return self.J3[2] if rotational else self.m


def composites(chain: Chain, F: Sequence[Frame]) -> list[Composite]:
    """Return the composite bodies i = 1..n; entry 0 stands for the base and is empty."""
    body = Composite(0.0, ZERO, ZERO_SYMMETRIC)
    found = [body]
    for i in range(chain.n, 0, -1):
        own = own_body(chain[i])
        if i < chain.n:
            h, H = moments_before(F[i + 1], body)
            body = Composite(body.m + own.m, add(h, own.c), add_symmetric(H, own.J))
        else:
            body = own
        found.insert(1, body)
    return found


def own_body(link: Link) -> Composite:
    """Return link i alone: m_i, m_i c_i and J°_i."""
    # An inertia about the centre of mass may have been made from one about O_i: undoing that must
    # give the zeros it had.
    steiner = point_inertia(link.m, link.c)
    J = clean_symmetric(add_symmetric(link.I, steiner), link.I, steiner)
    return Composite(link.m, scale(link.m, link.c), J)


def moments_before(Fp: Frame, body: Composite) -> tuple[Vector, Symmetric]:
    """Return h_p and the inertia about O_{p-1}, in E_{p-1}, of a body given about O_p in E_p."""
    m, (x, y, z), b, d = body.m, body.c, Fp.b, Fp.d
    xx, xy, xz, yy, yz, zz = body.J

    md = m * d
    along = d * md + (2.0 * d) * z
    J = Fp.symmetric_to_parent((xx + along, xy, xz - d * x, yy + along, yz - d * y, zz))
    x, y, z = Fp.to_parent((x, y, z + md))

    mb = m * b
    along = (2.0 * b) * x + b * mb
    xx, xy, xz, yy, yz, zz = J
    return (x + mb, y, z), (xx, xy - b * y, xz - b * z, yy + along, yz, zz + along)
