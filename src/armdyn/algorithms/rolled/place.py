"""One joint in a sweep: rotations and shifts from E_{i-1} to E_i.

A rotation in a plane is a product of two complex numbers. It takes three multiplications and three
additions, instead of four and two:

    k = c (x + y),    c x - s y = k - (c + s) y,    s x + c y = k + (s - c) x

Symmetric functions of two components rotate by twice the angle, in the same way. The form with
three multiplications has a longer latency, so it suits steps with much independent work; if one
joint waits for another and there is little else to do, the plain form is faster. If c or s is zero
at all joints, the plain form is free.

Notation of `frame`: C, S, Cb, Sb are cosines and sines of theta_i and beta_i; shifts are b_i along
x_{i-1} and d_i along z_i; r_i is 1 for a revolute joint and 0 for a prismatic one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from armdyn.algorithms.rolled.sweeps import Values
from armdyn.algorithms.vector import Matrix, is_zero
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar, cos, sin


@dataclass(frozen=True)
class Turn:
    """A rotation in a plane by the angle with cosine c and sine s."""

    c: Scalar
    s: Scalar
    three_multiplications: bool = False

    def forth(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return (c x - s y, s x + c y); 4M 2A, or 3M 3A and 2A once if three_multiplications."""
        c, s = self.c, self.s
        if not self.three_multiplications or self._right or is_zero(x) or is_zero(y):
            return c * x - s * y, s * x + c * y
        k = c * (x + y)
        return k - (c + s) * y, k + (s - c) * x

    def back(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return (c x + s y, c y - s x); cost as for `forth`."""
        c, s = self.c, self.s
        if not self.three_multiplications or self._right or is_zero(x) or is_zero(y):
            return c * x + s * y, c * y - s * x
        k = c * (x + y)
        return k + (s - c) * y, k - (c + s) * x

    def plane(
        self, xx: Scalar, xy: Scalar, yx: Scalar, yy: Scalar
    ) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """Return Q X Q^T of X = [[xx, xy], [yx, yy]], row by row; 3M 8A, and 2M 3A once.

        The parts xx + yy and xy - yx do not change; the others rotate by twice the angle.
        """
        if is_zero(self.s):
            return xx, xy, yx, yy
        if is_zero(self.c):
            return yy, -yx, -xy, xx
        u, v = xx - yy, xy + yx
        k = self._cs * (u + v)
        f, g = k + (self._ss - self._cs) * u, k + (self._cc - self._cs) * v
        return xx - f, g - yx, g - xy, yy + f

    @property
    def _right(self) -> bool:
        return is_zero(self.c) or is_zero(self.s)

    @cached_property
    def _cs(self) -> Scalar:
        return self.c * self.s

    @cached_property
    def _ss(self) -> Scalar:
        return self.s * self.s

    @cached_property
    def _cc(self) -> Scalar:
        return 1.0 - self._ss


@dataclass(frozen=True)
class Place:
    """Joint i: E_i as seen from E_{i-1}."""

    tilt: Turn
    turn: Turn
    b: Scalar
    d: Scalar

    @property
    def three_multiplications(self) -> Place:
        """The same joint with three-multiplication rotations."""
        tilt, turn = (replace(turn, three_multiplications=True) for turn in (self.tilt, self.turn))
        return Place(tilt, turn, self.b, self.d)

    def to_parent(self, v: Vector) -> Vector:
        """Return R_i v: from E_i to E_{i-1}; 8M 4A, or 6M 6A if three_multiplications."""
        x, y = self.turn.forth(v[0], v[1])
        return (x, *self.tilt.forth(y, v[2]))

    def to_child(self, v: Vector) -> Vector:
        """Return R_i^T v: from E_{i-1} to E_i; cost as for `to_parent`."""
        y, z = self.tilt.back(v[1], v[2])
        return (*self.turn.back(v[0], y), z)


def geometry(chain: Chain) -> list[tuple[Scalar, ...]]:
    """Return Cb, Sb, b, theta, d and r of the joints: the constants that `place` reads."""
    return [(k.Cb, k.Sb, k.b, k.theta, k.d, float(k.rotational)) for k in chain.links]


def sines(x: Values) -> Values:
    """Keep cosine and sine of theta_i: a step without a carry, so joints are independent."""
    _, _, _, theta, _, r = x["constant:geometry"]
    angle = r * x["input:q"][0] + theta
    return {"kept:turn": [cos(angle), sin(angle)]}


def place(x: Values) -> Place:
    """Return joint i."""
    Cb, Sb, b, _, d, r = x["constant:geometry"]
    C, S = x["kept:turn"]
    return Place(Turn(Cb, Sb), Turn(C, S), b, d + (1.0 - r) * x["input:q"][0])


def turns(x: Values) -> Scalar:
    """Return r_i: 1 for a revolute joint, 0 for a prismatic one."""
    return x["constant:geometry"][5]


def three(x: Sequence[Scalar]) -> Vector:
    """Return the three numbers of a place as a vector."""
    a, b, c = x
    return (a, b, c)


def turned(X: Matrix, i: int, turn: Turn) -> Matrix:
    """Return Q X Q^T of any 3 x 3 matrix; Q rotates from axis i to i+1; 9M 14A."""
    j, k = i + 1, (i + 2) % 3
    N: Matrix = [list(row) for row in X]
    N[i][i], N[i][j], N[j][i], N[j][j] = turn.plane(X[i][i], X[i][j], X[j][i], X[j][j])
    N[i][k], N[j][k] = turn.forth(X[i][k], X[j][k])
    N[k][i], N[k][j] = turn.forth(X[k][i], X[k][j])
    return N


def turned_symmetric(X: Symmetric, i: int, turn: Turn) -> Symmetric:
    """Return Q X Q^T of a symmetric matrix; 6M 11A."""
    xx, xy, xz, yy, yz, zz = X
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = turned(
        [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], i, turn
    )
    return (xx, xy, xz, yy, yz, zz)
