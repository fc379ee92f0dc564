"""From one position to another, all joints together, along a profile over time."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_choice
from armdyn.errors import InputError
from armdyn.motion.trajectory import (
    LEAST,
    MET,
    Trajectory,
    check_positions,
    check_shortest,
    checked_duration,
    checked_limits,
)
from armdyn.numerics import ratio

# Profiles: the position along a path, from 0 to 1, over time, at rest at both ends.

Shape = Literal["trapezoid", "quintic"]
SHAPES = ("trapezoid", "quintic")

# Largest speed and acceleration of the quintic 10 x^3 - 15 x^4 + 6 x^5 on 0..1.
QUINTIC_SPEED = 15.0 / 8.0
QUINTIC_ACCELERATION = 10.0 / sqrt(3.0)


@dataclass(frozen=True)
class Trapezoid:
    """Constant acceleration for a while, constant speed, constant deceleration.

    Attributes:
        duration: of the whole motion [s].
        ramp: duration of the acceleration, and of the deceleration [s].
    """

    duration: float
    ramp: float

    @property
    def kinks(self) -> tuple[float, ...]:
        """Times at which the acceleration jumps."""
        return (self.ramp, self.duration - self.ramp)

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Return the share of the path, its speed and its acceleration at times ``(N,)``."""
        top = 1.0 / (self.duration - self.ramp)
        a = top / self.ramp
        left = self.duration - t
        phase = [t < self.ramp, left < self.ramp]
        s = np.select(phase, [a * t**2 / 2, 1 - a * left**2 / 2], top * (t - self.ramp / 2))
        return (
            s,
            np.select(phase, [a * t, a * left], top),
            np.select(phase, [np.full_like(t, a), np.full_like(t, -a)], 0.0),
        )

    def slower(self, factor: float) -> Trapezoid:
        """Return the same motion in a multiple of the time."""
        return Trapezoid(factor * self.duration, factor * self.ramp)


@dataclass(frozen=True)
class Quintic:
    """The minimum-jerk polynomial; its acceleration is zero at both ends."""

    duration: float

    @property
    def kinks(self) -> tuple[float, ...]:
        """Times at which the acceleration jumps: never."""
        return ()

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Return the share of the path, its speed and its acceleration at times ``(N,)``."""
        T = self.duration
        x = t / T
        return (
            x**3 * (10 + x * (6 * x - 15)),
            30 * (x * (1 - x)) ** 2 / T,
            60 * x * (1 - x) * (1 - 2 * x) / T**2,
        )

    def slower(self, factor: float) -> Quintic:
        """Return the same motion in a multiple of the time."""
        return Quintic(factor * self.duration)


# A motion from 0 to 1 in a `duration`, at rest at both ends.
Profile: TypeAlias = Trapezoid | Quintic


def profile(shape: str, speed: float, acceleration: float, duration: float | None) -> Profile:
    """Return the quickest profile within limits, or one of a given duration.

    Args:
        shape: "trapezoid" or "quintic".
        speed: largest, in paths per second; infinite for no limit.
        acceleration: largest.
        duration: to take instead of the shortest one [s].

    Raises:
        InputError: the duration is too short for the limits, or neither it nor limits are given.
    """
    checked_choice(shape, "shape", SHAPES, what="profile")
    if shape == "trapezoid":
        if acceleration == inf and duration is None:
            raise InputError(
                "a trapezoid needs a limit of acceleration, or a `duration`.", argument="duration"
            )
        ramp = speed / acceleration if speed * speed < acceleration else sqrt(1 / acceleration)
        shortest = 1.0 / speed + ramp if speed * speed < acceleration else 2.0 * ramp
    else:
        shortest = max(QUINTIC_SPEED / speed, sqrt(QUINTIC_ACCELERATION / acceleration))
    if duration is None:
        if not shortest > 0.0:
            raise InputError(
                "without limits of speed and acceleration, give a `duration`.", argument="duration"
            )
        check_shortest(shortest)
        duration = shortest
    if duration < shortest * (1 - MET):
        raise InputError(
            f"`duration` is {duration:g} s, but within the limits the motion takes {shortest:g} s.",
            argument="duration",
        )
    if shape == "quintic":
        return Quintic(duration)
    return Trapezoid(duration, _ramp(duration, acceleration))


def _ramp(duration: float, acceleration: float) -> float:
    """Return the ramp that reaches 1 in a duration: r (T - r) a = 1, or a third of the time."""
    if acceleration == inf:
        return duration / 3.0
    root = sqrt(max(duration**2 - 4.0 / acceleration, 0.0))
    # the smaller of the two roots, in a form that keeps a short ramp accurate
    return max(2.0 / (acceleration * (duration + root)), LEAST * duration)


# From one position to another, all joints together.


@dataclass(frozen=True, eq=False, repr=False, init=False)
class JointSpace(Trajectory):
    """A straight line in joint space: all joints begin and end together, at rest.

    Examples:
        >>> from armdyn.motion import JointSpace
        >>> motion = JointSpace([0.0, 0.0], [1.0, 0.5], velocity=1.0, acceleration=2.0)
        >>> motion.duration, motion.q(0.75)
        (1.5, array([0.5 , 0.25]))

    Attributes:
        start: first position, ``(n,)``.
        goal: last position, ``(n,)``.
        profile: the position along the line as a function of time.
    """

    start: Array
    goal: Array
    profile: Profile

    def __init__(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        velocity: ArrayLike = np.inf,
        acceleration: ArrayLike = np.inf,
        *,
        shape: Shape = "trapezoid",
        duration: float | None = None,
    ) -> None:
        """Move as quickly as limits allow, or in a given time.

        Args:
            start: first position, ``(n,)``.
            goal: last position, ``(n,)``.
            velocity: largest, for all joints or one each.
            acceleration: largest, for all joints or one each.
            shape: of the speed: "trapezoid", or "quintic", which is slower but has no jumps of
                acceleration.
            duration: to take instead of the shortest one [s]; the limits still hold.
        """
        a = checked_array(start, "start", ("n",), frozen=True, what="a position (n,)")
        b = checked_array(goal, "goal", ("n",), frozen=True, what="a position (n,)")
        if a.shape != b.shape:
            raise InputError(
                f"`start` has {len(a)} joints, but `goal` has {len(b)}.", argument="goal"
            )
        check_positions(a, "start")
        check_positions(b, "goal")
        way = np.abs(b - a)
        v = checked_limits(velocity, "velocity", len(a))
        acc = checked_limits(acceleration, "acceleration", len(a))
        if not way.any():
            raise InputError(
                "`start` and `goal` are the same position: there is no motion.", argument="goal"
            )
        wanted = None if duration is None else checked_duration(duration)
        speed, rate = (float(ratio(x, way, np.inf).min()) for x in (v, acc))
        chosen = profile(shape, speed, rate, wanted)
        self._set(start=a, goal=b, profile=chosen, duration=chosen.duration, n=len(a))

    def _states(self, t: Array) -> tuple[Array, Array, Array]:
        s, sd, sdd = (x[:, None] for x in self.profile.at(t))
        way = self.goal - self.start
        return self.start + s * way, sd * way, sdd * way
