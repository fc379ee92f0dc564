"""R_i X R_i^T of a symmetric matrix as two turns of a plane.

A turn in a plane leaves the sum of the plane's two diagonal entries alone and changes the rest of
the plane through one number e. Two turns, by theta_i about z and by beta_i about x, take 16M 15A,
where [Mata2002] takes 22M 22A. (`Frame.up_symmetric`, 17M 14A, trades one product for one sum.)
"""

from __future__ import annotations

from armdyn.algorithms.frame import Frame
from armdyn.robot import Symmetric
from armdyn.scalar import Scalar


def up_symmetric(F: Frame, X: Symmetric) -> Symmetric:
    """Return R_i X R_i^T; 16M 15A."""
    return tilted(F, turned(F, X))


def turned(F: Frame, X: Symmetric) -> Symmetric:
    """Return Rz(theta_i) X Rz(theta_i)^T; 8M 8A."""
    xx, xy, xz, yy, yz, zz = X
    xx, xy, yy = _plane(xx, xy, yy, F.C, F.S)
    return (xx, xy, F.C * xz - F.S * yz, yy, F.S * xz + F.C * yz, zz)


def tilted(F: Frame, X: Symmetric) -> Symmetric:
    """Return Rx(beta_i) X Rx(beta_i)^T; 8M 7A."""
    xx, xy, xz, yy, yz, zz = X
    yy, yz, zz = _plane(yy, yz, zz, F.Cb, F.Sb)
    return (xx, F.Cb * xy - F.Sb * xz, F.Sb * xy + F.Cb * xz, yy, yz, zz)


def _plane(
    xx: Scalar, xy: Scalar, yy: Scalar, c: Scalar, s: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    """Turn [[xx, xy], [xy, yy]] by the angle of cosine c and sine s; 4M 6A, 5A if constant."""
    if isinstance(c, float) and isinstance(s, float):
        if c * s == 0.0:  # a right angle only moves the entries
            return (yy, -xy, xx) if c == 0.0 else (xx, xy, yy)
        double = (2.0 * c) * xy
    else:
        double = c * (xy + xy)
    e = s * (xx - yy) + double
    return (xx - s * e, c * e - xy, yy + s * e)
