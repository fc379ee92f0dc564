"""Forward dynamics in O(n) operations by the factors of [Saha1999]: I^-1 = U^-T D^-1 U^-1, (36).

[Saha1999] leaves the steps of the recursion to a paper of 1997 and gives its count, 201n - 335 M,
193n - 361 A; the steps here are made from the factors. By (41), where the indices i and j of B are
printed interchanged, a product with U^-1 is a pass from tip to base in which every joint passes
on what it does not yield to, and one with U^-T the transposed pass from base to tip.

1. Base to tip: wrenches of the links at zero joint acceleration, gravity included.
2. Tip to base: pivots mh_i, and e = U^-1 (tau - bias); the bias itself is never formed.
3. Base to tip: qdd = U^-T D^-1 e.

Reference points, axes and regrouped links as in `denoc_udu`.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.denoc_udu import Pivot, articulated, regrouped_masses
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.second_moment import link_wrenches
from armdyn.algorithms.spatial import Six, add_six, motion_to_child, wrench_to_parent
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def forward_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """Return the joint accelerations that torques give; 192M 178A a revolute joint."""
    F = frames(chain, q)
    at_rest = link_wrenches(chain, F, qd, [0.0] * chain.n)
    joints = articulated(chain, F, regrouped_masses(chain))
    e = eliminated_torques(chain, F, joints, at_rest, tau)
    return accelerations(chain, F, joints, e)


def eliminated_torques(
    chain: Chain,
    F: list[Frame],
    joints: dict[int, Pivot],
    wrenches: list[Six],
    tau: Sequence[Scalar],
) -> list[Scalar]:
    """Return e_i, i = 1..n: the torque of joint i less what links i..n ask of it; entry 0 is zero.

    Args:
        chain: the robot.
        F: its frames.
        joints: the pivots.
        wrenches: what the links i = 1..n ask at zero joint acceleration.
        tau: the joint torques.
    """
    e: list[Scalar] = [0.0] * len(F)
    w = list(wrenches)
    for i in range(len(F) - 1, 0, -1):
        passed, p = w[i], chain.parent(i)
        if i in joints:
            e[i] = tau[i - 1] - w[i][joints[i].k]
            passed = joints[i].let_through(w[i], tau[i - 1], e[i])
        w[p] = add_six(w[p], wrench_to_parent(F[i], passed))
    return e


def accelerations(
    chain: Chain, F: list[Frame], joints: dict[int, Pivot], e: Sequence[Scalar]
) -> list[Scalar]:
    """Return qdd: e_i / mh_i less what the motion of the links before already does for joint i."""
    qdd: list[Scalar] = []
    motions: list[Six] = [[0.0] * 6]
    for i in range(1, len(F)):
        acceleration, motion = 0.0, motion_to_child(F[i], motions[chain.parent(i)])
        if i in joints:
            acceleration, motion = joints[i].driven(motion, e[i])
        motions.append(motion)
        qdd.append(acceleration)
    return qdd
