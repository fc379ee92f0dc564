"""The Coriolis matrix in Christoffel form, C_mj = sum_k D_mkj qd_k, from the symbols of [Lin1991].

Notation of `lin_1991` and `lin_1991_bias`: for m, k <= j a symbol is D_mkj = w_k . d_mj with
d_mj = A_j w_m + f_j x v_m, and D_mkj = D_mjk, D_jkm = -D_mkj for k <= m, j. The paper sums the
symbols with both velocities; the sum over k alone is split here by the order of m, k and j,

    m <= j:  C_mj =  d_mj . omega_j + w_j . y_mj
    m >  j:  C_mj = -d_jm . omega_j + w_j . (y_mm - sum_{j<k<m} qd_k d_km)

with y_mj = sum_{k>j} qd_k d_mk for m <= j. This sum is again of the form A w_m + f x v_m, with

    A = sum_{k>j} qd_k A_k,   f = sum_{k>j} qd_k f_k:

composite quantities that are carried from body to body. No symbol is formed, and the work grows
with n^2. dM/dt - 2 C is skew, as for every matrix made of Christoffel symbols.

C follows from M, which regrouping the moments of the links does not change (`link_moments`). With
regrouped moments less is left to add up, and no centre of mass is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.lin_1991 import Axis, Composite, axes, composites
from armdyn.algorithms.lin_1991_bias import angular_velocities, symbols
from armdyn.algorithms.link_moments import regrouped
from armdyn.algorithms.vector import (
    ZERO,
    ZERO_SYMMETRIC,
    Matrix,
    add,
    add_symmetric,
    apply,
    column,
    cross,
    dot,
    scale,
    scale_symmetric,
    sub,
    times,
)
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class Weighted:
    """A and f summed over bodies with their joint velocities; A = S + [a x], S symmetric."""

    S: Symmetric = ZERO_SYMMETRIC
    a: Vector = ZERO
    f: Vector = ZERO

    def with_body(self, body: Composite, rate: Scalar) -> Weighted:
        """Return the sum with one body more: A_j = (A_j + A_j^T)/2 + [e_j x]/2."""
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = body.A
        half = 0.5 * rate
        S = scale_symmetric(half, (xx + xx, xy + yx, xz + zx, yy + yy, yz + zy, zz + zz))
        a, f = scale(half, body.e), scale(rate, body.f)
        return Weighted(add_symmetric(self.S, S), add(self.a, a), add(self.f, f))

    def to_parent(self, F: Frame) -> Weighted:
        """Return in E_{i-1} what is given in E_i."""
        return Weighted(F.symmetric_to_parent(self.S), F.to_parent(self.a), F.to_parent(self.f))

    def symbols(self, axis: Axis) -> Vector:
        """Return A w + f x v: y of the joint with this axis."""
        w, v = axis
        return add(apply(self.S, w), cross(self.a, w), cross(self.f, v))

    def along(self, w: Vector) -> Axis:
        """Return x and z such that w . symbols(w_m, v_m) is x . w_m + z . v_m for every m."""
        return add(apply(self.S, w), cross(w, self.a)), cross(w, self.f)


def coriolis_matrix(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Matrix:
    """Return C, the matrix of Christoffel symbols times velocities."""
    F = frames(chain, q)
    return _coriolis_matrix(chain.n, F, composites(chain, F), qd)


def from_moments(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Matrix:
    """Return the same, from regrouped moments of the links."""
    F = frames(chain, q)
    return _coriolis_matrix(chain.n, F, composites(chain, F, regrouped(chain)), qd)


def _coriolis_matrix(
    n: int, F: Sequence[Frame], bodies: Sequence[Composite], qd: Sequence[Scalar]
) -> Matrix:
    seen = axes(bodies, F)
    C: Matrix = [[0.0] * n for _ in range(n)]
    beyond = Weighted()  # the sums over k > j, in E_j
    for j in range(n, 0, -1):
        body, own = bodies[j], seen[j][j]
        omega = angular_velocities(seen[j], qd)
        y = beyond.symbols(own)
        C[j - 1][j - 1] = dot(own[0], y)
        (x, z), (dx, dz) = beyond.along(own[0]), _along(body, omega[j])
        x, z = add(x, dx), add(z, dz)
        for m in range(j - 1, 0, -1):
            w, v = seen[j][m]
            C[m - 1][j - 1] = dot(x, w) + dot(z, v)
            d = symbols(body, (w, v))
            C[j - 1][m - 1] = dot(w, y) - dot(d, omega[m])
            y = sub(y, scale(qd[m - 1], d))
        beyond = beyond.with_body(body, qd[j - 1]).to_parent(F[j])
    return C


def _along(body: Composite, omega: Vector) -> Axis:
    """Return x and z such that omega . d_mj is x . w_m + z . v_m for every m."""
    transposed = (column(body.A, 1), column(body.A, 2), column(body.A, 3))
    return times(transposed, omega), cross(omega, body.f)
