"""Recursive Newton-Euler inverse dynamics in link frames, about the centres of mass.

The form of [LuhWalkerPaul1980], the baseline of [Mata2002] Table 1; R and P joints mixed.
w, wd: angular velocity and acceleration; sdd: acceleration of O_i less gravity; f, n: force and
moment that link i-1 applies on link i, the moment about O_i. Everything of link i in E_i.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armdyn.algorithms.angular import sliding, turning
from armdyn.algorithms.base_motion import start
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.vector import ZERO, add, apply, cross, scale, sum_of
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def inverse_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Return the joint torques that give the accelerations qdd."""
    F = frames(chain, q)
    motions = [start(chain)]
    forces: list[Vector] = [ZERO]
    moments: list[Vector] = [ZERO]
    for i in range(1, chain.n + 1):
        link, qdi, qddi = chain[i], qd[i - 1], qdd[i - 1]
        s = F[i].s
        w, wd, sdd = motions[chain.parent(i)]
        sdd = F[i].to_child(add(sdd, cross(wd, s), cross(w, cross(w, s))))
        w, wd = turning(F[i], w, wd, qdi, qddi)
        sdd = add(sdd, sliding(F[i], w, qdi, qddi))
        motions.append((w, wd, sdd))
        cdd = add(sdd, cross(wd, link.c), cross(w, cross(w, link.c)))
        forces.append(scale(link.m, cdd))
        moments.append(add(apply(link.I, wd), cross(w, apply(link.I, w))))

    tau: list[Scalar] = [0.0] * chain.n
    asked: dict[int, tuple[Vector, Vector]] = {}
    for i in range(chain.n, 0, -1):
        f, n = _of_children(chain, F, i, asked)
        n = add(n, moments[i], cross(chain[i].c, forces[i]))
        f = add(f, forces[i])
        asked[i] = f, n
        along = n[2] if chain[i].rotational else f[2]
        tau[i - 1] = along + chain[i].Jm * qdd[i - 1]
    return tau


def _of_children(
    chain: Chain, F: Sequence[Frame], i: int, asked: Mapping[int, tuple[Vector, Vector]]
) -> tuple[Vector, Vector]:
    """Return the force and the moment about O_i that link i applies on the links behind it."""
    forces, moments = list[Vector](), list[Vector]()
    for c in chain.children(i):
        f, n = (F[c].to_parent(x) for x in asked[c])
        forces.append(f)
        moments.append(add(n, cross(F[c].s, f)))
    return sum_of(forces), sum_of(moments)


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """Return C qd + g: the torques of zero acceleration."""
    return inverse_dynamics(chain, q, qd, [0.0] * chain.n)


def gravity(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Return g: the torques that hold the arm still."""
    zero = [0.0] * chain.n
    return inverse_dynamics(chain, q, zero, zero)
