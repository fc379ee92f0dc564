"""Moments of the composite bodies by second moments: Table VII of [LinFang1999] with fewer sums.

The second-moment matrix Q = tr(J)/2 1 - J of a body changes under a shift in fewer entries than its
inertia J: a shift along x touches the first row only. Q_i = W_i + N_i as Jhat_i = U_i + V_i there, W
constant; mhat, k, l, chat as in `inertia_constants` and `table_vii`. For s = r+1: every body from
joint s on is needed whole, and of body r only the inertia about its axis.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, frame
from armdyn.algorithms.inertia_constants import Body, inertia_constants, link_bodies
from armdyn.algorithms.structure import Structure
from armdyn.algorithms.table_vii import Composite, varying_first_moment
from armdyn.algorithms.vector import (
    ZERO, ZERO_SYMMETRIC, add, add_symmetric, clean, outer, scale, scale_symmetric, second_moment,
    square,
)  # fmt: skip
from armdyn.robot import Chain, Symmetric, Vector
from armdyn.scalar import Scalar


def second_moment_composites(
    chain: Chain, F: Sequence[Frame], structure: Structure
) -> dict[int, Composite]:
    """Return the composite bodies i = 1..n of an arm with s = r+1."""
    n, r, s = chain.n, structure.r, structure.s
    K = inertia_constants(chain, link_bodies(chain))
    W = _constants(chain, K)
    found: dict[int, Composite] = {}
    l, N, X = ZERO, ZERO_SYMMETRIC, ZERO_SYMMETRIC
    for i in range(n, r, -1):
        if i < n:
            l = varying_first_moment(F[i + 1], found[i + 1], l)
            N = _beside(F[i + 1].b, l, F[i + 1].up_symmetric(X))
        found[i] = _complete(F[i], K[i], W[i], l, N)
        X = _about_foot(F[i], W[i], found[i], l, N)
    if s <= n:
        l = varying_first_moment(F[s], found[s], l)
        J33 = _last(F[s], found[s].J[2], W[s], X, l, W[s][0] - W[s][3] + N[0] - N[3]) + (W[r][0] + W[r][3])
    else:
        J33 = W[r][0] + W[r][3]
    found[r] = Composite(True, c=add(K[r].k, l), J=(0.0, 0.0, J33), tau=J33)
    for i in range(1, r):
        found[i] = Composite(False, m=K[i].m)
    return found


def _constants(chain, K):
    n = chain.n
    links = {i: second_moment(b.U) for i, b in link_bodies(chain).items()}
    W = {n: links[n]}
    for i in range(n - 1, 0, -1):
        p, Kp, Wp = frame(chain[i + 1], 0.0), K[i + 1], W[i + 1]
        B: Vector = (p.b, 0.0, 0.0)
        if p.rotational:
            d = p.d
            inner = (Wp[3], 0.0, 0.0, Wp[3], 0.0, Wp[5] + 2.0 * d * Kp.k[2] + Kp.m * d * d)
            k = scale(Kp.k[2] + Kp.m * d, p.z)
            e = p.z
            turned = add_symmetric((inner[0], 0.0, 0.0, inner[0], 0.0, inner[0]), scale_symmetric(inner[5] - inner[0], square(e)))
        else:
            k, turned = p.up(Kp.k), p.up_symmetric(Wp)
        terms = [links[i], turned, outer(B, k), scale_symmetric(Kp.m, square(B))]
        total = clean(add_symmetric(*terms), (x for t in terms for x in t))
        W[i] = tuple(total)
    return W


def _complete(F, K, W, l, N):
    c = add(K.k, l)
    if not F.rotational:
        return Composite(False, m=K.m, c=c)
    return Composite(True, c=c, J=(-(W[2] + N[2]), -(W[4] + N[4]), (N[0] + N[3]) + (W[0] + W[3])))


def _about_foot(F, W, body, l, N):
    d = F.d
    cx, cy, cz = body.c
    N11, N12, N13, N22, N23, N33 = N
    if F.rotational:
        (w,) = clean([W[0] - W[3]], [W[0], W[3]])
        return (N11 + w, N12 + W[1], (W[2] + N13) + d * cx, N22, (W[4] + N23) + d * cy, N33 + (2.0 * d) * l[2])
    return (N11, N12, N13 + d * cx, N22, N23 + d * cy, N33 + d * (body.m * d + 2.0 * cz))


def _beside(b, l, Y):
    Y11, Y12, Y13, Y22, Y23, Y33 = Y
    return (Y11 + (2.0 * b) * l[0], Y12 + b * l[1], Y13 + b * l[2], Y22, Y23, Y33)


def _last(p, J33, W, X, l, difference):
    X11, X12, X13, X22, X23, X33 = X
    C, S, Cb, Sb = p.C, p.S, p.Cb, p.Sb
    Z22 = X22 + S * (S * (X11 - X22) + C * (2.0 * X12))
    A5 = S * X13 + C * X23
    return (J33 - 2.0 * W[3]) + (Sb * Sb) * (X33 - Z22) - (2.0 * Sb * Cb) * A5 + (2.0 * p.b) * l[0]
