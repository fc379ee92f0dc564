"""Inverse dynamics from the Gibbs function of accelerations, [Mata2002] section 4.1.

Notation of the paper: s_i = O_{i-1} -> O_i and r_i = O_i -> centre of mass (the link's c here);
sdd_i, rdd_i accelerations of O_i and of the centre of mass less gravity; f_i, t_i inertial force
and moment of link i; phi_i the sum of the forces of the links behind link i, chi_i the moment about
O_i of all of them and of link i itself. Everything of link i in E_i.

The algorithm of the paper is for revolute joints; here a joint may slide as well. Then qdd_k moves
every later link along z_k and turns none, so that tau_k is the force of all of them along z_k: this
is (7e) if the joint that slides is k, where the paper prints i.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.angular import euler, omega_matrix, sliding, turning
from armdyn.algorithms.base_motion import start, start_omega
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.vector import (
    ZERO,
    Rows,
    add,
    cross,
    scale,
    second_moment,
    sub,
    sum_of,
    times,
)
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def inverse_dynamics(
    chain: Chain,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    *,
    in_forces: bool = False,
) -> list[Scalar]:
    """Return the joint torques that give the accelerations qdd; 96M 84A a revolute joint.

    With `in_forces`, gravity is in the force of every link, (9), and the base is at rest.
    """
    F, n = frames(chain, q), chain.n
    f, t = link_wrenches(chain, F, qd, qdd, in_forces=in_forces)
    tau: list[Scalar] = [0.0] * n
    asked: dict[int, tuple[Vector, Vector]] = {}
    for i in range(n, 0, -1):  # step 3, (14)-(16)
        forces, moments, joint_forces = list[Vector](), list[Vector](), list[Vector]()
        for c in chain.children(i):
            phi, chi = asked[c]
            forces.append(F[c].to_parent(add(f[c], phi)))
            moments.append(F[c].to_parent(chi))
            joint_forces.append(cross(F[c].s, forces[-1]))
        phi = sum_of(forces)
        chi = add(cross(chain[i].c, f[i]), sum_of(joint_forces), t[i], sum_of(moments))
        asked[i] = phi, chi
        along = chi[2] if chain[i].rotational else f[i][2] + phi[2]
        tau[i - 1] = along + chain[i].Jm * qdd[i - 1]
    return tau


def link_wrenches(
    chain: Chain,
    F: Sequence[Frame],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    *,
    in_forces: bool = False,
) -> tuple[list[Vector], list[Vector]]:
    """Return the inertial forces f_i and moments t_i of the links: steps 1 and 2."""
    w, wd, sdd = start(chain)  # step 1; g is a vector, printed as a number along the axis z_0
    if in_forces:
        sdd = ZERO
    motions: list[tuple[Vector, Vector, Vector, Rows, Vector]]
    motions = [(w, wd, sdd, start_omega(chain), chain.g)]
    f: list[Vector] = [ZERO]
    t: list[Vector] = [ZERO]
    for i in range(1, chain.n + 1):
        qdi, qddi = qd[i - 1], qdd[i - 1]
        w, wd, sdd, omega, g = motions[chain.parent(i)]
        sdd = F[i].to_child(add(sdd, times(omega, F[i].s)))
        w, wd = turning(F[i], w, wd, qdi, qddi)
        sdd = add(sdd, sliding(F[i], w, qdi, qddi))
        omega = omega_matrix(w, wd)
        rdd = add(sdd, times(omega, chain[i].c))
        if in_forces:
            g = F[i].to_child(g)
            rdd = sub(rdd, g)
        motions.append((w, wd, sdd, omega, g))
        f.append(scale(chain[i].m, rdd))  # step 2, (9)
        t.append(euler(omega, second_moment(chain[i].I)))  # (10), step 2
    return f, t


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """Return C qd + g: the torques of zero acceleration."""
    return inverse_dynamics(chain, q, qd, [0.0] * chain.n)


def gravity(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Return g: the torques that hold the arm still."""
    zero = [0.0] * chain.n
    return inverse_dynamics(chain, q, zero, zero)
