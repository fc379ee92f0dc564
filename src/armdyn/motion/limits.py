"""Limits of the drives along a path, as bounds of the path's acceleration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array
from armdyn.errors import InputError
from armdyn.motion.trajectory import check_limits, check_positions, checked_limits
from armdyn.robot.friction import FRICTION_TERMS, coefficients
from armdyn.scalar import Scalar, max, min, select

# The limits of drives along a short piece of a path, as bounds of the path's acceleration.
#
# Along a path q(s), y = ds/dt, x = y^2 and u = d2s/dt2, and torques without friction are
# a u + b x + g. Friction adds dry friction, known by the sign of dq/ds, Fv q' y, and Fl |L| of the
# load L. Every limit is a row
#
#     a u + b x + v y <= h        or, divided by a,        u <= H - V y - B x   (a > 0; >= if a < 0)
#
# Between two nodes u is constant, so x of the right end is x + 2 D u in a piece of length D. Its
# square root is replaced by a bound that is linear and safe: a tangent where friction burdens the
# drive, a chord where it helps.
#
# A row with a = 0 does not bound u but y; its a is replaced by a tiny share of b.

Row = Sequence[Scalar]

# The least share of b that counts as a: a torque of this share times u is rounding.
LEAST_SHARE = 1e-10
# The same where b is zero, too: such a row bounds nothing.
LEAST_SIZE = 1e-14
# A bound of u that never matters.
UNBOUNDED = 1e30
# The speed at which a tangent touches is at most this many times the speed at which viscous
# friction takes all that is left: below 2, rest stays within the bound.
MAX_TANGENT_RATIO = 1.8
# Less than any speed or length of a piece.
TINY = 1e-12


class Bound(NamedTuple):
    """A bound of u: H - V y - B x."""

    B: Scalar
    V: Scalar
    H: Scalar

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the bound at a speed."""
        linear = self.H - self.B * x
        return linear if isinstance(self.V, float) and self.V == 0.0 else linear - self.V * y


NO_UPPER, NO_LOWER = Bound(0.0, 0.0, UNBOUNDED), Bound(0.0, 0.0, -UNBOUNDED)


@dataclass(frozen=True)
class Drives:
    """What of an arm's drives determines the form of the rows.

    Attributes:
        effort: which joints have a limit of effort.
        acceleration: which joints have a limit of acceleration.
        viscous: Fv of each joint.
        loss: by how much the limit of effort falls per speed.
        share: Fl of each joint.
        rotor: inertia of each rotor, which the gear does not transmit.
    """

    effort: tuple[bool, ...]
    acceleration: tuple[bool, ...]
    viscous: tuple[float, ...]
    loss: tuple[float, ...]
    share: tuple[float, ...]
    rotor: tuple[float, ...]

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.effort)

    @property
    def curved(self) -> bool:
        """Whether rows have terms in y."""
        return any(self.viscous) or any(self.loss)


@dataclass(frozen=True)
class End:
    """The path, the arm and its limits at one end of a piece.

    Attributes:
        by_s: dq/ds.
        by_ss: d2q/ds2.
        a: torque per u.
        b: torque per x.
        g: torque at rest.
        high: limits of torques above, less dry friction.
        low: limits below, less dry friction.
    """

    by_s: Row
    by_ss: Row
    a: Row
    b: Row
    g: Row
    high: Row
    low: Row


@dataclass(frozen=True)
class Bend:
    """How the square root at the right end of a piece is replaced.

    Attributes:
        twice: 2 D.
        touching: speed at which tangents touch.
        chord: speed up to which chords reach.
    """

    twice: Scalar
    touching: Scalar
    chord: Scalar


@dataclass(frozen=True)
class Bounds:
    """All upper and lower bounds of u."""

    upper: list[Bound]
    lower: list[Bound]

    def two_sided(
        self, a: Scalar, b: Scalar, v: tuple[Scalar, Scalar], h: tuple[Scalar, Scalar]
    ) -> None:
        """Add the row h[0] <= a u + b x + v y <= h[1]; v is that of either side."""
        size = 1.0 / _size(a, b)
        r = select(a, size, -size)
        (low, high), B = h, b * r
        V = _choose(a, v[1], v[0]), _choose(a, v[0], v[1])
        self.upper.append(Bound(B, _times(V[0], r), select(a, high, low) * r))
        self.lower.append(Bound(B, _times(V[1], r), select(a, low, high) * r))

    def one_sided(self, a: Scalar, b: Scalar, v: Scalar, h: Scalar) -> None:
        """Add the row a u + b x + v y <= h."""
        size = 1.0 / _size(a, b)
        r = select(-a, -size, size)
        bound = Bound(b * r, _times(v, r), h * r)
        pairs = [*zip(bound, NO_UPPER, NO_LOWER, strict=True)]
        self.upper.append(Bound(*(select(-a, none, x) for x, none, _ in pairs)))
        self.lower.append(Bound(*(select(-a, x, none) for x, _, none in pairs)))

    def next_speed(self, twice: Scalar, top: Scalar) -> None:
        """Add 0 <= x + 2 D u <= top."""
        r = 1.0 / max(twice, TINY)
        self.upper.append(Bound(r, 0.0, top * r))
        self.lower.append(Bound(r, 0.0, 0.0))

    def add(self, drives: Drives, end: End, sigma: Row, most: Row, bend: Bend | None) -> None:
        """Add the rows of one end of a piece.

        Args:
            drives: form of the rows.
            end: numbers of them.
            sigma: signs of dq/ds inside the piece.
            most: limits of acceleration.
            bend: None for the left end.
        """
        for j in range(drives.n):
            if drives.effort[j]:
                self._effort(drives, end, sigma[j], bend, j)
            if drives.acceleration[j]:
                b = end.by_ss[j]
                a = end.by_s[j] if bend is None else end.by_s[j] + bend.twice * b
                self.two_sided(a, b, (0.0, 0.0), (-most[j], most[j]))

    def _effort(self, drives: Drives, end: End, s: Scalar, bend: Bend | None, j: int) -> None:
        share, rotor = drives.share[j], drives.rotor[j]
        a, b, g = end.a[j], end.b[j], end.g[j]
        viscous, loss = drives.viscous[j] * end.by_s[j], drives.loss[j] * abs(end.by_s[j])
        curved = drives.viscous[j] != 0.0 or drives.loss[j] != 0.0
        v = (viscous - loss, viscous + loss) if curved else (0.0, 0.0)
        low, high = end.low[j], end.high[j]
        if share:
            f = share * s * s
            load = a - rotor * end.by_s[j], b - rotor * end.by_ss[j], g
            more = [x + f * y for x, y in zip((a, b, g), load, strict=True)]
            # where the gear bears more the faster it drives, both factors of the load bound
            above = (more[0], more[1], v[1], high - more[2])
            below = (-more[0], -more[1], -v[0], more[2] - low)
            none = (0.0, 0.0, 0.0, 1.0)
            row = [
                select(s, x, select(-s, y, z)) for x, y, z in zip(above, below, none, strict=True)
            ]
            self._bent(row[0], row[1], row[2] if curved else 0.0, row[3], bend)
            a, b, g = (x - f * y for x, y in zip((a, b, g), load, strict=True))
        if bend is None:
            self.two_sided(a, b, v, (low - g, high - g))
        elif not curved:
            self.two_sided(a + bend.twice * b, b, v, (low - g, high - g))
        else:
            self._bent(a, b, v[1], high - g, bend)
            self._bent(-a, -b, -v[0], g - low, bend)

    def _bent(self, a: Scalar, b: Scalar, v: Scalar, h: Scalar, bend: Bend | None) -> None:
        if bend is None:
            return self.one_sided(a, b, v, h)
        if not (isinstance(v, float) and v == 0.0):
            touching = min(bend.touching, MAX_TANGENT_RATIO * h / max(v, TINY))
            touching = max(touching, LEAST_SHARE * bend.touching)
            b = b + select(v, v / (2.0 * touching), v / bend.chord)
            h = h - select(v, 0.5 * v * touching, 0.0)
        return self.one_sided(a + bend.twice * b, b, 0.0, h)


def _size(a: Scalar, b: Scalar) -> Scalar:
    return max(abs(a), LEAST_SHARE * abs(b) + LEAST_SIZE)


def _choose(a: Scalar, x: Scalar, y: Scalar) -> Scalar:
    return x if x is y or (isinstance(x, float) and x == y) else select(a, x, y)


def _times(v: Scalar, r: Scalar) -> Scalar:
    return 0.0 if isinstance(v, float) and v == 0.0 else v * r


# The limits within which a path is followed.

# Terms of friction that rows have exactly; others are taken at the speed of the last pass.
EXACT = ("viscous", "coulomb", "offset", "load_friction")


@dataclass(frozen=True)
class Limits:
    """Limits of each joint, ``(n,)``, infinite where there is none.

    Attributes:
        velocity: largest speed.
        acceleration: largest acceleration.
        effort: largest torque or force at rest.
        loss: by how much it falls per speed.
    """

    velocity: Array
    acceleration: Array
    effort: Array
    loss: Array

    def drives(self, arm: Arm, friction: bool) -> Drives:
        """Return the form of the rows of an arm."""
        joints = arm.robot.joints
        return Drives(
            effort=tuple(bool(x) for x in np.isfinite(self.effort)),
            acceleration=tuple(bool(x) for x in np.isfinite(self.acceleration)),
            viscous=tuple(joint.viscous if friction else 0.0 for joint in joints),
            loss=tuple(float(x) for x in self.loss),
            share=tuple(joint.load_friction if friction else 0.0 for joint in joints),
            rotor=tuple(joint.rotor_inertia for joint in joints),
        )


def is_exact(arm: Arm) -> bool:
    """Return whether rows have all friction of an arm exactly."""
    others = [k for k, name in enumerate(FRICTION_TERMS) if name not in EXACT]
    return not any(coefficients(joint)[k] for joint in arm.robot.joints for k in others)


def limits_of(
    arm: Arm,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    effort: ArrayLike | None,
) -> Limits:
    """Return the limits, the robot's where none are given."""
    joints, n = arm.robot.joints, arm.n
    velocity = [j.velocity for j in joints] if velocity is None else velocity
    effort = [j.effort for j in joints] if effort is None else effort
    v = checked_limits(velocity, "velocity", n)
    a = checked_limits(np.inf if acceleration is None else acceleration, "acceleration", n)
    most, loss = _effort(effort, n)
    if not (np.isfinite(most).any() or np.isfinite(a).any()):
        raise InputError(
            f"the robot {arm.name!r} has no limits of effort: give `effort` or `acceleration`.",
            argument="effort",
        )
    return Limits(v, a, most, loss)


def _effort(value: ArrayLike, n: int) -> tuple[Array, Array]:
    what = f"positive numbers: one, one a joint, or ({n}, 2) with the loss of effort per speed"
    array = checked_array(value, "effort", (), (n,), (n, 2), finite=False, what=what)
    pairs = array if array.ndim == 2 else np.stack([*np.broadcast_arrays(array, 0.0)], axis=-1)
    most, loss = (np.broadcast_to(pairs[..., k], (n,)).copy() for k in (0, 1))
    if not (most > 0.0).all() or not (np.isfinite(loss) & (loss >= 0.0)).all():
        raise InputError(f"`effort` is not {what}.", argument="effort")
    check_limits(most, "effort")
    check_positions(loss, "effort")
    return most, loss


# What is asked for, the same for all paths.


@dataclass(frozen=True)
class Question:
    """What is asked for, the same for all paths.

    Attributes:
        arm: the arm.
        limits: of its joints.
        friction: whether friction counts.
        tolerance: largest excess, as a share of a limit.
        start: speed along the path at the start.
        end: and at the end.
    """

    arm: Arm
    limits: Limits
    friction: bool
    tolerance: float
    start: float
    end: float
