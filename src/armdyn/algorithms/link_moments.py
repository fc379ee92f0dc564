"""Moments of mass of the links, and their regrouping onto fewer links: all of it offline.

m, h, K are the integrals of dm, r dm and r r^T dm over a link, r from O_i, in E_i. K is the Euler
tensor J of [Mata2002] moved from the centre of mass to O_i; the inertia about O_i is tr(K) 1 - K.
Moments simply add when bodies are joined, and shift and turn as those of a set of points do.
"""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.algorithms.frame import frame
from armdyn.algorithms.vector import (
    ZERO,
    ZERO_SYMMETRIC,
    add_symmetric,
    clean_sum,
    clean_symmetric,
    outer,
    scale,
    scale_symmetric,
    second_moment,
    square,
    trace_minus,
)
from armdyn.robot.chain import Chain, Link, Symmetric, Vector
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class Moments:
    """Mass, first and second moments of a body about the origin of a frame, in its axes."""

    m: Scalar
    h: Vector
    K: Symmetric


NO_MOMENTS = Moments(0.0, ZERO, ZERO_SYMMETRIC)


def moments(link: Link) -> Moments:
    """Return the moments of a link about O_i: h = m c, K = tr(I)/2 1 - I + m c c^T."""
    central, steiner = second_moment(link.I), scale_symmetric(link.m, square(link.c))
    K = clean_symmetric(add_symmetric(central, steiner), trace_minus(link.I), steiner)
    return Moments(link.m, scale(link.m, link.c), K)


def regrouped(chain: Chain) -> list[Moments]:
    """Return the moments of links i = 1..n, with parts that can belong to the parent moved to it.

    Mass on the axis of a revolute joint moves with the link before it too: m, h_z, K_zz of link i
    go there and leave zeros. The second moments of a link that slides, never turning, go there
    whole. What reaches the base is dropped: it is fixed. The torques of every motion stay the same,
    though a link need no longer be physically possible. Entry 0, of the base, is zero.
    """
    M = [NO_MOMENTS, *map(moments, chain.links)]
    for i in range(chain.n, 0, -1):
        if chain[i].fixed:
            kept, moved = NO_MOMENTS, M[i]
        else:
            kept, moved = _split_axis(M[i]) if chain[i].rotational else _split_K(M[i])
        M[i] = kept
        if p := chain.parent(i):
            M[p] = _joined(M[p], _in_previous(chain[i], moved))
    return M


def _split_axis(M: Moments) -> tuple[Moments, Moments]:
    """Split the moments of a turning link into what stays and what lies on its axis."""
    (hx, hy, hz), (xx, xy, xz, yy, yz, zz) = M.h, M.K
    kept = Moments(0.0, (hx, hy, 0.0), (xx, xy, xz, yy, yz, 0.0))
    return kept, Moments(M.m, (0.0, 0.0, hz), (0.0, 0.0, 0.0, 0.0, 0.0, zz))


def _split_K(M: Moments) -> tuple[Moments, Moments]:
    """Split the moments of a sliding link into m, h, which slide, and K, which can stay behind."""
    return Moments(M.m, M.h, ZERO_SYMMETRIC), Moments(0.0, ZERO, M.K)


def _in_previous(link: Link, M: Moments) -> Moments:
    """Return moments that the joint's motion does not change, about O_{i-1} in E_{i-1}."""
    at_rest = frame(link, 0.0)
    h, s = at_rest.to_parent(M.h), at_rest.s
    terms = at_rest.constant_to_parent(M.K), outer(h, s), scale_symmetric(M.m, square(s))
    K = clean_symmetric(add_symmetric(*terms), *terms)
    return Moments(M.m, clean_sum(h, scale(M.m, s)), K)


def _joined(A: Moments, B: Moments) -> Moments:
    """Return the moments of two bodies taken as one."""
    K = clean_symmetric(add_symmetric(A.K, B.K), A.K, B.K)
    return Moments(A.m + B.m, clean_sum(A.h, B.h), K)
