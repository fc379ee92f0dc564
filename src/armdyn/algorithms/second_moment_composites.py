"""Moments of the composite bodies by second moments: Table VII of [LinFang1999] with fewer sums.

The second-moment matrix Q = tr(J)/2 1 - J of a body changes in fewer entries than its inertia J
when it is shifted along an axis: one row only. Q_i = W_i + N_i stands for Jhat_i = U_i + V_i there;
W is constant, N depends on the joints beyond i; mhat, k, l and chat are those of
`inertia_constants` and `table_vii`. For arms with s = r+1 (see `structure`): every body from joint
s on is needed whole, and of body r only the inertia about its axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armdyn.algorithms.frame import Frame, frame
from armdyn.algorithms.inertia_constants import Body, inertia_constants, link_bodies
from armdyn.algorithms.lin_1994 import varying_first_moment
from armdyn.algorithms.link_moments import moments
from armdyn.algorithms.structure import Structure
from armdyn.algorithms.table_vii import AxialComposite, third_column
from armdyn.algorithms.vector import (
    ZERO,
    ZERO_SYMMETRIC,
    add,
    add_symmetric,
    apply,
    clean,
    clean_symmetric,
    dot,
    is_zero,
    outer,
    scale,
    scale_symmetric,
    square,
)
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar


def second_moment_composites(
    chain: Chain, F: Sequence[Frame], structure: Structure
) -> list[AxialComposite]:
    """Return the composite bodies i = 1..n of an arm with s = r+1; entry 0 is empty."""
    n, r, s = chain.n, structure.r, structure.s
    constants = inertia_constants(chain, link_bodies(chain))
    W = _second_moment_constants(chain, constants)
    found = [AxialComposite(constants[i].m) if i else AxialComposite() for i in range(n + 1)]
    l, N, X = {n: ZERO}, {n: ZERO_SYMMETRIC}, dict[int, Symmetric]()
    for i in range(n, r, -1):
        if i < n:
            l[i] = varying_first_moment(F[i + 1], found[i + 1].m, found[i + 1].c, l[i + 1])
            N[i] = _beside(F[i + 1].b, l[i], F[i + 1].symmetric_to_parent(X[i + 1]))
        Q = add_symmetric(N[i], _kept(W[i])) if F[i].rotational else N[i]
        J3 = third_column(-Q[2], -Q[4], (N[i][0] + N[i][3]) + (W[i][0] + W[i][3]))
        found[i] = AxialComposite(constants[i].m, add(constants[i].k, l[i]), J3)
        X[i] = _about_foot(F[i], found[i], l[i], Q)
    inertia = W[r][0] + W[r][3]
    if s <= n:
        l[r] = varying_first_moment(F[s], found[s].m, found[s].c, l[s])
        inertia = (found[s].J3[2] + (inertia - 2.0 * W[s][3])) + _turned(F[s], l[r], X[s])
    c, J = add(constants[r].k, l[r]), third_column(0.0, 0.0, inertia)
    found[r] = AxialComposite(constants[r].m, c, J, inertia)
    return found


def _second_moment_constants(chain: Chain, constants: Mapping[int, Body]) -> dict[int, Symmetric]:
    """Return W_i, i = 1..n; a rotational joint hands W_22, as xx and yy, and W_33 down."""
    n = chain.n
    links = {i: moments(link).K for i, link in enumerate(chain.links, 1)}
    W = {n: links[n]}
    for i in range(n - 1, 0, -1):
        p, body = frame(chain[i + 1], 0.0), constants[i + 1]
        b: Vector = (p.b, 0.0, 0.0)
        if p.rotational:
            along = W[i + 1][5] + p.d * (2.0 * body.k[2] + body.m * p.d)
            k, turned = scale(body.k[2] + body.m * p.d, p.z), _round(W[i + 1][3], along, p.z)
        else:
            k, turned = p.to_parent(body.k), p.constant_to_parent(W[i + 1])
        terms = [links[i], turned, outer(b, k), scale_symmetric(body.m, square(b))]
        W[i] = clean_symmetric(add_symmetric(*terms), *terms)
    return W


def _round(across: Scalar, along: Scalar, z: Vector) -> Symmetric:
    """Return the second moments of a body round about z: a turn about z does not change them."""
    x, c, s = z  # an axis of the next joint is across x, unless it is tilted
    if not is_zero(x):
        outside = scale_symmetric(along - across, square(z))
        return add_symmetric((across, 0.0, 0.0, across, 0.0, across), outside)
    yy, zz = c * c * along + s * s * across, s * s * along + c * c * across
    return (across, 0.0, 0.0, yy, c * s * (along - across), zz)


def _kept(W: Symmetric) -> Symmetric:
    """Return the part of W that is not handed down."""
    xx, xy, xz, yy, yz, _ = W
    (difference,) = clean([xx - yy], [xx, yy])
    return (difference, xy, xz, 0.0, yz, 0.0)


def _about_foot(F: Frame, body: AxialComposite, l: Vector, Q: Symmetric) -> Symmetric:
    """Return Q about O_i shifted by -d_i."""
    (cx, cy, cz), d = body.c, F.d
    Q11, Q12, Q13, Q22, Q23, Q33 = Q
    along = (2.0 * d) * l[2] if F.rotational else d * (cz + (cz + body.m * d))
    return (Q11, Q12, Q13 + d * cx, Q22, Q23 + d * cy, Q33 + along)


def _beside(b: Scalar, l: Vector, Q: Symmetric) -> Symmetric:
    """Return Q shifted along x_i by b = b_{i+1}."""
    Q11, Q12, Q13, Q22, Q23, Q33 = Q
    return (Q11 + (2.0 * b) * l[0], Q12 + b * l[1], Q13 + b * l[2], Q22, Q23, Q33)


def _turned(p: Frame, l: Vector, X: Symmetric) -> Scalar:
    """Return what the inertia about z_r has beyond that about z_s and the constant.

    Z22 and A5 are entries yy and yz of X turned by theta_s; A5 is named as in [LinFang1999] (51).
    """
    X11, X12, X13, X22, X23, X33 = X
    C, S, Cb, Sb = p.C, p.S, p.Cb, p.Sb
    if p.Sg:
        u = p.z_previous
        return X33 - dot(u, apply(X, u)) + (2.0 * p.b) * l[0]
    Z22 = X22 + S * (S * (X11 - X22) + C * (2.0 * X12))
    A5 = S * X13 + C * X23
    return (Sb * Sb) * (X33 - Z22) - (2.0 * Sb * Cb) * A5 + (2.0 * p.b) * l[0]
