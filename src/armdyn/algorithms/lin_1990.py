"""The inertia matrix from partial derivatives of velocities: an earlier method of Lin.

[Lin1991] section 1 describes it in words: an explicit formulation that relates the entries of the
inertia matrix to the partial derivatives of the velocities and angular velocities of links with
respect to the joint velocities, of order n^3. The kinetic energy of the links is half of
qd . H qd, hence with the velocities v_i of centres of mass and omega_i, in E_i,

    H_mj = sum over i of m_i dv_i/dqd_m . dv_i/dqd_j + domega_i/dqd_m . I_i domega_i/dqd_j.

Each link takes 7M 6A for a pair of joints: the terms in n^3 of the count that [Lin1991] Table I
gives. How the paper makes the derivatives is not described; here they are axes, and axes times
arms, of the joints as the link sees them. They are the derivatives of accelerations by joint
accelerations, too: of [Mata2002] (21) this differs by where the mass is a factor.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import diagonal_with_rotors, frames
from armdyn.algorithms.gibbs_appell_sums import joint_axes, partial_derivatives
from armdyn.algorithms.vector import Matrix, apply, dot, symmetric_full
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return H as a sum over links."""
    H: Matrix = [[0.0] * (j + 1) for j in range(chain.n)]
    for i, joints in enumerate(joint_axes(chain, frames(chain, q)), 1):
        link = chain[i]
        turns, moves = partial_derivatives(link, joints)
        for j, (turn, move) in enumerate(zip(turns, moves, strict=True)):
            moment = apply(link.I, turn)
            for m in range(j + 1):
                linear = link.m * dot(moves[m], move)
                H[j][m] = H[j][m] + (linear + dot(turns[m], moment))
    return diagonal_with_rotors(symmetric_full(H), chain)
