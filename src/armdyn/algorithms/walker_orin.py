"""The composite body method of Walker and Orin: inertia about centres of mass.

[WalkerOrin1982], a baseline of [Lin1991] Table I and [Mata2002] Table 2. M, c, E: mass,
centre of mass from O_i and inertia about it of links i..n, in E_i; f, n: force and moment about
O_j, in E_j, that give joint i alone a unit acceleration. Masses must not cancel: a composite body
of zero mass is taken as one whose links are all without mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.vector import (
    ZERO,
    ZERO_SYMMETRIC,
    Matrix,
    add,
    add_symmetric,
    cross,
    is_zero,
    point_inertia,
    scale,
    sub,
    symmetric_full,
)
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class CentralComposite:
    """Mass, centre of mass from O_i and inertia about that centre of links i..n, in E_i."""

    M: Scalar
    c: Vector
    E: Symmetric

    def unit_wrench(self, rotational: bool) -> tuple[Vector, Vector]:
        """Return f_ii, n_ii: force and moment about O_i that give joint i a unit acceleration."""
        x, y, _ = self.c
        if rotational:
            f: Vector = (-(self.M * y), self.M * x, 0.0)
            return f, add((self.E[2], self.E[4], self.E[5]), cross(self.c, f))
        f = (0.0, 0.0, self.M)
        return f, cross(self.c, f)


def central_composites(chain: Chain, F: Sequence[Frame]) -> list[CentralComposite]:
    """Return the composite bodies i = 1..n; entry 0 is empty."""
    body = CentralComposite(0.0, ZERO, ZERO_SYMMETRIC)
    found = [body]
    for i in range(chain.n, 0, -1):
        link = CentralComposite(chain[i].m, chain[i].c, chain[i].I)
        body = _joined(link, F[i + 1], body) if i < chain.n else link
        found.insert(1, body)
    return found


def _joined(link: CentralComposite, p: Frame, beyond: CentralComposite) -> CentralComposite:
    """Return a link and the composite body beyond it, given in E_p, as one body."""
    M = link.M + beyond.M
    own_share, beyond_share = _share(link.M, M), _share(beyond.M, M)
    c = add(p.to_parent(beyond.c), p.s)
    # two bodies about their common centre: the reduced mass at their distance
    reduced = point_inertia(own_share * beyond.M, sub(c, link.c))
    return CentralComposite(
        M,
        add(scale(beyond_share, c), scale(own_share, link.c)),
        add_symmetric(p.symmetric_to_parent(beyond.E), link.E, reduced),
    )


def _share(part: Scalar, whole: Scalar) -> Scalar:
    """Return part / whole; bodies without mass have their centre anywhere, say at the origin."""
    return 0.0 if is_zero(whole) else part / whole


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix."""
    F = frames(chain, q)
    bodies = central_composites(chain, F)
    lower: Matrix = []
    for i in range(1, chain.n + 1):
        f, n = bodies[i].unit_wrench(F[i].rotational)
        column = [n[2] if F[i].rotational else f[2]]
        for j in range(i - 1, 0, -1):
            f = F[j + 1].to_parent(f)
            n = add(F[j + 1].to_parent(n), cross(F[j + 1].s, f))
            column.append(n[2] if F[j].rotational else f[2])
        lower.append(column[::-1])
    return diagonal_with_rotors(symmetric_full(lower), chain)
