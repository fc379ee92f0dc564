"""The regressor of adaptive control: M(q) qddr + C(q, qd) qdr + g(q) is Yr times the parameters.

[SlotineLi1987]: qdr, qddr are a reference velocity and its derivative. C is the matrix of
Christoffel symbols, so dM/dt - 2C is skew. The symbols are symmetric in the two velocities, so
C(q, qd) qdr is the symmetric bilinear form of the quadratic form C(q, qd) qd: every product of two
velocities in Newton-Euler becomes half the sum of the two mixed products. Notation of `regressor`;
wr: angular velocity of link i if the joints moved with qdr; wd and a hold mixed products. The
wrenches of unit parameters read velocities only through

    W = (w wr^T + wr w^T) / 2,

six numbers in place of w w^T, so a link costs little more than in the ordinary regressor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.regressor import rows_of
from armdyn.algorithms.vector import ZERO, Matrix, Rows, add, column, cross, neg, scale
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class ReferenceMotion:
    """How link i moves, mixed: w and wr halved (h, wr), wd and a, in E_i."""

    h: Vector
    wr: Vector
    wd: Vector
    a: Vector

    @property
    def products(self) -> Symmetric:
        """W: mixed products of the angular velocities; 9M 3A, doublings not counted."""
        (hx, hy, hz), (x, y, z) = self.h, self.wr
        xx, yy, zz = hx * x, hy * y, hz * z
        xy, xz, yz = hx * y + hy * x, hx * z + hz * x, hy * z + hz * y
        return (xx + xx, xy, xz, yy + yy, yz, zz + zz)

    @property
    def omega(self) -> Rows:
        """Omega = [wd x] + W - tr(W) 1, as in `angular` with mixed products."""
        xx, xy, xz, yy, yz, zz = self.products
        x, y, z = self.wd
        return (
            (-(yy + zz), xy - z, xz + y),
            (xy + z, -(xx + zz), yz - x),
            (xz - y, yz + x, -(xx + yy)),
        )

    def next(self, F: Frame, qd: Scalar, qdr: Scalar, qddr: Scalar) -> ReferenceMotion:
        """Return the motion of link i if this is that of link i-1; see `regressor.Motion.next`."""
        a = F.to_child(add(self.a, scale(F.b, column(self.omega, 1))))
        h, wr, wd = F.to_child(self.h), F.to_child(self.wr), F.to_child(self.wd)
        half = 0.5 * qd
        # (w x z qdr + wr x z qd) / 2
        mixed = (h[1] * qdr + wr[1] * half, -(h[0] * qdr + wr[0] * half))
        if F.rotational:
            wd = (wd[0] + mixed[0], wd[1] + mixed[1], wd[2] + qddr)
            h, wr = (h[0], h[1], h[2] + half), (wr[0], wr[1], wr[2] + qdr)
        else:
            a = add(a, (mixed[0] + mixed[0], mixed[1] + mixed[1], qddr))
        turned = ReferenceMotion(h, wr, wd, ZERO)
        return ReferenceMotion(h, wr, wd, add(a, scale(F.d, column(turned.omega, 3))))

    def unit_wrenches(self) -> list[tuple[Vector, Vector]]:
        """Return (f_p, t_p) of the ten parameters; see `regressor.Motion.unit_wrenches`."""
        (x, y, z), a, O = self.wd, self.a, self.omega
        xx, xy, xz, yy, yz, zz = self.products
        moments = [(column(O, k), cross(h, a)) for k, h in enumerate((X, Y, Z), 1)]
        inertias: list[Vector] = [
            (x, xz, -xy),
            (y - xz, x + yz, xx - yy),
            (-yz, y, xy),
            (z + xy, zz - xx, x - yz),
            (yy - zz, z - xy, y + xz),
            (yz, -xz, z),
        ]
        return [(a, ZERO), *moments, *((ZERO, t) for t in inertias)]


def tracking_regressor(
    chain: Chain,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdr: Sequence[Scalar],
    qddr: Sequence[Scalar],
) -> Matrix:
    """Return the n rows of 10n, without rotors."""
    F, motions = frames(chain, q), [ReferenceMotion(ZERO, ZERO, ZERO, neg(chain.g))]
    for i in range(1, chain.n + 1):
        motions.append(motions[chain.parent(i)].next(F[i], qd[i - 1], qdr[i - 1], qddr[i - 1]))
    return rows_of(chain, F, [motion.unit_wrenches() for motion in motions])
