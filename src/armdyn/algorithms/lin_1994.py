"""Gravity from the first moments of composite bodies, in part constant: [Lin1994].

Composite body i (links i..n) has mass mhat_i and first moment chat_i = k_i + l_i about O_i in E_i:
k_i is constant and computed offline, l_i depends on the joints beyond i. u_i is the axis of
joint i.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.inertia_constants import inertia_constants, link_bodies
from armdyn.algorithms.vector import ZERO, add
from armdyn.robot import Chain, Vector
from armdyn.scalar import Scalar


def gravity(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Return u_i . (g x chat_i), or -mhat_i u_i . g if joint i slides. [Lin1994] (18).

    g and chat_i may be multiplied in E_i or in the axes E_i has before joint i turns it. The turned
    chat_i is needed for l_{i-1}, so that the second way spares the turn of g at the last joint;
    chat_1 goes nowhere, and there the first way is the cheaper.
    """
    F = frames(chain, q)
    tau: list[Scalar] = []
    g: Vector = chain.g
    for i, (mass, (x, y, _)) in enumerate(first_moments(chain, F), 1):
        before, g = (g[0], F[i].Cb * g[1] + F[i].Sb * g[2]), F[i].down(g)
        if not chain[i].rotational:
            tau.append(-(mass * g[2]))
        elif i == 1:
            tau.append(g[0] * y - g[1] * x)
        else:
            C, S = F[i].C, F[i].S
            tau.append(before[0] * (S * x + C * y) - before[1] * (C * x - S * y))
    return tau


def first_moments(chain: Chain, F: Sequence[Frame]) -> list[tuple[Scalar, Vector]]:
    """Return mhat_i and chat_i of the composite bodies i = 1..n. [Lin1994] (19), (22)."""
    constants = inertia_constants(chain, link_bodies(chain))
    l = ZERO
    moments = [(constants[chain.n].m, constants[chain.n].k)]
    for i in range(chain.n - 1, 0, -1):
        mass, (x, y, _) = moments[0]
        if chain[i + 1].rotational:  # the z part of k_{i+1} is in k_i already
            l = F[i + 1].up((x, y, l[2]))
        else:  # so is all of it; what slides is the mass
            l = F[i + 1].up((l[0], l[1], l[2] + mass * F[i + 1].d))
        moments.insert(0, (constants[i].m, add(constants[i].k, l)))
    return moments
