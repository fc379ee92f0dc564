"""Kinetic and potential energy."""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import frames
from armdyn.algorithms.lin_1994 import first_moments
from armdyn.algorithms.spatial import Six, axis, halves, motion_down
from armdyn.algorithms.vector import ZERO, add, cross, dot
from armdyn.robot import Chain, Symmetric, Vector
from armdyn.scalar import Scalar


def kinetic_energy(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Scalar:
    """Return half the sum of m v.v + w.I w over the links and of Jm qd^2 over the rotors.

    w and v are the angular velocity of a link and the velocity of its centre of mass.
    """
    F = frames(chain, q)
    motion: Six = [*ZERO, *ZERO]  # angular and of O_i, in E_i
    twice: Scalar = 0.0
    for i in range(1, chain.n + 1):
        link, rate = chain[i], qd[i - 1]
        motion = motion_down(F[i], motion)
        motion[axis(link)] = motion[axis(link)] + rate
        w, v = halves(motion)
        v = add(v, cross(w, link.c))
        twice = twice + link.m * dot(v, v) + _quadratic(link.I, w) + link.Jm * (rate * rate)
    return 0.5 * twice


def potential_energy(chain: Chain, q: Sequence[Scalar]) -> Scalar:
    """Return minus the sum of m g.c over the links, c from the origin of the base frame.

    The first moment of all links about O_1 is that of composite body 1 of [Lin1994].
    """
    F = frames(chain, q)
    mass, moment = first_moments(chain, F)[0]
    from_base = add(_base_to_first_frame(chain), F[1].s)  # to O_1, in E_0
    return -(dot(F[1].down(chain.g), moment) + mass * dot(chain.g, from_base))


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
    x, y, z = (sum(T[row][col] * T[row][3] for row in range(3)) for col in range(3))
    return (x, y, z)
