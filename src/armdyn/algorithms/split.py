"""The cheapest mass matrix found: motions carried up and wrenches down, to meet at a pivot frame.

D_ji = S_j . F_i, the motion S_j of joint j on the unit wrench F_i of composite body i, may be
evaluated in any frame between j and i. Formulation 1 of [LinFang1999] carries every F_i down to
E_j, Formulation 3 every S_j up to E_i; both take some n^2/2 steps. Here the motions of the joints
before a pivot are carried up to the pivot's frame and the wrenches of the bodies beyond it down to
it: n^2/4 steps. D_{i-1,i} is always one step of F_i, most of which the composite bodies take
anyway.

S_j = (w, v): angular velocity, and velocity of the point at the frame's origin; F_i = (f, t):
force, and moment about the origin. Before joint s (see `structure`) only the moment tau about u_r
is known, as in `lin_fang_1_minimal`. Vectors on their way are `scaled_z`; what a joint reads off
them is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms import vector
from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.lin_fang_1_minimal import arm_about_axis
from armdyn.algorithms.minimal_set import minimal_set
from armdyn.algorithms.pivot import best_pivot
from armdyn.algorithms.scaled_z import ScaledZ, dot, plain, to_child, to_parent
from armdyn.algorithms.second_moment_composites import second_moment_composites
from armdyn.algorithms.structure import Structure, structure
from armdyn.algorithms.table_vii import AxialComposite, minimal_composites
from armdyn.algorithms.vector import Matrix, is_zero, scale, symmetric_full
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar], pivot: int | None = None) -> Matrix:
    """Return the mass matrix; `pivot` overrides the choice of the frame 1..n to meet in."""
    F, found = frames(chain, q), structure(chain)
    if _second_moments_pay(chain, found):
        bodies = second_moment_composites(chain, F, found)
    else:
        bodies = minimal_composites(F, found, minimal_set(chain, found))
    meeting = _Meeting(F, found, bodies, pivot or best_pivot(chain, found))
    return diagonal_with_rotors(meeting.matrix(), chain)


def _second_moments_pay(chain: Chain, found: Structure) -> bool:
    """Say whether composite bodies by second moments are cheaper than by Table VII.

    Where several joints turn about u_r, Table VII carries one number through them. Else second
    moments save a sum with every shift, and spend one on the inertia about every axis. The last
    shift along a rotational axis is constant.
    """
    if found.s != found.r + 1:
        return False
    shifts = 0
    for p in range(found.s + 1, chain.n + 1):
        along = not chain[p].rotational or (p < chain.n and not is_zero(chain[p].d))
        shifts += along + (not is_zero(chain[p].b))
    return shifts >= sum(chain[i].rotational for i in range(found.s, chain.n))


@dataclass(frozen=True)
class _Motion:
    w: ScaledZ
    v: ScaledZ


@dataclass(frozen=True)
class _Wrench:
    f: ScaledZ
    t: ScaledZ
    tau: Scalar  # the moment about u_r, of bodies before joint s: their t is not known


@dataclass(frozen=True)
class _Meeting:
    """The data of the matrix, and the frame where motions and wrenches meet."""

    F: Sequence[Frame]
    found: Structure
    bodies: Sequence[AxialComposite]
    pivot: int

    def matrix(self) -> Matrix:
        """Return D, full and symmetric, without rotors."""
        p = self.pivot
        motions = {j: self.motion(j) for j in range(1, p)}
        rows: Matrix = []
        for i in range(1, len(self.F)):
            body, turns = self.bodies[i], self.F[i].rotational
            f, t = body.unit_wrench(turns)
            wrench = _Wrench(plain(f), plain(t), body.tau)
            D = {i: body.diagonal(turns)}
            if i <= p:
                D.update((j, self.work(i, j, motions[j][i], wrench)) for j in range(1, i - 1))
            for j in range(i - 1, max(1, min(p, i - 1)) - 1, -1):
                wrench = self.carried_down(i, j, wrench)
                D[j] = self.read(i, j, wrench)
            if i > p:
                D.update((j, self.work(i, j, motions[j][p], wrench)) for j in range(1, p))
            rows.append([D[j] for j in range(1, i + 1)])
        return symmetric_full(rows)

    def motion(self, j: int) -> dict[int, _Motion]:
        """Return S_j in E_k for k = j+1 .. pivot."""
        turns, found = self.F[j].rotational, self.found
        w = plain((0.0, 0.0, 1.0 if turns else 0.0))
        v = plain((0.0, 0.0, 0.0 if turns else 1.0))
        motions: dict[int, _Motion] = {}
        for k in range(j + 1, self.pivot + 1):
            p = self.F[k]
            b, d, before_pivot = p.b, p.d, k < self.pivot
            # of the wrenches at the pivot only f or t is scaled
            beside = ScaledZ(v.x, v.y + b * w.z, v.z - b * w.y)
            v = to_child(p, beside, scaled=before_pivot or p.rotational)
            w = to_child(p, w, scaled=before_pivot or not p.rotational)
            if turns and k < found.s:  # w is constant, v across it
                w = plain(scale(found.w[j][2], found.w[k]))
                v = plain((v.x, v.y, 0.0)) if found.parallel(k) else v
            v = ScaledZ(v.x + d * w.y, v.y - d * w.x, v.part, v.unit)
            motions[k] = _Motion(w, v)
        return motions

    def carried_down(self, i: int, j: int, wrench: _Wrench) -> _Wrench:
        """Return F_i in E_j from F_i in E_{j+1}. [LinFang1999] (9), (10), (18), (30)."""
        p, turns, found = self.F[j + 1], self.F[j].rotational, self.found
        f, t, tau = wrench.f, wrench.t, wrench.tau
        at_foot = ScaledZ(t.x - p.d * f.y, t.y + p.d * f.x, t.part, t.unit)
        f = to_parent(p, f, scaled=turns)  # joint j reads t or f, whichever is not scaled
        t = to_parent(p, at_foot, scaled=not turns)
        t = ScaledZ(t.x, t.y - p.b * f.z, t.part + (p.b / t.unit) * f.y, t.unit)
        if found.r <= j and i < found.s:
            tau = tau + vector.dot(arm_about_axis(p, found.w[j]), (f.x, f.y, f.z))
        return _Wrench(f, t, tau)

    def read(self, i: int, j: int, wrench: _Wrench) -> Scalar:
        """Return D_ji, F_i being in E_j. [LinFang1999] (11), (31)."""
        if not self.F[j].rotational:
            return wrench.f.z
        return wrench.t.z if i >= self.found.s else self.found.w[j][2] * wrench.tau

    def work(self, i: int, j: int, motion: _Motion, wrench: _Wrench) -> Scalar:
        """Return D_ji = S_j . F_i, both in one frame."""
        across = dot(motion.v, wrench.f)
        if i >= self.found.s:
            return dot(motion.w, wrench.t) + across
        return self.found.w[j][2] * wrench.tau + across if self.F[j].rotational else across
