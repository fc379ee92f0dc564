"""Torques and inertia matrix of [Mata2002] as sums over links, before the paper makes recursions.

tau_j is (13): the moments about joint j of the inertial forces f_i and moments t_i of all later
links, along axis j. D_jk is (21): over all later links, their masses times the linear and their
inertias times the angular accelerations that joints j and k give them. The work grows with n^2 and
n^3; (14)-(16) and (22) are the recursions. A joint that slides gives every later link its own axis
as acceleration, and turns none, which (7e) prints for the link of the joint only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.gibbs_appell import link_wrenches
from armdyn.algorithms.vector import (
    ZERO,
    Matrix,
    add,
    apply,
    cross,
    dot,
    scale,
    symmetric_full,
)
from armdyn.robot.chain import Chain, Link, Vector
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class JointAxis:
    """Joint j seen from link i: its axis u_j and s_{j,i} = O_j -> O_i, in E_i."""

    rotational: bool
    u: Vector
    s: Vector


def inverse_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Return the joint torques that give the accelerations qdd, by (13)."""
    F = frames(chain, q)
    f, t = link_wrenches(chain, F, qd, qdd)
    tau = [link.Jm * push for link, push in zip(chain.links, qdd, strict=True)]
    for i, joints in enumerate(joint_axes(chain, F), 1):
        for j, joint in enumerate(joints):
            if joint.rotational:
                arm = add(joint.s, chain[i].c)  # r_{j,i}
                tau[j] = tau[j] + dot(joint.u, add(cross(arm, f[i]), t[i]))
            else:
                tau[j] = tau[j] + dot(joint.u, f[i])
    return tau


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the inertia matrix by (21)."""
    n = chain.n
    D: Matrix = [[0.0] * (j + 1) for j in range(n)]
    for i, joints in enumerate(joint_axes(chain, frames(chain, q)), 1):
        link = chain[i]
        turns, moves = partial_derivatives(link, joints)
        for j, (turn, move) in enumerate(zip(turns, moves, strict=True)):
            moment, force = apply(link.I, turn), scale(link.m, move)
            for k in range(j + 1):
                D[j][k] = D[j][k] + dot(moves[k], force) + dot(turns[k], moment)
    return diagonal_with_rotors(symmetric_full(D), chain)


def partial_derivatives(
    link: Link, joints: Sequence[JointAxis]
) -> tuple[list[Vector], list[Vector]]:
    """Return the derivatives of a link's angular velocity, and of that of its centre, by rates.

    They are those of its accelerations by joint accelerations, too.
    """
    turns = [joint.u if joint.rotational else ZERO for joint in joints]
    moves = [
        cross(joint.u, add(joint.s, link.c)) if joint.rotational else joint.u for joint in joints
    ]
    return turns, moves


def joint_axes(chain: Chain, F: Sequence[Frame]) -> Iterator[list[JointAxis]]:
    """Yield the joints 1..i as link i sees them, for i = 1..n."""
    seen: list[JointAxis] = []
    for i in range(1, chain.n + 1):
        p = F[i]
        seen = [
            JointAxis(joint.rotational, p.to_child(joint.u), p.to_child(add(joint.s, p.s)))
            for joint in seen
        ]
        seen.append(JointAxis(chain[i].rotational, (0.0, 0.0, 1.0), ZERO))
        yield seen
