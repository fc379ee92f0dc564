"""Joints r and s, and the axis of joint r where it stands still: what geometry alone decides.

Notation of [LinFang1999]: u_i is the axis of joint i. Joint r is the first rotational joint, joint
s the first rotational joint after it whose axis is not parallel to u_r (n+1 if there is none).
Every rotational joint before s turns about u_r, so w[i] = u_r in E_i is constant for i < s; it is
(0, 0, +-1) in the frame of a joint parallel to u_r. delta[i] says whether the first moments k_x,
k_y of a rotational joint r <= i < s can be seen in any torque (Theorem 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeAlias

from armdyn.algorithms.frame import frame
from armdyn.algorithms.vector import cross
from armdyn.robot.chain import Chain, Link
from armdyn.scalar import Scalar

Direction: TypeAlias = tuple[float, float, float]

# Sines of angles between axes, and distances [m], below this are zero: sums of twists that cancel
# leave rounding behind. As small as the angle that a chain takes for a right one, so that what is
# called parallel here is parallel in every product of rotations.
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Structure:
    """Results of the geometry; `w` and `delta` are indexed by joint number as in the papers.

    ``w[i]`` exists for 0 <= i < s (for no i if no joint is rotational), ``delta[i]`` for the
    rotational joints r <= i < s.
    """

    r: int
    s: int
    w: dict[int, Direction]
    delta: dict[int, bool]

    def parallel(self, i: int) -> bool:
        """Say whether the axis of joint i < s is parallel to that of joint r."""
        return is_along_z(self.w[i])


def is_along_z(w: Direction) -> bool:
    """Say whether w is along z; z = 1 would not suffice, it is also the cosine of 1e-9."""
    return w[0] == 0.0 == w[1]


def structure(chain: Chain) -> Structure:
    """Find r, s, w and delta from the geometry and the direction of gravity."""
    n = chain.n
    r = next((i for i in range(1, n + 1) if chain[i].rotational), n + 1)
    if r > n:
        return Structure(r, n + 1, {}, {})
    w = _before(chain, r)
    w[r] = (0.0, 0.0, 1.0)
    s = r + 1
    while s <= n:
        w_s = _next(chain[s], w[s - 1])
        if chain[s].rotational and not is_along_z(w_s):
            break
        w[s] = w_s
        s += 1
    found = Structure(r, s, w, {})
    return replace(found, delta=_delta(chain, found))


def _before(chain: Chain, r: int) -> dict[int, Direction]:
    """Return u_r in E_0 .. E_{r-1}; the joints before r slide, their rotations are constant."""
    first = chain[r]
    v: Direction = (first.Sg, -first.Sb * first.Cg, first.Cb * first.Cg)
    w = {r - 1: _snapped(v)}
    for i in range(r - 1, 0, -1):
        link = chain[i]
        x, y, z = w[i]
        u, t = link.C0 * x - link.S0 * y, link.S0 * x + link.C0 * y
        u, z = link.Cg * u + link.Sg * z, link.Cg * z - link.Sg * u
        w[i - 1] = _snapped((u, link.Cb * t - link.Sb * z, link.Sb * t + link.Cb * z))
    return w


def _next(link: Link, w: Direction) -> Direction:
    """Return u_r in E_i from u_r in E_{i-1}; with the angle of a rotational joint i left out.

    That angle does not matter where joint i is parallel to u_r, and tells nothing where it is not.
    """
    x, y, z = w
    t, z = link.Cb * y + link.Sb * z, link.Cb * z - link.Sb * y
    x, z = link.Cg * x - link.Sg * z, link.Sg * x + link.Cg * z
    if link.rotational:
        return _snapped((x, t, z))
    return _snapped((link.C0 * x + link.S0 * t, link.C0 * t - link.S0 * x, z))


def _snapped(v: Direction) -> Direction:
    """Return the unit vector with what is left of exact zeros removed."""
    x, y, z = (c if abs(c) > TOLERANCE else 0.0 for c in v)
    if is_along_z((x, y, z)):
        return (0.0, 0.0, math.copysign(1.0, z))
    return (x, y, z)


def _delta(chain: Chain, found: Structure) -> dict[int, bool]:
    """Return delta_i of Theorem 1, its condition corrected.

    delta_i = 0 if and only if gravity and every joint up to i are parallel to u_r and every
    rotational joint from r to i is coaxial with joint r: then the first moment of composite body i
    about that one axis neither falls nor is thrown outwards by another joint. The printed condition
    speaks of u_m where the offset s_{r->m} is meant, and stops before m = i.
    """
    r, s = found.r, found.s
    upright = all(_vanishes(x, math.hypot(*chain.g)) for x in cross(chain.g, found.w[0]))
    hidden = upright and all(found.parallel(i) or chain[i].fixed for i in range(1, r))
    offset: tuple[Scalar, Scalar] = (0.0, 0.0)  # O_r -> O_i in E_i at q = 0, across u_r
    delta: dict[int, bool] = {}
    for i in range(r, s):
        hidden = hidden and found.parallel(i)
        if hidden and i > r:
            link = chain[i]
            x, y, _ = frame(link, 0.0).to_child((offset[0] + link.b, offset[1], 0.0))
            offset = (x, y)
        if chain[i].rotational:
            hidden = hidden and all(_vanishes(x) for x in offset)
            delta[i] = not hidden
    return delta


def _vanishes(x: Scalar, size: float = 1.0) -> bool:
    """Say whether x is zero; a length that is not known yet is not."""
    return isinstance(x, float) and abs(x) <= TOLERANCE * size
