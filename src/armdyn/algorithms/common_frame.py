"""Inertia matrix by composite second moments, with wrenches and axes of the joints in one frame.

Passing a wrench along costs 20M 12A, and there are n^2/2 passes (`second_moment_inertia`). Here the
unit wrench and the axis of every joint behind link c are taken to frame E_c once, and an entry of D
is e_k . n_j + (p_k x e_k) . f_j, 6M 5A: more to begin with, less for long chains. e_k, p_k are the
direction of axis k and a point of it; n_j, f_j the moment about O_c and the force that accelerate
joint j by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.composite_moments import at_foot, composites, unit_wrench
from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.link_moments import Moments
from armdyn.algorithms.spatial import Six, axis, halves, motion_to_child, power, wrench_to_base
from armdyn.algorithms.vector import ZERO, Matrix, add, cross, scale, sub, symmetric_full
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return D, full and symmetric."""
    F, n = frames(chain, q), chain.n
    c = min(4, n // 2 + 1)  # the cheapest for 3 to 12 revolute joints, by count
    C = composites(chain, F)
    feet = _feet_behind(F, c)
    twists = {k: _passed_to(c, chain, F, k) for k in range(1, c + 1)}
    twists |= {k: foot.twist(F[k]) for k, foot in feet.items()}
    rows: Matrix = []
    for j in range(1, n + 1):
        wrench = unit_wrench(F[j], C[j])
        if j < c:  # too few axes are before j for its wrench to go to E_c
            rows.append(wrench_to_base(chain, F, j, wrench))
            continue
        there = feet[j].wrench(F[j], C[j]) if j > c else wrench
        rows.append([power(twists[k], there) for k in range(1, j)] + [wrench[axis(chain[j])]])
    return diagonal_with_rotors(symmetric_full(rows), chain)


@dataclass(frozen=True)
class _Foot:
    """The foot of a joint, see `composite_moments`: its place and axes in E_c."""

    p: Vector
    x: Vector
    y: Vector
    z: Vector

    def wrench(self, F: Frame, C: Moments) -> Six:
        """Return the joint's unit wrench about O_c in E_c; C are the moments about O_j in E_j."""
        n, f = halves(unit_wrench(F, at_foot(F, C)))
        # A turn about the joint's axis and a shift along it change no moment about it.
        n = (n[0], n[1], unit_wrench(F, C)[2])
        f = self._in_common(f)
        return [*add(self._in_common(n), cross(self.p, f)), *f]

    def twist(self, F: Frame) -> Six:
        """Return the joint's unit motion at O_c in E_c."""
        return [*self.z, *cross(self.p, self.z)] if F.rotational else [*ZERO, *self.z]

    def _in_common(self, v: Vector) -> Vector:
        return add(scale(v[0], self.x), scale(v[1], self.y), scale(v[2], self.z))


def _feet_behind(F: list[Frame], c: int) -> dict[int, _Foot]:
    """Return the feet of joints c+1..n."""
    feet: dict[int, _Foot] = {}
    p, x, y, z = ZERO, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for j in range(c + 1, len(F)):
        C, S, Cb, Sb = F[j].C, F[j].S, F[j].Cb, F[j].Sb
        p = add(p, scale(F[j].b, x))
        y, z = add(scale(Cb, y), scale(Sb, z)), sub(scale(Cb, z), scale(Sb, y))
        if F[j].Sg:
            Cg, Sg = F[j].Cg, F[j].Sg
            x, z = sub(scale(Cg, x), scale(Sg, z)), add(scale(Cg, z), scale(Sg, x))
        feet[j] = _Foot(p, x, y, z)
        x, y = add(scale(C, x), scale(S, y)), sub(scale(C, y), scale(S, x))
        p = add(p, scale(F[j].d, z))
    return feet


def _passed_to(c: int, chain: Chain, F: list[Frame], k: int) -> Six:
    """Return the unit motion of joint k at O_c in E_c, k <= c."""
    motion: Six = [0.0] * 6
    motion[axis(chain[k])] = 1.0
    for j in range(k + 1, c + 1):
        motion = motion_to_child(F[j], motion)
    return motion
