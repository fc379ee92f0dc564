"""Inertia constants of composite bodies: the parts of their moments that no joint changes.

Appendix C of [LinFang1999]: the first moment of composite body i (links i..n) about O_i is k_i +
l_i and its inertia U_i + V_i, with k_i, U_i constant and l_i, V_i depending on the joints beyond i.
Through a rotational joint p = i+1 only (k_p)_z and (U_p)_22 are handed down; what else joint p
carries turns with it. mhat_i is the mass of the composite body. All are linear in the masses, first
moments and inertias about the origins of the links, which is why they are given as `Body`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from armdyn.algorithms.composite import own_body
from armdyn.algorithms.frame import Frame, frame
from armdyn.algorithms.vector import (
    ZERO,
    add_symmetric,
    clean,
    clean_sum,
    clean_symmetric,
    outer,
    point_inertia,
    scale,
    trace_minus,
)
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class Body:
    """Mass, first moment and inertia about O_i, in E_i: of a link or of a body's constant part."""

    m: Scalar
    k: Vector
    U: Symmetric


def link_bodies(chain: Chain) -> dict[int, Body]:
    """Return mass, first moment and inertia about O_i of every link i = 1..n."""
    links = {i: own_body(link) for i, link in enumerate(chain.links, 1)}
    return {i: Body(link.m, link.c, link.J) for i, link in links.items()}


def inertia_constants(chain: Chain, links: Mapping[int, Body]) -> dict[int, Body]:
    """Return mhat_i, k_i and U_i for i = 1..n. [LinFang1999] (C1)-(C3)."""
    constants: dict[int, Body] = {}
    for i in range(chain.n, 0, -1):
        handed_down: list[Body] = []
        for c in chain.children(i):
            handed_down += _handed_down(frame(chain[c], 0.0), constants[c], chain[c].fixed)
        constants[i] = _sum(links[i], *handed_down) if handed_down else links[i]
    return constants


def _handed_down(F: Frame, p: Body, fixed: bool) -> list[Body]:
    """Return what composite body p = i+1 gives to the constants of body i, term by term.

    A fixed link gives everything.
    """
    if F.rotational:
        arm, k, turned = F.s, scale(p.k[2], F.z), point_inertia(p.U[3], F.z)
    else:  # R_p is constant and d_p is not
        x, y, z = clean(F.to_parent(p.k), p.k)
        arm, k = F.s if fixed else (F.b, 0.0, 0.0), (x, y, z)
        turned = F.constant_to_parent(p.U)
    return [
        Body(p.m, scale(p.m, arm), point_inertia(p.m, arm)),
        Body(0.0, k, turned),
        Body(0.0, ZERO, trace_minus(outer(arm, k))),
    ]


def _sum(*bodies: Body) -> Body:
    """Return the sum, without rounding residues of cancelling terms."""
    terms = [b.U for b in bodies]
    U = clean_symmetric(add_symmetric(*terms), *terms)
    m = bodies[0].m
    for b in bodies[1:]:
        m = m + b.m
    return Body(m, clean_sum(*(b.k for b in bodies)), U)
