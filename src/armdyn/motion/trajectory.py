"""`Trajectory`: the base class of all motions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_per_joint, checked_positive
from armdyn.errors import InputError, shown
from armdyn.robot.mechanism import check_serial

# Tolerances of motions.

# Times beyond an end by less than this share of the duration are at the end: sums of steps have
# rounding.
SAME_TIME = 1e-12

# A duration or a limit missed by less than this share counts as met: roots and quotients have
# rounding.
MET = 1e-9


# A larger number of samples means a wrong rate.
MOST_SAMPLES = 10_000_000


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Trajectory(ABC):
    """A motion of n joints from time 0 to `duration`: positions and their exact derivatives.

    Examples:
        >>> from armdyn.motion import JointSpace, Trajectory
        >>> motion = JointSpace([0.0], [1.0], duration=2.0)
        >>> isinstance(motion, Trajectory), motion.duration, motion.n
        (True, 2.0, 1)

    Attributes:
        duration: how long it takes [s].
        n: number of joints.
    """

    duration: float
    n: int

    def _set(self, **fields: object) -> None:
        """Set the fields of a new motion, which is frozen."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @abstractmethod
    def _states(self, t: Array) -> tuple[Array, Array, Array]:
        """Return q, qd and qdd ``(N, n)`` at times ``(N,)`` from 0 to `duration`."""

    def states(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Return positions, velocities and accelerations.

        Args:
            t: times ``(...)`` [s].

        Returns:
            q, qd and qdd, each ``(..., n)`` [rad or m, per s, per s^2].

        Examples:
            >>> motion = armdyn.motion.JointSpace([0.0], [1.0], duration=2.0, shape="quintic")
            >>> motion.states(1.0)
            (array([0.5]), array([0.9375]), array([0.]))
        """
        times = self._times(t)
        states = self._states(times.reshape(-1))
        q, qd, qdd = (x.reshape(*times.shape, self.n) for x in states)
        return q, qd, qdd

    def q(self, t: ArrayLike) -> Array:
        """Return the positions.

        Args:
            t: times ``(...)`` [s].

        Returns:
            q ``(..., n)`` [rad or m].

        Examples:
            >>> armdyn.motion.JointSpace([0.0], [1.0], duration=2.0).q([0.0, 1.0, 2.0]).ravel()
            array([0. , 0.5, 1. ])
        """
        return self.states(t)[0]

    def qd(self, t: ArrayLike) -> Array:
        """Return the velocities.

        Args:
            t: times ``(...)`` [s].

        Returns:
            qd ``(..., n)`` [rad/s or m/s].

        Examples:
            >>> armdyn.motion.JointSpace([0.0], [1.0], duration=2.0).qd([0.0, 1.0, 2.0]).ravel()
            array([0.  , 0.75, 0.  ])
        """
        return self.states(t)[1]

    def qdd(self, t: ArrayLike) -> Array:
        """Return the accelerations.

        Args:
            t: times ``(...)`` [s].

        Returns:
            qdd ``(..., n)`` [rad/s^2 or m/s^2].

        Examples:
            >>> armdyn.motion.JointSpace([0.0], [1.0], duration=2.0).qdd([0.5, 1.0, 1.5]).ravel()
            array([ 1.125,  0.   , -1.125])
        """
        return self.states(t)[2]

    def sample(self, at: float | ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Return t, q, qd and qdd at a rate or at given times.

        Args:
            at: samples per second, or times ``(N,)``. Both ends are sampled, so the rate is the
                nearest one that divides the duration into equal steps.

        Returns:
            t ``(N,)`` [s], and q, qd, qdd, each ``(N, n)``.

        Raises:
            InputError: the rate is not positive, or gives too many samples.

        Examples:
            >>> t, q, qd, qdd = armdyn.motion.JointSpace([0.0], [1.0], duration=2.0).sample(100.0)
            >>> t.shape, q.shape
            ((201,), (201, 1))
        """
        if not isinstance(at, list | tuple) and getattr(at, "ndim", 0) == 0:
            t = sample_times(self.duration, at, "at")
        else:
            t = self._times(cast(ArrayLike, at), "at")
            if t.ndim != 1:
                raise InputError(
                    f"`at` has shape {t.shape}, expected a rate or times (N,).", argument="at"
                )
        return (t, *self._states(t))

    def _times(self, t: ArrayLike, name: str = "t") -> Array:
        times = checked_array(t, name, finite=False, what="seconds")
        slack = SAME_TIME * self.duration
        inside = (times >= -slack) & (times <= self.duration + slack)
        if not inside.all():
            wrong = float(times[~inside].reshape(-1)[0])
            raise InputError(
                f"`{name}` has {wrong:g} s, outside the motion, which lasts from 0 to "
                f"{self.duration:g} s.",
                argument=name,
            )
        return np.clip(times, 0.0, self.duration)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.n} joints, {self.duration:.4g} s>"


def sample_times(duration: float, rate: object, name: str = "rate") -> Array:
    """Return equally spaced times from 0 to the duration, at approximately a rate."""
    what = f"samples a second: a positive number that gives at most {MOST_SAMPLES} samples"
    per_second = checked_positive(rate, name, what=what)
    if per_second * duration > MOST_SAMPLES:
        raise InputError(f"`{name}` is {shown(rate)}, expected {what}.", argument=name)
    return np.linspace(0.0, duration, max(1, round(per_second * duration)) + 1)


# Sizes of numbers with which motions are computed.
#
# Squares and quotients of numbers beyond them overflow, and no arm has such positions, limits or
# times.

# Fifth powers of these are far from the ends of the range of doubles, 1e-308 to 1e308.
LEAST, MOST = 1e-30, 1e30
RANGE = f"from {LEAST:g} to {MOST:g}"


def checked_arm(value: object, serial: str = "") -> Arm:
    """Return the argument `arm`, in double precision.

    With `serial`, which says what is computed, a tree is refused.
    """
    if not isinstance(value, Arm):
        raise InputError(
            f"`arm` is {shown(value)}, expected an armdyn.Arm; see armdyn.load().", argument="arm"
        )
    if serial:
        check_serial(value.robot, serial)
    return value.astype(np.float64)


def check_positions(q: Array, name: str) -> None:
    """Raise an error if a position is too large; it may be as small as it likes."""
    if not (np.abs(q) <= MOST).all():
        raise InputError(
            f"`{name}` has {np.abs(q).max():g}, expected positions of at most {MOST:g} in size "
            "[rad or m].",
            argument=name,
        )


def checked_limits(value: object, name: str, n: int, *, infinite: bool = True) -> Array:
    """Return the limits of n joints, given as one number or as n; infinite for none."""
    limits = checked_per_joint(value, name, n, above=0.0, infinite=infinite)
    check_limits(limits, name)
    return limits


def check_limits(limits: Array, name: str) -> None:
    """Raise an error if a limit is too small or too large."""
    wrong = np.isfinite(limits) & ((limits < LEAST) | (limits > MOST))
    if wrong.any():
        raise InputError(
            f"`{name}` has {limits[wrong][0]:g}, expected limits {RANGE}.", argument=name
        )


def checked_duration(value: object, name: str = "duration") -> float:
    """Return a duration [s]."""
    duration = checked_positive(value, name)
    if not LEAST <= duration <= MOST:
        raise InputError(f"`{name}` is {duration:g} s, expected {RANGE} s.", argument=name)
    return duration


def check_shortest(duration: float) -> None:
    """Raise an error if limits make a motion last too short or too long a time [s]."""
    if not LEAST <= duration <= MOST:
        raise InputError(
            f"within the limits the motion takes {duration:g} s, expected {RANGE} s. Are its way "
            "and its limits in rad or m, and seconds?"
        )
