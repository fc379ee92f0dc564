"""Formulation 3 of the mass matrix: axes and their moments carried towards the tip.

[LinFang1999] (21) and Table III, corrected; it is [Renaud1986] for all joints, [Lin1991] (A1).
In E_i: u is the axis u_j of joint j and v = u_j x (O_j -> O_i) its moment about O_i, the paper's s
with a hat. Table III prints the term of v inside the product with u_j, and the first moment of a
rotational j and translational i with the opposite sign: here both are as in (21).
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.composite import Composite, composites
from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.vector import Matrix, dot, symmetric_full
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar


def formulation_3(F: Sequence[Frame], composites: Sequence[Composite]) -> Matrix:
    """Return the mass matrix, without rotors, of given composite bodies."""
    lower: Matrix = []
    seen: list[tuple[Vector, Vector]] = []  # (u, v) of joints 1..i-1 in E_i
    for i in range(1, len(F)):
        here = F[i]
        seen = [_axis(here, u, v) for u, v in seen]
        if i > 1:
            x, y, _ = here.s
            seen.append((here.z_previous, here.to_child((-y, x, 0.0))))
        row = [_entry(F[j], here, u, v, composites[i]) for j, (u, v) in enumerate(seen, start=1)]
        lower.append([*row, composites[i].diagonal(here.rotational)])
    return symmetric_full(lower)


def _axis(Fi: Frame, u: Vector, v: Vector) -> tuple[Vector, Vector]:
    """Return axis and moment in E_i from those in E_{i-1}."""
    b, d = Fi.b, Fi.d
    x, y, z = Fi.to_child((v[0], v[1] + u[2] * b, v[2] - u[1] * b))
    u = Fi.to_child(u)
    return u, (x + u[1] * d, y - u[0] * d, z)


def _entry(Fj: Frame, Fi: Frame, u: Vector, v: Vector, body: Composite) -> Scalar:
    """Return D_ji, j < i."""
    m, (x, y, _) = body.m, body.c
    if Fi.rotational and Fj.rotational:
        return dot(u, body.J3) + (v[1] * x - v[0] * y)
    if Fi.rotational:
        return u[1] * x - u[0] * y
    if Fj.rotational:
        return m * v[2] + (u[0] * y - u[1] * x)
    return m * u[2]


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix."""
    F = frames(chain, q)
    return diagonal_with_rotors(formulation_3(F, composites(chain, F)), chain)
