"""From one position to another, all joints together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import checked_array
from armdyn._numerics import ratio
from armdyn.errors import InputError
from armdyn.motion._magnitudes import check_positions, checked_duration, checked_limits
from armdyn.motion._profile import Profile, Shape, profile
from armdyn.motion._trajectory import Trajectory

Array = NDArray[np.float64]


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
