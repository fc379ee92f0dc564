"""Formulation 1 of [LinFang1999] on the minimal set: forces carried down the arm.

The unit-acceleration wrench of composite body i (force f_ji, moment t_ji about O_j, in E_j) is carried
down from joint i to joint 1; its part along joint j is the element D_ji of the inertia matrix. Before
joint s only the moment tau about u_r is carried, (29)-(31); before joint r only the force.

Corrected: (31) has (u_r)_z in E_j, and the translational line of (31) holds for all j < i.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.minimal_set import minimal_set
from armdyn.algorithms.structure import Direction, Structure, structure
from armdyn.algorithms.table_vii import Composite, composites
from armdyn.algorithms.vector import Matrix, add, cross, dot, scale, symmetric_full
from armdyn.robot import Chain, Vector
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the inertia matrix from the values of the minimal set."""
    F, found = frames(chain, q), structure(chain)
    S = minimal_set(chain, found)
    return diagonal_with_rotors(_formulation(F, found, composites(F, found, S)), chain)


def _formulation(F: Sequence[Frame], found: Structure, bodies: dict[int, Composite]) -> Matrix:
    rows: Matrix = []
    for i, body in sorted(bodies.items()):
        carry = _whole_wrench if i >= found.s else _moment_about_axis
        row = carry(F, found, i, body)
        rows.append([row[j] for j in range(1, i)] + [body.inertia])
    return symmetric_full(rows)


def _whole_wrench(
    F: Sequence[Frame], found: Structure, i: int, body: Composite
) -> dict[int, Scalar]:
    """Return D_ji, j < i, for i >= s: Table I."""
    D: dict[int, Scalar] = {}
    f, t = body.force, body.moment
    for j in range(i - 1, 0, -1):
        f, t = carried_down(F[j + 1], f, t, last=j == 1)
        D[j] = t[2] if F[j].rotational else f[2]
    return D


def carried_down(p: Frame, f: Vector, t: Vector, last: bool = False) -> tuple[Vector, Vector]:
    """Return the wrench in E_{p-1} from that in E_p. (9), (10), (18); `last` as in Table I."""
    down = p.up(f)
    if last:  # of the last wrench one component is read: the whole shift comes before the turn
        return down, p.up(add(t, cross(p.s_own, f)))
    t = p.up((t[0] - p.d * f[1], t[1] + p.d * f[0], t[2]))
    return down, (t[0], t[1] - p.b * down[2], t[2] + p.b * down[1])


def _moment_about_axis(
    F: Sequence[Frame], found: Structure, i: int, body: Composite
) -> dict[int, Scalar]:
    """Return D_ji, j < i, for i < s: (29)-(31)."""
    D: dict[int, Scalar] = {}
    f, tau = body.force, body.tau
    for j in range(i - 1, 0, -1):
        f = F[j + 1].up(f)
        if j >= found.r:
            tau = tau + dot(lever(F[j + 1], found.w[j]), f)
        D[j] = found.w[j][2] * tau if F[j].rotational else f[2]
    return D


def lever(p: Frame, w: Direction) -> Vector:
    """Return w x s_p in E_{p-1}: constant if joint p turns, else linear in d_p."""
    return add(cross(w, (p.b, 0.0, 0.0)), scale(p.d, cross(w, p.z)))
