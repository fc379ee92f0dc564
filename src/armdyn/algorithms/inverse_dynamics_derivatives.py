"""Derivatives of inverse dynamics by joint positions and velocities, recursively.

After the idea of [Singh2022], composite bodies in motion, in second moments and link frames.

S_j is the motion (angular; linear) of joint j by itself. Its axis is carried by link j-1, whose
point on the axis has velocity v and acceleration sdd, less gravity, and whose angular velocity w
and Omega are those of `angular`; so carried, S_j changes at the rate psi1_j, and that at psi2_j:

    revolute:   S = (z; 0),  psi1 = (w x z; v x z),  psi2 = (Omega z; sdd x z + 2 v x (w x z))
    prismatic:  S = (0; z),  psi1 = (0; w x z),      psi2 = (0; Omega z)

A change of qd_j adds S_j to the velocities u of the points behind it, a change of q_j adds psi1_j.
An x added to u changes the centripetal accelerations w x u by 2 x_w x u and a rigid motion. The
forces m x_w x u have the wrench B x = (tr(N) x_w - N x_w; x_w x p), where N = sum m u r^T and
p = sum m u. With I, B and W, the wrench of inertial forces, of links j..n taken as one body, and
i <= j:

    M_ij         = S_i . I S_j
    dtau_i/dqd_j = S_i . (2 B S_j + 2 I psi1_j)
    dtau_i/dq_j  = S_i . (2 B psi1_j + I psi2_j + S_j x W)
    dtau_j/dqd_i = S_j . (2 B S_i + 2 I psi1_i)
    dtau_j/dq_i  = S_j . (2 B psi1_i + I psi2_i)

S_j x W is the change of a wrench that is carried along. So three wrenches and one vector of joint j
meet three motions of joint i. Wrenches are passed towards the base as far as link c and motions are
passed there from the base: on general arms part of the way each costs less than either all the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.moving_bodies import Body, State, composite_bodies, states, tilt
from armdyn.algorithms.spatial import Six, add_six, halves, motion_to_child, power, wrench_to_parent
from armdyn.algorithms.vector import ZERO, Matrix, add, column, cross, dot
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar

Z: Vector = (0.0, 0.0, 1.0)


def inverse_dynamics_derivatives(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[Matrix, Matrix, Matrix]:
    """Return dtau/dq, dtau/dqd and M = dtau/dqdd."""
    # the cheapest link to meet at, or within 1 %, for 3 to 20 general revolute joints, by count
    c = (chain.n + 4) // 3 if chain.is_serial else 1
    return _met_at(c, chain, q, qd, qdd)


def passed_to_base(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the same with wrenches passed all the way: cheaper where most twists are right angles.

    What is then passed takes few products, and in its own frame a motion of a joint is sparse.
    """
    return _met_at(1, chain, q, qd, qdd)


def coriolis_matrix(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Matrix:
    """Return C in Christoffel form: half the derivative of the bias by qd.

    C qd is quadratic in qd, with coefficients that are symmetric: those of its derivative are twice
    the Christoffel symbols.
    """
    _, dqd, _ = passed_to_base(chain, q, qd, [0.0] * chain.n)
    return [[0.5 * x for x in row] for row in dqd]


def _met_at(
    c: int, chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[Matrix, Matrix, Matrix]:
    """Return dtau/dq, dtau/dqd and M, motions and wrenches meeting at link c at the latest.

    On a tree c is 1: wrenches are passed to the base.
    """
    n, F = chain.n, frames(chain, q)
    before, own = states(chain, F, qd, qdd)
    feet, bodies = composite_bodies(chain, F, own)
    motions = [joint_motions(F[i], own[i]) for i in range(n + 1)]
    at_c = [_passed(motions[i], F[i + 1 : c + 1]) for i in range(c)]
    dq, dqd, M = (_square(n) for _ in range(3))
    for j in range(1, n + 1):
        # wrenches that are not passed on are as good at O_j
        at_foot = chain.parent(j) != 0 and j != c
        mine = joint_motions(F[j], before[j]) if at_foot else motions[j]
        wrenches = joint_wrenches(F[j], feet[j] if at_foot else bodies[j], mine)
        own_entries = _meet(mine, wrenches)
        dq[j - 1][j - 1], dqd[j - 1][j - 1] = own_entries.dq_upper, own_entries.dqd_upper
        M[j - 1][j - 1] = own_entries.M + chain[j].Jm
        child = j
        for i in chain.before(j):
            if i < c <= j:
                met = _meet(at_c[i], wrenches)
            else:
                whole = child != j or not at_foot
                wrenches = wrenches.to_parent(F[child] if whole else tilt(F[child]))
                met = _meet(motions[i], wrenches)
                child = i
            dq[i - 1][j - 1], dq[j - 1][i - 1] = met.dq_upper, met.dq_lower
            dqd[i - 1][j - 1], dqd[j - 1][i - 1] = met.dqd_upper, met.dqd_lower
            M[i - 1][j - 1] = M[j - 1][i - 1] = met.M
    return dq, dqd, M


@dataclass(frozen=True)
class Motions:
    """S, 2 psi1 and psi2 of a joint."""

    S: Six
    twice_psi1: Six
    psi2: Six

    def to_child(self, F: Frame) -> Motions:
        """Return at O_i in E_i what is given at O_{i-1} in E_{i-1}."""
        S, twice_psi1, psi2 = (motion_to_child(F, x) for x in (self.S, self.twice_psi1, self.psi2))
        return Motions(S, twice_psi1, psi2)


def joint_motions(F: Frame, state: State) -> Motions:
    """Return the motions of joint i at the point of `state` of link i-1: its foot, or O_i.

    At O_i the state may be that of link i: the difference does not change the motions.
    """
    wx, wy, _ = state.w
    carried, axis = (wy + wy, -(wx + wx), 0.0), column(state.omega, 3)
    if not F.rotational:
        return Motions([*ZERO, *Z], [*ZERO, *carried], [*ZERO, *axis])
    vx, vy, _ = state.v
    linear = add(cross(state.sdd, Z), cross(state.v, carried))
    return Motions([*Z, *ZERO], [*carried, vy + vy, -(vx + vx), 0.0], [*axis, *linear])


@dataclass(frozen=True)
class Wrenches:
    """The wrenches of joint j and the body behind it that meet the motions of joints i <= j.

    I S_j; the wrenches of dtau_i/dqd_j and dtau_i/dq_j; and b with b . x_w = S_j . B x.
    """

    unit: Six
    dqd: Six
    dq: Six
    b: Vector

    def to_parent(self, F: Frame) -> Wrenches:
        """Return about O_{i-1} in E_{i-1} what is given about O_i in E_i."""
        unit, dqd, dq = (wrench_to_parent(F, x) for x in (self.unit, self.dqd, self.dq))
        return Wrenches(unit, dqd, dq, F.to_parent(self.b))


def joint_wrenches(F: Frame, body: Body, x: Motions) -> Wrenches:
    """Return the wrenches of joint j from the body behind it and the joint's motions."""
    turned, (n, f) = body.gyration(x.S), halves(body.W)
    if F.rotational:
        b, carried = body.A[2], [*cross(Z, n), *cross(Z, f)]
    else:
        b, carried = cross(body.p, Z), [*cross(Z, f), *ZERO]
    dqd = add_six(add_six(turned, turned), body.inertia(x.twice_psi1))
    dq = add_six(add_six(body.gyration(x.twice_psi1), body.inertia(x.psi2)), carried)
    return Wrenches(body.inertia(x.S), dqd, dq, b)


@dataclass(frozen=True)
class _Entries:
    """Of a pair i <= j: M_ij, the derivatives of tau_i by joint j and of tau_j by joint i."""

    M: Scalar
    dqd_upper: Scalar
    dq_upper: Scalar
    dqd_lower: Scalar
    dq_lower: Scalar


def _meet(x: Motions, wrenches: Wrenches) -> _Entries:
    """Return the entries of motions of joint i and wrenches of joint j, given in one frame."""
    (w, _), (carried, _) = halves(x.S), halves(x.twice_psi1)
    along = dot(wrenches.b, w)
    return _Entries(
        M=power(x.S, wrenches.unit),
        dqd_upper=power(x.S, wrenches.dqd),
        dq_upper=power(x.S, wrenches.dq),
        dqd_lower=(along + along) + power(x.twice_psi1, wrenches.unit),
        dq_lower=dot(wrenches.b, carried) + power(x.psi2, wrenches.unit),
    )


def _passed(x: Motions, F: Sequence[Frame]) -> Motions:
    for joint in F:
        x = x.to_child(joint)
    return x


def _square(n: int) -> Matrix:
    return [[0.0] * n for _ in range(n)]
