"""The cheapest mass matrix found: motions carried up and wrenches down, to meet at a pivot frame.

D_ji = S_j . F_i, the motion S_j of joint j on the unit wrench F_i of composite body i, may be evaluated
in any frame between j and i. Formulation 1 of [LinFang1999] carries every F_i down to E_j, Formulation 3
every S_j up to E_i; both take some n^2/2 steps. Here the motions of the joints before a pivot p are
carried up to E_p and the wrenches of the bodies beyond it down to E_p: n^2/4 steps. D_{i-1,i} is always
one step of F_i, most of which the composite bodies take anyway.

S_j = (w, v): angular velocity, and velocity of the point at the frame's origin; F_i = (f, t): force, and
moment about the origin. Before joint s (see `structure`) only the moment tau about u_r is known, as in
`lin_fang_1_minimal`. Vectors on their way are `stretched`; what a joint reads off them is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.lin_fang_1_minimal import arm_about_axis
from armdyn.algorithms.minimal_set import minimal_set
from armdyn.algorithms.second_moment_composites import second_moment_composites
from armdyn.algorithms.stretched import Stretched, dot, down, plain, up
from armdyn.algorithms.structure import Structure, structure
from armdyn.algorithms.table_vii import AxialComposite, minimal_composites
from armdyn.algorithms.vector import Matrix, scale, symmetric_full
from armdyn.robot import Chain
from armdyn.scalar import Scalar
import armdyn.algorithms.vector as V

PIVOT=None
FORM=None
def _shifts_prevail(chain, found):
    beyond = range(found.s + 1, chain.n + 1)
    shifts = sum(chain[p].b != 0.0 for p in beyond)
    shifts += sum(not chain[p].rotational or (p<chain.n and chain[p].d != 0.0) for p in beyond)
    return shifts >= sum(chain[i].rotational for i in range(found.s, chain.n))

def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix."""
    F, found = frames(chain, q), structure(chain)
    if FORM if FORM is not None else (found.s == found.r + 1 and _shifts_prevail(chain, found)):
        bodies = second_moment_composites(chain, F, found)
    else:  # several joints turn about u_r: Table VII carries one number through them
        bodies = minimal_composites(F, found, minimal_set(chain, found))
    p = PIVOT or _pivot(chain)
    return diagonal_with_rotors(_Split(F, found, bodies, p).matrix(), chain)


def _pivot(chain: Chain) -> int:
    from armdyn.algorithms.pivot import best_pivot; return best_pivot(chain, structure(chain))


@dataclass(frozen=True)
class _Motion:
    w: Stretched
    v: Stretched


@dataclass(frozen=True)
class _Wrench:
    f: Stretched
    t: Stretched
    tau: Scalar  # the moment about u_r; kept for bodies before s, whose t is not known


@dataclass(frozen=True)
class _Split:
    F: Sequence[Frame]
    found: Structure
    bodies: Sequence[AxialComposite]
    pivot: int

    def matrix(self) -> Matrix:
        """Return D, full and symmetric."""
        p = self.pivot
        motions = {j: self.motions(j) for j in range(1, p)}
        rows: Matrix = []
        for i in range(1, len(self.F)):
            rotational = self.F[i].rotational
            f, t = self.bodies[i].unit_wrench(rotational)
            wrench = _Wrench(plain(f), plain(t), self.bodies[i].tau)
            D = {i: self.bodies[i].diagonal(rotational)}
            if i <= p:
                for j in range(1, i - 1):
                    D[j] = self.work(i, j, motions[j][i], wrench)
            for j in range(i - 1, max(min(p, i - 1), 1) - 1, -1):
                wrench = self.carried_down(i, j, wrench)
                D[j] = self.read(i, j, wrench)
            if i > p:
                for j in range(1, p):
                    D[j] = self.work(i, j, motions[j][p], wrench)
            rows.append([D[j] for j in range(1, i + 1)])
        return symmetric_full(rows)

    def motions(self, j: int) -> dict[int, _Motion]:
        """Return S_j in E_k for k = j+1 .. p."""
        F, found = self.F, self.found
        turns = F[j].rotational
        w = plain((0.0, 0.0, 1.0 if turns else 0.0))
        v = plain((0.0, 0.0, 0.0 if turns else 1.0))
        motions: dict[int, _Motion] = {}
        for k in range(j + 1, self.pivot + 1):
            p, last = F[k], k == self.pivot
            b, d = p.b, p.d
            v = down(p, Stretched(v.x, v.y + b * w.z, v.z - b * w.y), not last or p.rotational)
            w = down(p, w, not last or not p.rotational)
            if turns and k < found.s:  # constant, and v across it
                w = plain(scale(found.w[j][2], found.w[k]))
                v = plain((v.x, v.y, 0.0)) if found.parallel(k) else v
            v = Stretched(v.x + d * w.y, v.y - d * w.x, v.part, v.unit)
            motions[k] = _Motion(w, v)
        return motions

    def carried_down(self, i: int, j: int, wrench: _Wrench) -> _Wrench:
        """Return F_i in E_j from F_i in E_{j+1}. [LinFang1999] (9), (10), (18)."""
        p, turns = self.F[j + 1], self.F[j].rotational
        f, t = wrench.f, wrench.t
        at_j = up(p, f, stretch=turns)
        t = up(p, Stretched(t.x - p.d * f.y, t.y + p.d * f.x, t.part, t.unit), stretch=not turns)
        t = Stretched(t.x, t.y - p.b * at_j.z, t.part + (p.b / t.unit) * at_j.y, t.unit)
        tau = wrench.tau
        if self.found.r <= j and i < self.found.s:
            tau = tau + V.dot(arm_about_axis(p, self.found.w[j]), (at_j.x, at_j.y, at_j.z))
        return _Wrench(at_j, t, tau)

    def read(self, i: int, j: int, wrench: _Wrench) -> Scalar:
        """Return D_ji, F_i being in E_j."""
        if not self.F[j].rotational:
            return wrench.f.z
        return wrench.t.z if i >= self.found.s else self.found.w[j][2] * wrench.tau

    def work(self, i: int, j: int, motion: _Motion, wrench: _Wrench) -> Scalar:
        """Return D_ji = S_j . F_i, both in one frame."""
        across = dot(motion.v, wrench.f)
        if i >= self.found.s:
            return dot(motion.w, wrench.t) + across
        return self.found.w[j][2] * wrench.tau + across if self.F[j].rotational else across
