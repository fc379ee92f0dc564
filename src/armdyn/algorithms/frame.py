"""One joint at one configuration: its rotation and shifts, in the cheapest known order.

Notation of [LinFang1999]: R_i takes components in E_i to E_{i-1}; b_i, beta_i, d_i, theta_i are the
normal driving-axis parameters; C, S, Cb, Sb are cosines and sines of theta_i and beta_i. R_i is
never formed: it is a turn about z by theta_i followed by one about x by beta_i. Between the two a
joint may have a tilt gamma_i, a turn about y, with cosine and sine Cg, Sg: see `Joint.tilt`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.vector import Matrix, clean_symmetric, is_zero
from armdyn.robot.chain import Chain, Link, Symmetric, Vector
from armdyn.scalar import Scalar, cos, sin


@dataclass(frozen=True)
class Frame:
    """Frame E_i as seen from E_{i-1}; of d and (C, S) one depends on q_i, the other is constant."""

    rotational: bool
    Cb: float
    Sb: float
    C: Scalar
    S: Scalar
    b: Scalar
    d: Scalar
    SbS: Scalar  # elements of R_i that some formulations read directly; the papers call them
    SbC: Scalar  # "on hand" and do not charge for them
    Cg: float = 1.0
    Sg: float = 0.0

    def to_parent(self, v: Vector) -> Vector:
        """Return R_i v: from E_i to E_{i-1}; 8M 4A. [LinFang1999] (2), in two turns."""
        x, y, z = v
        u, t = self.C * x - self.S * y, self.S * x + self.C * y
        if self.Sg:
            u, z = self.Cg * u + self.Sg * z, self.Cg * z - self.Sg * u
        return (u, self.Cb * t - self.Sb * z, self.Sb * t + self.Cb * z)

    def to_child(self, v: Vector) -> Vector:
        """Return R_i^T v: from E_{i-1} to E_i; 8M 4A."""
        x, y, z = v
        t, z = self.Cb * y + self.Sb * z, self.Cb * z - self.Sb * y
        if self.Sg:
            x, z = self.Cg * x - self.Sg * z, self.Sg * x + self.Cg * z
        return (self.C * x + self.S * t, self.C * t - self.S * x, z)

    def arm(self, s: Vector) -> Vector:
        """Return O_j -> O_i in E_i from s = O_j -> O_{i-1} in E_{i-1}; 8M 6A."""
        x, y, z = self.to_child((s[0] + self.b, s[1], s[2]))
        return (x, y, z + self.d)

    def symmetric_to_parent(self, X: Symmetric) -> Symmetric:
        """Return R_i X R_i^T; 16M 15A, where [LinFang1999] (41)-(54) takes 18M 14A."""
        return self.tilted(self.turned(X))

    def constant_to_parent(self, X: Symmetric) -> Symmetric:
        """Return R_i X R_i^T of an offline matrix, with rounding residues of zeros removed."""
        turned = self.symmetric_to_parent(X)
        square = self.Cb * self.Sb == 0.0 == self.Sg
        if square and (self.rotational or is_zero(self.C) or is_zero(self.S)):
            return turned
        size = max((abs(x) for x in X if isinstance(x, float)), default=0.0)
        return clean_symmetric(turned, (size, 0.0, 0.0, size, 0.0, size))

    def turned(self, X: Symmetric) -> Symmetric:
        """Return Rz(theta_i) X Rz(theta_i)^T; 8M 8A."""
        xx, xy, xz, yy, yz, zz = X
        if self.rotational:
            xx, xy, yy = _plane(xx, xy, yy, self.C, self.S)
        else:
            xx, xy, yy = _constant_plane(xx, xy, yy, self.C, self.S)
        return (xx, xy, self.C * xz - self.S * yz, yy, self.S * xz + self.C * yz, zz)

    def tilted(self, X: Symmetric) -> Symmetric:
        """Return Rx(beta_i) X Rx(beta_i)^T; 8M 7A, nothing for a right angle."""
        xx, xy, xz, yy, yz, zz = X
        if self.Sg:
            zz, xz, xx = _constant_plane(zz, xz, xx, self.Cg, self.Sg)
            xy, yz = self.Cg * xy + self.Sg * yz, self.Cg * yz - self.Sg * xy
        yy, yz, zz = _constant_plane(yy, yz, zz, self.Cb, self.Sb)
        return (xx, self.Cb * xy - self.Sb * xz, self.Sb * xy + self.Cb * xz, yy, yz, zz)

    @property
    def s(self) -> Vector:
        """s_i = O_{i-1} -> O_i, in E_{i-1}. [LinFang1999] (1), where theta_i stands for beta_i."""
        if self.Sg:
            x, y, z = self.z
            return (self.b + self.d * x, self.d * y, self.d * z)
        return (self.b, -(self.d * self.Sb), self.d * self.Cb)

    @property
    def s_own(self) -> Vector:
        """s_i in E_i."""
        if self.Sg:
            x, y, z = self.to_child((self.b, 0.0, 0.0))
            return (x, y, z + self.d)
        return (self.b * self.C, -(self.b * self.S), self.d)

    @property
    def z_previous(self) -> Vector:
        """u_{i-1} in E_i: the axis of joint i-1."""
        if self.Sg:
            return self.to_child((0.0, 0.0, 1.0))
        return (self.SbS, self.SbC, self.Cb)

    @property
    def z(self) -> Vector:
        """u_i in E_{i-1}: the axis of joint i (constant)."""
        if self.Sg:
            return (self.Sg, -(self.Sb * self.Cg), self.Cb * self.Cg)
        return (0.0, -self.Sb, self.Cb)


def frame(link: Link, q: Scalar) -> Frame:
    """Place one joint."""
    C, S, d = _turn(link, q) if link.rotational else (link.C0, link.S0, _slide(link, q))
    Cb, Sb = link.Cb, link.Sb
    halves = Sb * S, Sb * C
    return Frame(link.rotational, Cb, Sb, C, S, link.b, d, *halves, link.Cg, link.Sg)


def frames(chain: Chain, q: Sequence[Scalar]) -> list[Frame]:
    """Place every joint: F[i] for i = 1..n; F[0] is the base, which never moves."""
    base = Frame(False, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, SbS=0.0, SbC=0.0)
    return [base, *(frame(link, qi) for link, qi in zip(chain.links, q, strict=True))]


def diagonal_with_rotors(D: Matrix, chain: Chain) -> Matrix:
    """Return the matrix with the rotor inertias Jm_i added to its diagonal."""
    return [
        [x + chain[i + 1].Jm if i == j else x for j, x in enumerate(row)] for i, row in enumerate(D)
    ]


def _plane(
    xx: Scalar, xy: Scalar, yy: Scalar, c: Scalar, s: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    """Turn [[xx, xy], [xy, yy]] by the angle of cosine c and sine s; 4M 6A.

    A turn leaves xx + yy alone and changes the rest through one number e.
    """
    return _changed(xx, xy, yy, c, s, double=c * (xy + xy))


def _constant_plane(
    xx: Scalar, xy: Scalar, yy: Scalar, c: Scalar, s: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    """Turn by an angle of the geometry; 4M 5A, nothing for a right angle, which moves entries.

    Apart from `_plane` because an angle that depends on q may happen to be a right one: the choice
    must be the same for a number and for an unknown.
    """
    if c == 0.0 or s == 0.0:
        return (yy, -xy, xx) if c == 0.0 else (xx, xy, yy)
    return _changed(xx, xy, yy, c, s, double=(2.0 * c) * xy)


def _changed(
    xx: Scalar, xy: Scalar, yy: Scalar, c: Scalar, s: Scalar, double: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    e = s * (xx - yy) + double
    return (xx - s * e, c * e - xy, yy + s * e)


def _turn(link: Link, q: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    C0, S0 = link.C0, link.S0
    if C0 * S0 == 0.0:  # theta_0 is a multiple of pi/2: exact, and no addition
        return C0 * cos(q) - S0 * sin(q), S0 * cos(q) + C0 * sin(q), link.d
    return cos(q + link.theta), sin(q + link.theta), link.d


def _slide(link: Link, q: Scalar) -> Scalar:
    return q + link.d
