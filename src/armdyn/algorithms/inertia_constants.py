"""Inertia constants of composite bodies: the parts of their moments that no joint changes (offline).

Appendix C of [LinFang1999]: the first moment of composite body i (links i..n) about O_i is
k_i + l_i and its inertia U_i + V_i, with k_i, U_i constant and l_i, V_i depending on the joints
beyond i. Through a rotational joint p = i+1 only (k_p)_z and (U_p)_22 are handed down; what else
joint p carries turns with it. mhat_i is the mass of the composite body. All are linear in the masses,
first moments and inertias about the origins of the links, which is why they are given as `Body`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, frame
from armdyn.algorithms.vector import (
    add, add_symmetric, clean, inertia_at_origin, outer, point_inertia, scale, trace_minus,
)  # fmt: skip
from armdyn.robot import Chain, Symmetric, Vector
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class Body:
    """Mass, first moment about O_i and inertia about O_i, in E_i: of a link or of constant parts."""

    m: Scalar
    k: Vector
    U: Symmetric


def link_bodies(chain: Chain) -> dict[int, Body]:
    """Return m_i, m_i c_i and J_i = I_i - m_i [c_i x]^2 of every link i = 1..n."""
    return {
        i: Body(link.m, scale(link.m, link.c), inertia_at_origin(link.m, link.c, link.I))
        for i, link in enumerate(chain.links, 1)
    }


def inertia_constants(chain: Chain, links: Mapping[int, Body]) -> dict[int, Body]:
    """Return mhat_i, k_i and U_i for i = 1..n. [LinFang1999] (C1)-(C3)."""
    n = chain.n
    constants = {n: links[n]}
    for i in range(n - 1, 0, -1):
        F, outer_body = frame(chain[i + 1], 0.0), constants[i + 1]
        constants[i] = _sum(links[i], _handed_down(F, outer_body))
    return constants


def _handed_down(F: Frame, p: Body) -> list[Body]:
    """Return what composite body p = i+1 gives to the constants of body i, term by term."""
    if F.rotational:
        arm, k, U = F.s, scale(p.k[2], F.z), point_inertia(p.U[3], F.z)
    else:  # R_p is constant and d_p is not
        arm, k, U = (F.b, 0.0, 0.0), F.up(p.k), F.up_symmetric(p.U)
    return [
        Body(p.m, scale(p.m, arm), point_inertia(p.m, arm)),
        Body(0.0, k, add_symmetric(U, trace_minus(outer(arm, k)))),
    ]


def _sum(first: Body, others: list[Body]) -> Body:
    """Return the sum, free of the rounding that terms which cancel leave behind."""
    bodies = [first, *others]
    k = clean(add(*(b.k for b in bodies)), (x for b in bodies for x in b.k))
    U = clean(add_symmetric(*(b.U for b in bodies)), (x for b in bodies for x in b.U))
    m: Scalar = 0.0
    for b in bodies:
        m = m + b.m
    return Body(m, (k[0], k[1], k[2]), (U[0], U[1], U[2], U[3], U[4], U[5]))
