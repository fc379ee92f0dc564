"""Links in motion, and the links i..n taken as one body: what derivatives of dynamics are made of.

Joint i is passed in two halves: the tilt from E_{i-1} to the foot of joint i (`composite_moments`)
and the turn (or slide) from there to E_i. At the foot z is the axis of the joint and nothing
depends on q_i, so that quantities of the joint are best taken there. Each half is a `Frame`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from armdyn.algorithms.angular import ZERO_MATRIX, euler, omega_matrix, sliding, turning
from armdyn.algorithms.composite_moments import at_foot, behind_foot
from armdyn.algorithms.frame import Frame
from armdyn.algorithms.link_moments import NO_MOMENTS, Moments, regrouped
from armdyn.algorithms.spatial import Six, add_six, halves, turned_matrix, wrench_to_parent
from armdyn.algorithms.vector import (
    ZERO,
    Rows,
    add,
    add_symmetric,
    apply,
    column,
    cross,
    neg,
    scale,
    times,
    trace_minus,
)
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def tilt(F: Frame) -> Frame:
    """Return the first half of a joint, by beta_i and b_i: the foot seen from E_{i-1}."""
    return replace(F, rotational=False, C=1.0, S=0.0, d=0.0, SbS=0.0, SbC=F.Sb)


def turn(F: Frame) -> Frame:
    """Return the second half of a joint, by theta_i and d_i: E_i seen from the foot."""
    return replace(F, Cb=1.0, Sb=0.0, b=0.0, SbS=0.0, SbC=0.0, Cg=1.0, Sg=0.0)


@dataclass(frozen=True)
class State:
    """How a link moves, at a point of it and in some axes.

    w, wd: angular velocity and acceleration; v: velocity of the point; sdd: its acceleration less
    gravity.
    """

    w: Vector = ZERO
    v: Vector = ZERO
    wd: Vector = ZERO
    sdd: Vector = ZERO

    @property
    def omega(self) -> Rows:
        """Omega, see `angular`."""
        return omega_matrix(self.w, self.wd)

    def at_foot(self, F: Frame) -> State:
        """Return the motion of link i-1 at the foot of joint i from that at O_{i-1}."""
        half = tilt(F)
        v = add(self.v, cross(self.w, (F.b, 0.0, 0.0)))
        sdd = add(self.sdd, scale(F.b, column(self.omega, 1)))
        return State(
            half.to_child(self.w), half.to_child(v), half.to_child(self.wd), half.to_child(sdd)
        )

    def behind(self, F: Frame, qd: Scalar, qdd: Scalar) -> State:
        """Return the motion of link i at O_i from that of link i-1 at the foot of joint i."""
        half = turn(F)
        w, wd = turning(half, self.w, self.wd, qd, qdd)
        slid = (0.0, 0.0, 0.0 if F.rotational else qd)
        v = add(half.to_child(self.v), cross(w, (0.0, 0.0, F.d)), slid)
        along = scale(F.d, column(omega_matrix(w, wd), 3))
        sdd = add(half.to_child(self.sdd), sliding(F, w, qd, qdd), along)
        return State(w, v, wd, sdd)


def states(
    chain: Chain, F: Sequence[Frame], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[list[State], list[State]]:
    """Return the motions of links i-1 at the feet of joints i, and of links i at O_i.

    For i = 1..n; entries 0 are the base at rest.
    """
    base = State(sdd=neg(chain.g))
    before, own = [base], [base]
    for i in range(1, chain.n + 1):
        before.append(own[chain.parent(i)].at_foot(F[i]))
        own.append(before[-1].behind(F[i], qd[i - 1], qdd[i - 1]))
    return before, own


@dataclass(frozen=True)
class Body:
    """A body, rigid or not, about a point.

    C are its moments of mass; N is the sum of m u r^T over its points r with velocities u, p their
    momentum, W the wrench of their inertial forces.
    """

    C: Moments = NO_MOMENTS
    N: Rows = ZERO_MATRIX
    p: Vector = ZERO
    W: Sequence[Scalar] = (0.0,) * 6

    def __add__(self, other: Body) -> Body:
        """Return two bodies taken as one."""
        a, b = self.C, other.C
        C = Moments(a.m + b.m, add(a.h, b.h), add_symmetric(a.K, b.K))
        N = tuple(add(x, y) for x, y in zip(self.N, other.N, strict=True))
        return Body(C, _rows(N), add(self.p, other.p), add_six(self.W, other.W))

    def to_parent(self, F: Frame) -> Body:
        """Return the body about O_{i-1} in E_{i-1} from that about O_i in E_i, or half of it."""
        shifted = [[x, y, z + F.d * k] for (x, y, z), k in zip(self.N, self.p, strict=True)]
        turned = turned_matrix(shifted, 0, F.C, F.S, constant=not F.rotational)
        if F.Sg:
            turned = turned_matrix(turned, 2, F.Cg, F.Sg, constant=True)
        tilted, p = turned_matrix(turned, 1, F.Cb, F.Sb, constant=True), F.to_parent(self.p)
        N = [[x + F.b * k, y, z] for (x, y, z), k in zip(tilted, p, strict=True)]
        return Body(behind_foot(F, at_foot(F, self.C)), _rows(N), p, wrench_to_parent(F, self.W))

    @property
    def A(self) -> Rows:
        """tr(N) 1 - N."""
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self.N
        return ((yy + zz, -xy, -xz), (-yx, xx + zz, -yz), (-zx, -zy, xx + yy))

    def inertia(self, x: Sequence[Scalar]) -> Six:
        """Return the wrench I x that accelerates the body, taken as rigid, by a motion x."""
        (w, v), h = halves(x), self.C.h
        n = add(apply(trace_minus(self.C.K), w), cross(h, v))
        return [*n, *add(scale(self.C.m, v), cross(w, h))]

    def gyration(self, x: Sequence[Scalar]) -> Six:
        """Return the wrench B x of the forces m x_w x u; the linear part of x plays no role."""
        w, _ = halves(x)
        return [*times(self.A, w), *cross(w, self.p)]


def moving_link(C: Moments, state: State) -> Body:
    """Return one link about O_i."""
    w, v, omega = state.w, state.v, state.omega
    xx, xy, xz, yy, yz, zz = C.K
    columns = cross(w, (xx, xy, xz)), cross(w, (xy, yy, yz)), cross(w, (xz, yz, zz))
    N = [add(scale(k, C.h), row) for k, row in zip(v, zip(*columns, strict=True), strict=True)]
    f = add(scale(C.m, state.sdd), times(omega, C.h))
    n = add(cross(C.h, state.sdd), euler(omega, C.K))
    return Body(C, _rows(N), add(scale(C.m, v), cross(w, C.h)), [*n, *f])


def composite_bodies(
    chain: Chain, F: Sequence[Frame], own: Sequence[State]
) -> tuple[list[Body], list[Body]]:
    """Return the regrouped links i..n as one body at the foot of joint i, and at O_i.

    For i = 1..n; entries 0 are empty.
    """
    links = regrouped(chain)
    feet, bodies = [[Body()] * (chain.n + 1) for _ in range(2)]
    for i in range(chain.n, 0, -1):
        bodies[i] = moving_link(links[i], own[i])
        for c in chain.children(i):
            bodies[i] = bodies[i] + feet[c].to_parent(tilt(F[c]))
        feet[i] = bodies[i].to_parent(turn(F[i]))
    return feet, bodies


def _rows(N: Sequence[Sequence[Scalar]]) -> Rows:
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = N
    return ((xx, xy, xz), (yx, yy, yz), (zx, zy, zz))
