"""Moments of the composite bodies from the minimal set alone: Table VII of [LinFang1999].

The first moment of composite body i (links i..n) about O_i is chat_i = k_i + l_i, its inertia
Jhat_i = U_i + V_i; k, U are constants, l, V depend on the joints beyond i. Of the constants only
values of the minimal set S are read. Before joint s not all of chat_i, Jhat_i follows from S, nor
is it needed: there the moments about w_i = u_r in E_i suffice, and V^r_i is w_i . V_i w_i.

Corrected: (40) and its line in Table VII have -2 w_z w_x l_x - 2 w_z w_y l_y, and (40) has
1 - w_z^2 and 1 - w_x^2 as Table VII does, not squares of differences. Cheaper than printed are
R X R^T, Y_33 at i = s-1, l_i (see `scaled_z`), and V^r_i between parallel rotational joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.composite import Composite
from armdyn.algorithms.frame import Frame
from armdyn.algorithms.lin_1994 import varying_first_moment
from armdyn.algorithms.minimal_set import MinimalSet
from armdyn.algorithms.structure import Direction, Structure, is_along_z
from armdyn.algorithms.vector import ZERO, ZERO_SYMMETRIC, add
from armdyn.robot.chain import Symmetric, Vector
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class AxialComposite(Composite):
    """What the inertia matrix needs of composite body i; the rest is zero.

    Rotational i: the first moment (x and y only) and the third column of the inertia (for i < s
    only its last entry). Translational i: the mass and, for i > s, the first moment. `tau`: for
    r <= i < s the moment about u_r that a unit acceleration of joint i takes, (29).
    """

    m: Scalar = 0.0
    c: Vector = ZERO
    J: Symmetric = ZERO_SYMMETRIC
    tau: Scalar = 0.0


def minimal_composites(
    F: Sequence[Frame], structure: Structure, S: MinimalSet
) -> list[AxialComposite]:
    """Return the composite bodies i = 1..n where the frames F are; entry 0 is empty."""
    n, r, s = len(F) - 1, structure.r, structure.s
    found = [AxialComposite(S[i, "mhat"]) if i else AxialComposite() for i in range(n + 1)]
    l, V, X = {n: ZERO}, {n: ZERO_SYMMETRIC}, dict[int, Symmetric]()
    for i in range(n, s - 1, -1):
        if i < n:
            l[i] = varying_first_moment(F[i + 1], found[i + 1].m, found[i + 1].c, l[i + 1])
            V[i] = _beside(F[i + 1].b, l[i], F[i + 1].symmetric_to_parent(X[i + 1]))
        found[i] = _complete(S, i, l[i], V[i])
        X[i] = _about_foot(F[i], S, i, found[i], l[i], V[i])
    Vr: dict[int, Scalar] = {n: 0.0}
    for i in range(s - 1, r - 1, -1):
        w = structure.w[i]
        if i < n:
            p, body = F[i + 1], found[i + 1]
            l[i] = varying_first_moment(p, body.m, body.c, l[i + 1])
            beside = _beside_axis(p.b, w, l[i])
            if i + 1 == s:
                difference = V[s][0] + S[s, "U11-U22"] - V[s][3]
                Vr[i] = _turned(p, w, X[s], difference) + beside
            elif p.rotational and F[i].rotational:
                # half and half, since the first sum is the matrix element D_{i,i+1}
                Vr[i] = (body.J3[2] + p.b * l[i][0]) + p.b * l[i][0]
            elif p.rotational:
                Vr[i] = body.J3[2] + beside
            else:
                kappa2 = S[i + 1, "kappa2"]
                Vr[i] = (
                    Vr[i + 1] + _slid(p, structure.w[i + 1], body.m, l[i + 1], kappa2)
                ) + beside
        found[i] = _about_axis(F[i], S, i, w, l[i], Vr[i])
    return found


def _complete(S: MinimalSet, i: int, l: Vector, V: Symmetric) -> AxialComposite:
    """Return composite body i >= s. (22), (23)."""
    c = add((S[i, "kx"], S[i, "ky"], S[i, "kz"]), l)
    J = third_column(S[i, "U13"] + V[2], S[i, "U23"] + V[4], S[i, "U33"] + V[5])
    return AxialComposite(S[i, "mhat"], c, J)


def third_column(J13: Scalar, J23: Scalar, J33: Scalar) -> Symmetric:
    """Return an inertia with only its third column set; the rest is not needed."""
    return (0.0, 0.0, J13, 0.0, J23, J33)


def _about_foot(
    F: Frame, S: MinimalSet, p: int, body: AxialComposite, l: Vector, V: Symmetric
) -> Symmetric:
    """Return X: what varies of the inertia of body p about O_p shifted by -d_p. (34), (35)."""
    d, (cx, cy, cz) = F.d, body.c
    V11, V12, V13, V22, V23, V33 = V
    if F.rotational:
        e = (2.0 * d) * l[2]
        J13, J23, J33 = body.J3
        X11 = V11 + S[p, "U11-U22"] + e
        return (X11, V12 + S[p, "U12"], J13 - d * cx, V22 + e, J23 - d * cy, J33)
    e = d * (body.m * d + 2.0 * cz)
    return (V11 + e, V12, V13 - d * cx, V22 + e, V23 - d * cy, V33)


def _beside(b: Scalar, l: Vector, Y: Symmetric) -> Symmetric:
    """Return V_i, shifted along x_i by b = b_{i+1}. (34), (35)."""
    Y11, Y12, Y13, Y22, Y23, Y33 = Y
    e = (2.0 * b) * l[0]
    return (Y11, Y12 - b * l[1], Y13 - b * l[2], Y22 + e, Y23, Y33 + e)


def _turned(p: Frame, w: Direction, X: Symmetric, difference: Scalar) -> Scalar:
    """Return Y_33 = u_r . X u_r in E_s; w is u_r in E_{s-1}, `difference` X11 - X22. (39), (55)."""
    _, X12, X13, X22, X23, X33 = X
    C, S, Cb, Sb = p.C, p.S, p.Cb, p.Sb
    if (
        is_along_z(w) and not p.Sg
    ):  # shares X13, X23 turned by theta with the matrix element D_{s-1,s}
        Z22 = X22 + S * (S * difference + C * (2.0 * X12))  # entry yy of X turned by theta
        return (Sb * Sb) * Z22 + (2.0 * Sb * Cb) * (S * X13 + C * X23) + (Cb * Cb) * X33
    g = w[1] * Cb + w[2] * Sb
    x, y, z = w[0] * C + g * S, g * C - w[0] * S, w[2] * Cb - w[1] * Sb
    if p.Sg:
        x, y, z = p.to_child(w)
    turned = (1.0 - z * z) * X22 + x * (x * difference + y * (2.0 * X12))
    return turned + (2.0 * z) * (x * X13 + y * X23) + (z * z) * X33


def _slid(p: Frame, w: Direction, m: Scalar, l: Vector, kappa2: Scalar) -> Scalar:
    """Return what the slide d_p of body p adds to its inertia about u_r. (40), corrected."""
    wx, wy, wz = w
    across = 1.0 - wz * wz
    return p.d * (
        2.0 * kappa2 + across * (m * p.d + 2.0 * l[2])
        - (2.0 * wz * wx) * l[0] - (2.0 * wz * wy) * l[1]
    )  # fmt: skip


def _beside_axis(b: Scalar, w: Direction, l: Vector) -> Scalar:
    """Return what the shift b along x_i adds to the inertia about u_r. (38), (40), corrected."""
    wx, wy, wz = w
    e = 2.0 * b
    return (e * (1.0 - wx * wx)) * l[0] - (e * (wx * wy)) * l[1] - (e * (wx * wz)) * l[2]


def _about_axis(
    F: Frame, S: MinimalSet, i: int, w: Direction, l: Vector, Vr: Scalar
) -> AxialComposite:
    """Return composite body r <= i < s. (29)."""
    if F.rotational:
        J33 = S[i, "U33"] + Vr
        c = (S[i, "kx"] + l[0], S[i, "ky"] + l[1], 0.0)
        return AxialComposite(0.0, c, third_column(0.0, 0.0, J33), w[2] * J33)
    tau = S[i, "kappa1"] - w[1] * l[0] + w[0] * l[1]
    return AxialComposite(S[i, "mhat"], tau=tau)
