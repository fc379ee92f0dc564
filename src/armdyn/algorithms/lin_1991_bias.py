"""The bias vector of [Lin1991] from the same composite bodies as the inertia matrix.

Notation of `lin_1991`. b_m = sum over k, j of D_mkj qd_k qd_j, plus gravity; D_mkj are the
Christoffel symbols, symmetric in k and j, with D_jkm = -D_mkj for k <= m, j, (32)-(34). They are
never formed: for m, k <= j each is D_mkj = K*_k u_k . d_mj, (45), with a vector

    d_mj = A_j w_m + f_j x v_m,   d_jj = 0,   (46)

that knows nothing of k; A_j is a matrix of body j. With omega_j, the angular velocity of link j,

    b_m = eta_m + sum_{j>m} qd_j d_mj . (omega_{j-1} + omega_j)
                - sum_{j<m} qd_j d_jm . (omega_{j-1} + omega_j).   (53)-(57)

These forms are derived anew for all pairs of joint types at once, line by line in
docs/papers/derivations.md, which a test evaluates. The paper rotates
qd_j (omega_{j-1} + omega_j) from frame to frame for the second sum. Here omega_m is added up in
every E_j from the axes that H has there already: fewer multiplications.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.base_motion import start
from armdyn.algorithms.frame import frames
from armdyn.algorithms.lin_1991 import Axis, Composite, axes, composites, gravity_of
from armdyn.algorithms.vector import ZERO, add, cross, dot, neg, scale, times
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """Return C qd + g; the base may be accelerated, but may not turn."""
    F = frames(chain, q)
    bodies = composites(chain, F)
    seen = axes(bodies, F)
    _, _, sdd = start(chain)
    b = [0.0, *gravity_of(bodies, F, neg(sdd))]  # (58) with g - a_0 for g
    for j in range(1, chain.n + 1):
        omega = angular_velocities(seen[j], qd)
        xi = scale(qd[j - 1], add(omega[j - 1], omega[j]))
        for m in range(1, j):
            d = symbols(bodies[j], seen[j][m])
            b[m] = b[m] + dot(d, xi)
            b[j] = b[j] - qd[m - 1] * dot(d, add(omega[m - 1], omega[m]))
    return b[1:]


def angular_velocities(seen: Sequence[Axis], qd: Sequence[Scalar]) -> list[Vector]:
    """Return omega_m = sum_{k<=m} qd_k w_k for m = 0..j in E_j, from the axes there."""
    omega: list[Vector] = [ZERO]
    for k in range(1, len(seen)):
        omega.append(add(omega[-1], scale(qd[k - 1], seen[k][0])))
    return omega


def symbols(body: Composite, axis: Axis) -> Vector:
    """Return d_mj, from which every symbol D_mkj with m, k <= j is made. (46)."""
    w, v = axis
    return add(times(body.A, w), cross(body.f, v))
