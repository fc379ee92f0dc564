"""Vectors whose z component is held as a constant times a number: fewer products where they turn.

A turn about z mixes x and y only, and everything else that is done to a z component multiplies it
by constants of the geometry. So the z component of R_i v may be left without its first factor:

    Sb t + Cb z = Sb (t + (Cb/Sb) z)

The constants that follow take that factor in, and one product of eight is saved. The unit is the
same for all vectors brought to a frame from the same side.
"""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.algorithms.frame import Frame
from armdyn.robot.chain import Vector
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class ScaledZ:
    """A vector (x, y, unit * part) in some frame."""

    x: Scalar
    y: Scalar
    part: Scalar
    unit: float = 1.0

    @property
    def z(self) -> Scalar:
        """The z component; costs a product unless a constant multiplies it."""
        return self.unit * self.part


def plain(v: Vector) -> ScaledZ:
    """Return a vector in the frame's own unit."""
    return ScaledZ(v[0], v[1], v[2])


def to_parent(F: Frame, v: ScaledZ, scaled: bool = True) -> ScaledZ:
    """Return R_i v; 7M 4A if `scaled` is granted, 8M 4A in the frame's own unit."""
    if F.Sg:
        return plain(F.to_parent((v.x, v.y, v.z)))
    t = F.S * v.x + F.C * v.y
    part, unit = _factored(F.Sb, t, F.Cb, v.z) if scaled else (F.Sb * t + F.Cb * v.z, 1.0)
    return ScaledZ(F.C * v.x - F.S * v.y, F.Cb * t - F.Sb * v.z, part, unit)


def to_child(F: Frame, v: ScaledZ, scaled: bool = True) -> ScaledZ:
    """Return R_i^T v; cost as for `to_parent`."""
    if F.Sg:
        return plain(F.to_child((v.x, v.y, v.z)))
    t = F.Cb * v.y + F.Sb * v.z
    part, unit = _factored(-F.Sb, v.y, F.Cb, v.z) if scaled else (F.Cb * v.z - F.Sb * v.y, 1.0)
    return ScaledZ(F.C * v.x + F.S * t, F.C * t - F.S * v.x, part, unit)


def dot(u: ScaledZ, v: ScaledZ) -> Scalar:
    """Return u . v, with the unit multiplied to v's z component if only u has one, else to u's."""
    last = u.part * (u.unit * v.part) if v.unit == 1.0 else (v.unit * u.z) * v.part
    return (u.x * v.x + u.y * v.y) + last


def _factored(a: float, x: Scalar, b: float, y: Scalar) -> tuple[Scalar, float]:
    """Return part and unit of a x + b y."""
    return (x + (b / a) * y, a) if a else (y, b)
