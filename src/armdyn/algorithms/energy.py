"""Kinetic and potential energy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from armdyn.algorithms.frame import frames
from armdyn.algorithms.lin_1994 import first_moments
from armdyn.algorithms.link_moments import regrouped
from armdyn.algorithms.spatial import Six, axis, halves, motion_to_child
from armdyn.algorithms.vector import ZERO, add, cross, dot, scale, total, trace_minus
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar


def kinetic_energy(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Scalar:
    """Return half the sum of m v.v + w.I w over the links and of Jm qd^2 over the rotors.

    w and v are the angular velocity of a link and the velocity of its centre of mass.
    """
    twice: Scalar = 0.0
    for link, rate, (w, v) in zip(chain.links, qd, _velocities(chain, q, qd), strict=True):
        v = add(v, cross(w, link.c))
        twice = twice + link.m * dot(v, v) + _quadratic(link.I, w) + link.Jm * (rate * rate)
    return 0.5 * twice


def kinetic_energy_from_moments(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Scalar:
    """Return the same from the regrouped moments of the links: m v.v + 2 h.(v x w) + w.I w.

    v is the velocity of O_i, I = tr(K) 1 - K the inertia about it. No centre of mass is needed.
    """
    twice: Scalar = 0.0
    velocities = _velocities(chain, q, qd)
    for link, rate, M, (w, v) in zip(
        chain.links, qd, regrouped(chain)[1:], velocities, strict=True
    ):
        twice_h = scale(2.0, M.h)
        twice = twice + M.m * dot(v, v) + dot(twice_h, cross(v, w))
        twice = twice + _quadratic(trace_minus(M.K), w) + link.Jm * (rate * rate)
    return 0.5 * twice


def potential_energy(chain: Chain, q: Sequence[Scalar]) -> Scalar:
    """Return minus the sum of m g.c over the links, c from the origin of the base frame.

    The first moment of all links about O_1 is that of composite body 1 of [Lin1994]; of a tree,
    such bodies hang on every joint of the base.
    """
    F = frames(chain, q)
    moments = first_moments(chain, F)
    parts: list[Scalar] = []
    for i in chain.children(0):
        mass, moment = moments[i - 1]
        from_base = add(_base_to_first_frame(chain), F[i].s)  # to O_i, in E_0
        parts.append(dot(F[i].to_child(chain.g), moment) + mass * dot(chain.g, from_base))
    return -total(parts)


def _velocities(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]
) -> Iterator[tuple[Vector, Vector]]:
    """Yield the angular velocity of each link and the velocity of its O_i, in E_i."""
    motions: list[Six] = [[*ZERO, *ZERO]]
    for i, (link, rate, F) in enumerate(zip(chain.links, qd, frames(chain, q)[1:], strict=True), 1):
        motion = motion_to_child(F, motions[chain.parent(i)])
        motion[axis(link)] = motion[axis(link)] + rate
        motions.append(motion)
        yield halves(motion)


def _quadratic(I: Symmetric, w: Vector) -> Scalar:
    """Return w . I w; twice an off-diagonal entry is a constant."""
    xx, xy, xz, yy, yz, zz = I
    x, y, z = w
    return (
        x * (xx * x + (xy + xy) * y + (xz + xz) * z) + y * (yy * y + (yz + yz) * z) + zz * (z * z)
    )


def _base_to_first_frame(chain: Chain) -> Vector:
    """Return the vector from the origin of the base frame to O_0, in E_0."""
    T = chain.base
    # written out: from Python 3.12 on `sum` rounds floats differently
    x, y, z = (T[0][k] * T[0][3] + T[1][k] * T[1][3] + T[2][k] * T[2][3] for k in range(3))
    return (x, y, z)
