"""Moments of the links i..n taken as one body, about O_i and in E_i, and its unit wrenches.

Second moments (m, h, K), see `link_moments`, instead of inertias: a shift along one axis touches
three entries of K and one of h. The links are regrouped first, so that m is zero behind the last
joint that slides, and with it half of every shift.

On the way from E_i to E_{i-1} lies the foot of joint i: where b_i ends on axis z_i, in the axes of
E_{i-1} tilted by beta_i. It is fixed to link i-1, and its z axis is the joint's.
"""

from __future__ import annotations

from armdyn.algorithms.frame import Frame
from armdyn.algorithms.link_moments import Moments, regrouped
from armdyn.algorithms.spatial import Six
from armdyn.algorithms.vector import add, add_symmetric
from armdyn.robot.chain import Chain, Vector


def composites(chain: Chain, F: list[Frame]) -> list[Moments]:
    """Return the moments of the regrouped links i..n, i = 1..n; entry 0 is zero."""
    C = regrouped(chain)
    for i in range(chain.n, 0, -1):
        for c in chain.children(i):
            behind = behind_foot(F[c], at_foot(F[c], C[c]))
            h, K = add(C[i].h, behind.h), add_symmetric(C[i].K, behind.K)
            C[i] = Moments(C[i].m + behind.m, h, K)
    return C


def unit_wrench(F: Frame, C: Moments) -> Six:
    """Return the wrench (moment; force) that accelerates a body by one about or along z_i.

    Valid at O_i in E_i and at the foot: it refers to the point of the moments.
    """
    xx, _, xz, yy, yz, _ = C.K
    x, y, _ = C.h
    if F.rotational:
        return [-xz, -yz, xx + yy, -y, x, 0.0]
    return [y, -x, 0.0, 0.0, 0.0, C.m]


def at_foot(F: Frame, C: Moments) -> Moments:
    """Return moments about O_i in E_i as those about the foot in its axes: by d_i, then theta_i."""
    (x, y, z), (xx, xy, xz, yy, yz, zz) = C.h, C.K
    shifted = z + C.m * F.d
    K = F.turned((xx, xy, xz + F.d * x, yy, yz + F.d * y, zz + F.d * (z + shifted)))
    return Moments(C.m, (F.C * x - F.S * y, F.S * x + F.C * y, shifted), K)


def behind_foot(F: Frame, C: Moments) -> Moments:
    """Return moments at the foot as those about O_{i-1} in E_{i-1}: by beta_i, then b_i."""
    hx, y, z = C.h
    if F.Sg:
        hx, z = F.Cg * hx + F.Sg * z, F.Cg * z - F.Sg * hx
    h: Vector = (hx, F.Cb * y - F.Sb * z, F.Sb * y + F.Cb * z)
    xx, xy, xz, yy, yz, zz = F.tilted(C.K)
    x = hx + C.m * F.b
    K = (xx + F.b * (hx + x), xy + F.b * h[1], xz + F.b * h[2], yy, yz, zz)
    return Moments(C.m, (x, h[1], h[2]), K)
