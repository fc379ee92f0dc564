"""Inverse dynamics from second moments about the joints: a cheaper Gibbs-Appell form.

As [Mata2002] section 4.1, see `gibbs_appell`, with two changes that take the 96M 84A of a revolute
joint to 81M 69A:

- The moments (m, h, K) of the links are taken about O_i, not the centre of mass, and regrouped
  offline (`link_moments.regrouped`): m, h_z and K_zz of a link that turns are zero.
- s_i is passed as a step b_i along x_{i-1} and a step d_i along z_i, each one column of Omega.

sdd_i: acceleration of O_i less gravity; f_i, n_i: inertial force of link i, its moment about O_i.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.angular import euler, omega_matrix, sliding, turning
from armdyn.algorithms.base_motion import start, start_omega
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.link_moments import regrouped
from armdyn.algorithms.spatial import Six, add_six, axis, wrench_to_parent
from armdyn.algorithms.vector import add, column, cross, scale, times
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def inverse_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Return the joint torques that give the accelerations qdd; 81M 69A a revolute joint."""
    F, n = frames(chain, q), chain.n
    wrench = link_wrenches(chain, F, qd, qdd)
    tau: list[Scalar] = [0.0] * n
    for i in range(n, 0, -1):
        for c in chain.children(i):
            wrench[i] = add_six(wrench[i], wrench_to_parent(F[c], wrench[c]))
        tau[i - 1] = wrench[i][axis(chain[i])] + chain[i].Jm * qdd[i - 1]
    return tau


def link_wrenches(
    chain: Chain, F: list[Frame], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Six]:
    """Return (n_i; f_i) of the regrouped links i = 1..n, gravity included; entry 0 is zero."""
    M = regrouped(chain)
    motions = [(*start(chain), start_omega(chain))]
    wrenches: list[Six] = [[0.0] * 6]
    for i in range(1, chain.n + 1):
        qdi, qddi = qd[i - 1], qdd[i - 1]
        w, wd, sdd, omega = motions[chain.parent(i)]
        sdd = F[i].to_child(add(sdd, scale(F[i].b, column(omega, 1))))
        w, wd = turning(F[i], w, wd, qdi, qddi)
        omega = omega_matrix(w, wd)
        sdd = add(sdd, sliding(F[i], w, qdi, qddi), scale(F[i].d, column(omega, 3)))
        motions.append((w, wd, sdd, omega))
        f = add(scale(M[i].m, sdd), times(omega, M[i].h))
        n = add(cross(M[i].h, sdd), euler(omega, M[i].K))
        wrenches.append([*n, *f])
    return wrenches


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """Return C qd + g: the torques of zero acceleration."""
    return inverse_dynamics(chain, q, qd, [0.0] * chain.n)


def gravity(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Return g: the torques that hold the arm still."""
    zero = [0.0] * chain.n
    return inverse_dynamics(chain, q, zero, zero)
