"""The cheapest inertia matrix found: motions carried up and forces down, to meet at a pivot frame.

D_ji = S_j . F_i, the motion S_j of joint j on the unit-acceleration wrench F_i of composite body i, may
be evaluated in any frame between j and i. Formulation 1 of [LinFang1999] carries every F_i down to
E_j, Formulation 3 every S_j up to E_i; both take some n^2/2 steps. Here the motions of the joints
before a pivot p are carried up to E_p, the wrenches of the bodies beyond it down to E_p: n^2/4 steps.
Element D_{i-1,i} is one step of F_i, which the composite bodies share.

S_j = (w, v): angular velocity and velocity of the point at the origin of the frame. F_i = (f, t). Before
joint s (see `structure`) only the moment tau about u_r is known, as in `lin_fang_1_minimal`.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.lin_fang_1_minimal import carried_down, lever
from armdyn.algorithms.minimal_set import minimal_set
from armdyn.algorithms.second_moment_composites import second_moment_composites
from armdyn.algorithms.structure import Structure, structure
from armdyn.algorithms.table_vii import Composite, composites
from armdyn.algorithms.vector import ZERO, Matrix, add, cross, dot, scale, symmetric_full
from armdyn.robot import Chain, Vector
from armdyn.scalar import Scalar

PIVOT = None

def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the inertia matrix."""
    F, found = frames(chain, q), structure(chain)
    if found.s == found.r + 1:
        bodies = second_moment_composites(chain, F, found)
    else:  # several joints turn about u_r: Table VII carries one number through them
        bodies = composites(F, found, minimal_set(chain, found))
    p = PIVOT or (chain.n + 1) // 2
    return diagonal_with_rotors(_formulation(F, found, bodies, p), chain)


def _formulation(
    F: Sequence[Frame], found: Structure, bodies: dict[int, Composite], pivot: int
) -> Matrix:
    n = len(F) - 1
    motions = {j: _motions(F, found, j, pivot) for j in range(1, pivot)}
    rows: Matrix = []
    for i in range(1, n + 1):
        body = bodies[i]
        f, t, tau = body.force, body.moment, body.tau
        D: dict[int, Scalar] = {i: body.inertia}
        if i <= pivot:
            for j in range(1, i - 1):
                D[j] = _work(found, i, j, motions[j][i], (f, t), tau, F[j].rotational)
        for j in range(i - 1, min(pivot, i - 1) - 1, -1):
            if j < 1: break
            f, t = carried_down(F[j + 1], f, t)
            if found.r <= j and i < found.s:
                tau = tau + dot(lever(F[j + 1], found.w[j]), f)
            D[j] = f[2] if not F[j].rotational else t[2] if i >= found.s else found.w[j][2] * tau
        if i > pivot:
            for j in range(1, pivot):
                D[j] = _work(found, i, j, motions[j][pivot], (f, t), tau, F[j].rotational)
        rows.append([D[j] for j in range(1, i + 1)])
    return symmetric_full(rows)


def _work(found, i, j, motion, wrench, tau, turns):
    w, v = motion
    f, t = wrench
    if i >= found.s:
        return dot(w, t) + dot(v, f)
    return (found.w[j][2] * tau if turns else 0.0) + dot(v, f)


def _motions(F, found, j, last):
    w: Vector = (0.0, 0.0, 1.0) if F[j].rotational else ZERO
    v: Vector = ZERO if F[j].rotational else (0.0, 0.0, 1.0)
    motions = {}
    for k in range(j + 1, last + 1):
        p = F[k]
        v = p.down(add(v, cross(w, (p.b, 0.0, 0.0))))
        w = p.z_previous if (k == j + 1 and F[j].rotational) else p.down(w)
        if F[j].rotational and k < found.s:
            w = scale(found.w[j][2], found.w[k])
        v = add(v, cross(w, (0.0, 0.0, p.d)))
        if F[j].rotational and k < found.s and found.parallel(k):
            v = (v[0], v[1], 0.0)
        motions[k] = (w, v)
    return motions
