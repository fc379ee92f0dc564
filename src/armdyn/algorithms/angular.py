"""Turning of the links: angular velocities, accelerations, and the matrix that both make.

Notation of [Mata2002], section 4.1: w_i, wd_i angular velocity and acceleration of link i in E_i;
Omega_i = [wd_i x] + [w_i x]^2, with which a point at r of link i has the acceleration Omega_i r
relative to O_i. (12) is printed without the dot over the first w. R and P joints are mixed here.
"""

from __future__ import annotations

from armdyn.algorithms.frame import Frame
from armdyn.algorithms.vector import ZERO, Rows
from armdyn.robot.chain import Symmetric, Vector
from armdyn.scalar import Scalar

ZERO_MATRIX: Rows = (ZERO, ZERO, ZERO)


def turning(F: Frame, w: Vector, wd: Vector, qd: Scalar, qdd: Scalar) -> tuple[Vector, Vector]:
    """Return w_i, wd_i from those of link i-1; 18M 12A."""
    w, wd = F.to_child(w), F.to_child(wd)
    if not F.rotational:
        return w, wd
    wd = (wd[0] + w[1] * qd, wd[1] - w[0] * qd, wd[2] + qdd)
    return (w[0], w[1], w[2] + qd), wd


def omega_matrix(w: Vector, wd: Vector) -> Rows:
    """Return Omega = [wd x] + [w x]^2; 6M 9A. [Mata2002] (12), corrected."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return (
        (-(yy + zz), xy - wd[2], xz + wd[1]),
        (xy + wd[2], -(xx + zz), yz - wd[0]),
        (xz - wd[1], yz + wd[0], -(xx + yy)),
    )


def euler(O: Rows, K: Symmetric) -> Vector:
    """Return the vector of the skew matrix Omega K - (Omega K)^T; 15M 15A. [Mata2002] (10).

    K is the second-moment matrix of a body; the vector is the moment of its inertial forces,
    I wd + w x I w in terms of the inertia I = tr(K) 1 - K.
    """
    (O11, O12, O13), (O21, O22, O23), (O31, O32, O33) = O
    K11, K12, K13, K22, K23, K33 = K
    return (
        (O33 - O22) * K23 + O32 * K22 - O23 * K33 + O31 * K12 - O21 * K13,
        (O11 - O33) * K13 + O13 * K33 - O31 * K11 + O12 * K23 - O32 * K12,
        (O22 - O11) * K12 + O21 * K11 - O12 * K22 + O23 * K13 - O13 * K23,
    )


def sliding(F: Frame, w: Vector, qd: Scalar, qdd: Scalar) -> Vector:
    """Return what joint i itself adds to the acceleration of O_i, in E_i: nothing if it turns."""
    if F.rotational:
        return ZERO
    twice = qd + qd
    return (w[1] * twice, -(w[0] * twice), qdd)
