"""The joints of an arm as closed forms read them, forwards or from the tip to the base.

Link i stands at Rx(beta_i) Tx(b_i) Rz(theta_i) Tz(d_i) in link i-1. C, S are cosine and sine of
beta_i; those of theta_i are the unknown turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from armdyn.algorithms.vector import add, scale
from armdyn.kinematics.equations import Pair, about_x, about_z, back, turned
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar, atan2

# Twists (their sines) and lengths [m] below this are zero: the chain's structural zeros are exact,
# and rounding of lengths in files is below it.
ZERO = 1e-12


@dataclass(frozen=True)
class Row:
    """The constants of a joint: twist (C, S), b, d, and the constant turn of a prismatic joint."""

    rotational: bool
    C: float
    S: float
    b: float
    d: float
    zero: tuple[float, float]  # cosine and sine of theta where the joint's variable is 0

    @property
    def twist(self) -> Pair:
        """Cosine and sine of beta."""
        return self.C, self.S

    @property
    def parallel(self) -> bool:
        """Whether the axis is parallel to the one before."""
        return abs(self.S) < ZERO

    @property
    def meets(self) -> bool:
        """Whether the axis meets the one before, or is the same line."""
        return abs(self.b) < ZERO

    def position(self, turn: Pair) -> Scalar:
        """Return the variable of a turning joint, within half a turn of 0, for its whole turn."""
        c, s = turned(turn, (self.zero[0], -self.zero[1]))
        return atan2(s, c)


@dataclass(frozen=True)
class Pose:
    """A frame: its axes and its origin."""

    X: Vector
    Y: Vector
    Z: Vector
    p: Vector

    def inverse(self) -> Pose:
        """Return the other frame as seen from this one."""
        X, Y, Z = zip(self.X, self.Y, self.Z, strict=True)
        p = add(*(scale(-x, axis) for x, axis in zip(self.p, (X, Y, Z), strict=True)))
        return Pose(X, Y, Z, p)

    def before(self, row: Row) -> Pose:
        """Return the frame as seen after the constant twist and shift before a joint."""
        X, Y, Z, p = (about_x(back(row.twist), v) for v in (self.X, self.Y, self.Z, self.p))
        return Pose(X, Y, Z, (p[0] - row.b, p[1], p[2]))

    def past(self, turn: Pair, d: Scalar) -> Pose:
        """Return the frame as seen after a joint at a turn and a shift along its axis."""
        X, Y, Z, p = (about_z(back(turn), v) for v in (self.X, self.Y, self.Z, self.p))
        return Pose(X, Y, Z, (p[0], p[1], p[2] - d))

    def without_last(self, row: Row, turn: Pair, d: Scalar) -> Pose:
        """Return the link before the last, of a joint at a turn and a shift, that is this frame."""
        p = add(self.p, scale(-d, self.Z))
        c, s = turn
        X = add(scale(c, self.X), scale(-s, self.Y))
        T = add(scale(s, self.X), scale(c, self.Y))
        Y = add(scale(row.C, T), scale(-row.S, self.Z))
        Z = add(scale(row.S, T), scale(row.C, self.Z))
        return Pose(X, Y, Z, add(p, scale(-row.b, X)))


def rows_of(chain: Chain) -> tuple[Row, ...]:
    """Return the constants of the joints."""
    found: list[Row] = []
    for link in chain.links:
        assert isinstance(link.b, float | int) and isinstance(link.d, float | int)
        found.append(
            Row(
                link.rotational, link.Cb, link.Sb, _plain(float(link.b)), _plain(float(link.d)),
                (link.C0, link.S0),
            )
        )  # fmt: skip
    return tuple(found)


def _plain(length: float) -> float:
    return 0.0 if abs(length) < ZERO else length


def reverse(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the joints from the tip to the base; the frame to reach is the inverse."""
    n = len(rows)
    found: list[Row] = []
    for k in range(n):
        joint = rows[n - 1 - k]
        twist = rows[n - k] if k else replace(joint, C=1.0, S=0.0, b=0.0)
        zero = (joint.zero[0], -joint.zero[1])
        found.append(Row(joint.rotational, twist.C, -twist.S, -twist.b, -joint.d, zero))
    return tuple(found)


def size_of(rows: Sequence[Row]) -> float:
    """Return a usual length of the arm [m]."""
    return sum(abs(row.b) + abs(row.d) for row in rows) or 1.0


# `Family`: arms of one geometry, which one closed form solves.


@dataclass(frozen=True)
class Position:
    """The variable of a turning joint itself, within half a turn of 0."""

    angle: Scalar


# The turn, or the shift of a prismatic joint, of each joint in order; and the margin.
#
# A turn is a pair of any length, or the joint's position itself.
Branch: TypeAlias = tuple[Sequence[Pair | Scalar | Position], Scalar]
Solver: TypeAlias = Callable[[Sequence[Row], Pose], list[Branch]]


@dataclass(frozen=True)
class Family:
    """A closed form.

    Attributes:
        words: the geometry it needs.
        fits: says whether an arm has this geometry.
        solve: returns all branches for a frame as seen before the turn of joint 1.
        branches: their number.
        polish: number of steps of Newton's method that its results need.
    """

    words: str
    fits: Callable[[Sequence[Row]], bool]
    solve: Solver
    branches: int
    polish: int = 0
