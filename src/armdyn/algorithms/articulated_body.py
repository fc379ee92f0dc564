"""Forward dynamics by articulated bodies: the O(n) recursion of [Featherstone1983].

The baseline of [Saha1999] and [Mata2002]. v_i: velocity of link i, six components at O_i in E_i;
S_i: axis of joint i, the p_i of `spatial`; c_i = v_i x S_i qd_i: what joint i adds to the link's
acceleration without accelerating; w_i: wrench that links i..n require of joint i while the joints
behind it follow their torques; u_i: torque of joint i minus the part of w_i along its axis. The
links are as they are, not regrouped. Gravity is an upward acceleration of the base.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.base_motion import start
from armdyn.algorithms.denoc_udu import Pivot, pivot
from armdyn.algorithms.frame import frames
from armdyn.algorithms.link_moments import NO_MOMENTS, Moments, moments
from armdyn.algorithms.spatial import (
    Six,
    add_six,
    axis,
    halves,
    motion_to_child,
    rigid_inertia,
    times,
    wrench_to_parent,
)
from armdyn.algorithms.vector import add, apply, cross, scale, sub, trace_minus
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def forward_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """Return the joint accelerations that torques give."""
    F = frames(chain, q)
    bodies = [NO_MOMENTS, *map(moments, chain.links)]
    rest: Six = [0.0] * 6
    w0, wd0, sdd0 = start(chain)
    # seen from a frame that goes along with O_0, whose uniform motion no torque depends on
    velocities, c, asked = [[*w0, 0.0, 0.0, 0.0]], [rest], [rest]
    for i in range(1, chain.n + 1):
        k, rate = axis(chain[i]), qd[i - 1]
        v = motion_to_child(F[i], velocities[chain.parent(i)])
        c.append(_velocity_product(v, k, rate))
        v[k] = v[k] + rate
        velocities.append(v)
        asked.append(_velocity_wrench(bodies[i], v))

    joints: dict[int, Pivot] = {}
    u: dict[int, Scalar] = {}
    body, w = [rigid_inertia(one) for one in bodies], asked
    for i in range(chain.n, 0, -1):
        free, passed, p = body[i], w[i], chain.parent(i)
        if not chain[i].fixed:
            joints[i] = joint = pivot(body[i], axis(chain[i]), chain[i].Jm)
            free = joint.released(body[i])
            u[i] = tau[i - 1] - w[i][joint.k]
            passed = add_six(joint.let_through(w[i], tau[i - 1], u[i]), times(free, c[i]))
        w[p] = add_six(w[p], wrench_to_parent(F[i], passed))
        body[p] = body[p] + free.to_parent(F[i])

    qdd: list[Scalar] = []
    a: list[Six] = [[*wd0, *sdd0]]
    for i in range(1, chain.n + 1):
        acceleration, moved = 0.0, motion_to_child(F[i], a[chain.parent(i)])
        if i in joints:
            acceleration, moved = joints[i].driven(add_six(moved, c[i]), u[i])
        a.append(moved)
        qdd.append(acceleration)
    return qdd


def _velocity_product(v: Six, k: int, rate: Scalar) -> Six:
    """Return v x S qd, where S has its one at k."""
    (x, y, _), (vx, vy, _) = halves(v)
    if k == 2:
        return [y * rate, -(x * rate), 0.0, vy * rate, -(vx * rate), 0.0]
    return [0.0, 0.0, 0.0, y * rate, -(x * rate), 0.0]


def _velocity_wrench(body: Moments, motion: Six) -> Six:
    """Return v x* I v: the wrench of a rigid body that turns and translates at constant v."""
    w, v = halves(motion)
    L = add(apply(trace_minus(body.K), w), cross(body.h, v))
    p = sub(scale(body.m, v), cross(body.h, w))
    return [*add(cross(w, L), cross(v, p)), *cross(w, p)]
