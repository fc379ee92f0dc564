"""Gravity from the first moments of composite bodies, in part constant: [Lin1994].

Composite body i (links i..n) has mass mhat_i and first moment chat_i = k_i + l_i about O_i in E_i:
k_i is constant and computed offline, l_i depends on the joints beyond i. u_i is the axis of
joint i.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.inertia_constants import inertia_constants, link_bodies
from armdyn.algorithms.scaled_z import ScaledZ, plain, to_child, to_parent
from armdyn.algorithms.vector import ZERO, add
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def gravity(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Return u_i . (g x chat_i), or -mhat_i u_i . g if joint i slides. (18).

    g and chat_i may be multiplied in E_i or in the axes E_i has before joint i turns it. The turned
    chat_i is needed for l_{i-1}, so that the second way spares the turn of g at the last joint;
    chat_1 goes nowhere, and there the first way is the cheaper.
    """
    F = frames(chain, q)
    tau: list[Scalar] = []
    falls = [plain(chain.g)]  # g in E_i
    for i, (mass, (x, y, _)) in enumerate(first_moments(chain, F), 1):
        p = chain.parent(i)
        before, g = _at_foot(F[i], falls[p]), to_child(F[i], falls[p])
        falls.append(g)
        if not chain[i].rotational:
            tau.append(-(mass * g.z))
        elif p == 0:
            tau.append(g.x * y - g.y * x)
        else:
            C, S = F[i].C, F[i].S
            tau.append(before[0] * (S * x + C * y) - before[1] * (C * x - S * y))
    return tau


def _at_foot(F: Frame, g: ScaledZ) -> tuple[Scalar, Scalar]:
    """Return x and y of a vector in the axes that E_i has before joint i turns it."""
    x, y = g.x, F.Cb * g.y + F.Sb * g.z
    return (F.Cg * x - F.Sg * (F.Cb * g.z - F.Sb * g.y), y) if F.Sg else (x, y)


def first_moments(chain: Chain, F: Sequence[Frame]) -> list[tuple[Scalar, Vector]]:
    """Return mhat_i and chat_i of the composite bodies i = 1..n. (19)."""
    constants = inertia_constants(chain, link_bodies(chain))
    l = [ZERO] * (chain.n + 1)
    moments = [(0.0, ZERO), *((constants[i].m, constants[i].k) for i in range(1, chain.n + 1))]
    for i in range(chain.n, 0, -1):
        if behind := chain.children(i):
            l[i] = add(*(_varying_part(chain, F, c, *moments[c], l[c]) for c in behind))
            moments[i] = constants[i].m, add(constants[i].k, l[i])
    return moments[1:]


def _varying_part(
    chain: Chain, F: Sequence[Frame], i: int, m: Scalar, c: Vector, l: Vector
) -> Vector:
    """Return what link i adds to l of its parent; all constant parts of a fixed link are there."""
    return varying_first_moment(F[i], 0.0 if chain[i].fixed else m, c, l)


def varying_first_moment(p: Frame, m: Scalar, c: Vector, l: Vector) -> Vector:
    """Return l_i from mhat_p, chat_p and l_p, p = i+1. (22); [LinFang1999] (24).

    If joint p turns, the z component of k_p is in k_i already; if it slides, all of k_p is, and
    what moves is the mass.
    """
    moment = (c[0], c[1], l[2]) if p.rotational else (l[0], l[1], l[2] + m * p.d)
    turned = to_parent(p, plain(moment))  # a constant factor of l_z is left to the next turn
    return (turned.x, turned.y, turned.z)
