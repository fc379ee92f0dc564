"""Recursive Newton-Euler inverse dynamics in link frames, about the centres of mass.

The form of [LuhWalkerPaul1980], the baseline of [Mata2002] Table 1; R and P joints mixed.
w, wd: angular velocity and acceleration; sdd: acceleration of O_i less gravity; f, n: force and
moment that link i-1 applies on link i, the moment about O_i. Everything of link i in E_i.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.angular import sliding, turning
from armdyn.algorithms.base_motion import start
from armdyn.algorithms.frame import frames
from armdyn.algorithms.vector import ZERO, add, apply, cross, scale
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def inverse_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Return the joint torques that give the accelerations qdd."""
    F = frames(chain, q)
    w, wd, sdd = start(chain)
    forces: list[Vector] = [ZERO]
    moments: list[Vector] = [ZERO]
    for i in range(1, chain.n + 1):
        link, qdi, qddi = chain[i], qd[i - 1], qdd[i - 1]
        s = F[i].s
        sdd = F[i].to_child(add(sdd, cross(wd, s), cross(w, cross(w, s))))
        w, wd = turning(F[i], w, wd, qdi, qddi)
        sdd = add(sdd, sliding(F[i], w, qdi, qddi))
        cdd = add(sdd, cross(wd, link.c), cross(w, cross(w, link.c)))
        forces.append(scale(link.m, cdd))
        moments.append(add(apply(link.I, wd), cross(w, apply(link.I, w))))

    tau: list[Scalar] = [0.0] * chain.n
    f, n = ZERO, ZERO
    for i in range(chain.n, 0, -1):
        if i < chain.n:
            f = F[i + 1].to_parent(f)
            n = add(F[i + 1].to_parent(n), cross(F[i + 1].s, f))
        n = add(n, moments[i], cross(chain[i].c, forces[i]))
        f = add(f, forces[i])
        along = n[2] if chain[i].rotational else f[2]
        tau[i - 1] = along + chain[i].Jm * qdd[i - 1]
    return tau


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """Return C qd + g: the torques of zero acceleration."""
    return inverse_dynamics(chain, q, qd, [0.0] * chain.n)


def gravity(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Return g: the torques that hold the arm still."""
    zero = [0.0] * chain.n
    return inverse_dynamics(chain, q, zero, zero)
