"""Straight-line motions of the tip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import checked_positive
from armdyn._numerics import ratio
from armdyn.arm import Arm, checked_pose, checked_start
from armdyn.errors import InputError, shown
from armdyn.motion._line import Line, check_length, splines_along
from armdyn.motion._magnitudes import checked_duration, checked_limits
from armdyn.motion._profile import Profile, Shape, profile
from armdyn.motion._trajectory import Trajectory

Array = NDArray[np.float64]

# Number of times at which limits of joints are checked.
CHECKED_TIMES = 4001
# The times just before and after a kink, as a share of its time.
BESIDE = 1e-9
# A motion that is slowed down stays below the limits by this share.
BELOW = 1e-6


@dataclass(frozen=True, eq=False, repr=False, init=False)
class StraightLine(Trajectory):
    """A motion of the tip on a straight line, turning about one axis, from rest to rest.

    Examples:
        >>> from armdyn.motion import StraightLine
        >>> arm = armdyn.load("puma560")
        >>> start = np.array([0.3, -0.5, 0.4, 0.2, 0.6, -0.1])
        >>> goal = arm.pose(start)
        >>> goal[2, 3] -= 0.05
        >>> motion = StraightLine(arm, start, goal, speed=0.1)
        >>> bool(motion.deviation < 1e-6)
        True

    Attributes:
        start: first joint positions, ``(n,)``.
        goal: last joint positions, ``(n,)``.
        profile: the position along the line as a function of time.
        deviation: largest distance from the line, and angle from its rotation [m or rad].
    """

    start: Array
    goal: Array
    profile: Profile
    deviation: float
    _splines: tuple[Any, Any, Any]

    def __init__(
        self,
        arm: Arm,
        start: ArrayLike,
        pose: ArrayLike,
        *,
        speed: float = 0.25,
        acceleration: float = 1.0,
        turning_speed: float = 1.0,
        turning_acceleration: float = 4.0,
        velocity: ArrayLike | None = None,
        joint_acceleration: ArrayLike = np.inf,
        shape: Shape = "trapezoid",
        duration: float | None = None,
        tolerance: float = 1e-6,
    ) -> None:
        """Follow the line with the arm's inverse kinematics.

        Args:
            arm: the arm.
            start: joint positions at which it begins, ``(n,)``.
            pose: of the tip, at which it ends, ``(4, 4)``.
            speed: largest, of the tip [m/s].
            acceleration: largest, of the tip [m/s^2].
            turning_speed: largest, of the tip's rotation [rad/s].
            turning_acceleration: largest, of the tip's rotation [rad/s^2].
            velocity: largest of the joints, for all or one each; default are the robot's.
                Where a joint would exceed it, the whole motion is slowed down.
            joint_acceleration: the same of accelerations.
            shape: of the speed: "trapezoid" or "quintic".
            duration: to take instead of the shortest one [s]; the limits still hold.
            tolerance: largest deviation from the line [m] and from its rotation [rad].

        Raises:
            UnreachedError: the arm cannot follow the line; the message says how far it got.
            NumericalError: the line passes a singular position too closely to be followed.
        """
        if not isinstance(arm, Arm):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"`arm` is {shown(arm)}, expected an armdyn.Arm.", argument="arm")
        arm = arm.astype(np.float64)
        q0 = checked_start(arm.robot.joints, start)
        line = Line(arm.pose(q0), checked_pose("pose", pose))
        own = [joint.velocity for joint in arm.robot.joints]
        v, a = (
            checked_limits(value, name, arm.n)
            for value, name in (
                (own if velocity is None else velocity, "velocity"),
                (joint_acceleration, "joint_acceleration"),
            )
        )
        wanted = None if duration is None else checked_duration(duration)
        fastest = _slowest(
            line,
            checked_positive(speed, "speed"),
            checked_positive(turning_speed, "turning_speed"),
        )
        hardest = _slowest(
            line,
            checked_positive(acceleration, "acceleration"),
            checked_positive(turning_acceleration, "turning_acceleration"),
        )
        chosen = profile(shape, fastest, hardest, wanted)
        splines, off = splines_along(arm, line, q0, checked_positive(tolerance, "tolerance"))
        _, qd, qdd = _states(splines, chosen, _checked_times(chosen))
        excess = float(max((np.abs(qd) / v).max(), np.sqrt((np.abs(qdd) / a).max())))
        if excess > 1.0:
            if wanted is not None:
                raise InputError(
                    f"`duration` is {wanted:g} s, but within the limits of the joints the motion "
                    f"takes {excess * wanted:.4g} s.",
                    argument="duration",
                )
            chosen = chosen.slower(excess * (1.0 + BELOW))
        end = np.asarray(splines[0](1.0), dtype=np.float64)
        self._set(start=q0, goal=end, profile=chosen, deviation=off, _splines=splines)
        self._set(duration=chosen.duration, n=arm.n)

    def _states(self, t: Array) -> tuple[Array, Array, Array]:
        return _states(self._splines, self.profile, t)


def _checked_times(how: Profile) -> Array:
    """Return the times at which limits are checked, including both sides of every kink."""
    kinks = np.outer(how.kinks, [1.0 - BESIDE, 1.0, 1.0 + BESIDE]).reshape(-1)
    return np.concatenate([np.linspace(0.0, how.duration, CHECKED_TIMES), kinks])


def _states(splines: tuple[Any, Any, Any], how: Profile, t: Array) -> tuple[Array, Array, Array]:
    s, sd, sdd = how.at(t)
    q, by_s, by_ss = (np.asarray(spline(s), dtype=np.float64) for spline in splines)
    return q, by_s * sd[:, None], by_ss * sd[:, None] ** 2 + by_s * sdd[:, None]


def _slowest(line: Line, straight: float, turning: float) -> float:
    """Return a limit in lines per second, from the limits of position and rotation."""
    ways = check_length(line)
    return float(ratio([straight, turning], ways, np.inf).min())
