"""R_i X R_i^T of a symmetric matrix as two turns of a plane.

A turn by an angle in a plane changes the sum of the plane's diagonal entries not at all, and the rest
through one number e; two turns, by theta_i about z and by beta_i about x, take 16M 15A. [Mata2002]
takes 22M 22A for the same. (`Frame.up_symmetric`, 17M 14A, trades one product for one sum.)
"""

from __future__ import annotations

from armdyn.algorithms.frame import Frame
from armdyn.robot import Symmetric
from armdyn.scalar import Scalar


def up_symmetric(F: Frame, X: Symmetric) -> Symmetric:
    """Return R_i X R_i^T; 16M 15A."""
    return _turned_about_x(_turned_about_z(X, F.C, F.S), F.Cb, F.Sb)


def _turned_about_z(X: Symmetric, c: Scalar, s: Scalar) -> Symmetric:
    xx, xy, xz, yy, yz, zz = X
    e = s * (xx - yy) + c * (xy + xy)
    return (xx - s * e, c * e - xy, c * xz - s * yz, yy + s * e, s * xz + c * yz, zz)


def _turned_about_x(X: Symmetric, c: float, s: float) -> Symmetric:
    xx, xy, xz, yy, yz, zz = X
    e = s * (yy - zz) + (2.0 * c) * yz
    return (xx, c * xy - s * xz, s * xy + c * xz, yy - s * e, c * e - yz, zz + s * e)
