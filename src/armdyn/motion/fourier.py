"""Fourier series: periodic motions, smooth and limited to a band of frequencies.

    q(t) = centre + sum_k  a_k sin(k w t) + b_k cos(k w t) + drift s(t / duration)

with w = 2 pi repeats / duration. The speed is zero at both ends if sum_k k a_k = 0, and the
acceleration is zero there if sum_k k^2 b_k = 0. The drift, zero for a periodic motion, moves the
end away from the start, by the smooth step s(x) = x^3 (10 - 15 x + 6 x^2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_flag, checked_whole
from armdyn.errors import InputError
from armdyn.motion.joint_space import Quintic
from armdyn.motion.trajectory import Trajectory, check_positions, checked_duration

# A larger number of periods is a mistake.
MOST_REPEATS = 1_000_000


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Fourier(Trajectory):
    """A finite Fourier series.

    Examples:
        >>> from armdyn.motion import Fourier
        >>> motion = Fourier([0.5], sines=[[0.2], [-0.1]], cosines=[[0.0], [0.0]], duration=2.0)
        >>> motion.q([0.0, 0.5]).ravel()
        array([0.5, 0.7])

    Attributes:
        centre: mean position, ``(n,)``.
        sines: a_k, ``(h, n)`` for h harmonics.
        cosines: b_k, ``(h, n)``.
        repeats: periods in the duration.
        drift: from the start to the end of the motion, ``(n,)``.
    """

    centre: Array
    sines: Array
    cosines: Array
    repeats: int
    drift: Array

    def __init__(
        self,
        centre: ArrayLike,
        sines: ArrayLike,
        cosines: ArrayLike,
        duration: float,
        *,
        repeats: int = 1,
        at_rest: bool = False,
        drift: ArrayLike | None = None,
    ) -> None:
        """Make a series.

        Args:
            centre: mean position, ``(n,)``.
            sines: a_k, ``(h, n)``.
            cosines: b_k, ``(h, n)``.
            duration: of the whole motion [s].
            repeats: periods in it.
            at_rest: take the nearest coefficients for which speed and acceleration are zero at
                both ends of every period; this needs two harmonics or more.
            drift: from the start to the end of the motion, ``(n,)``; zero if left out.
        """
        c = checked_array(centre, "centre", ("n",), frozen=True, what="a position (n,)")
        a = checked_array(sines, "sines", ("harmonics", len(c)))
        b = checked_array(cosines, "cosines", a.shape)
        number = checked_whole(repeats, "repeats", 1, MOST_REPEATS)
        if checked_flag(at_rest, "at_rest"):
            if len(a) < 2:
                raise InputError(
                    "a single harmonic never begins and ends at rest: give two harmonics or more.",
                    argument="at_rest",
                )
            a, b = resting(a, b)
        shift = np.zeros(len(c)) if drift is None else checked_array(drift, "drift", (len(c),))
        named = {"centre": c, "sines": a, "cosines": b, "drift": shift}
        for name, array in named.items():
            check_positions(array, name)
            array.flags.writeable = False
        self._set(centre=c, sines=a, cosines=b, repeats=number, drift=shift)
        self._set(duration=checked_duration(duration), n=len(c))

    @property
    def harmonics(self) -> int:
        """Number of harmonics."""
        return len(self.sines)

    @property
    def period(self) -> float:
        """Length of a period [s]."""
        return self.duration / self.repeats

    def _states(self, t: Array) -> tuple[Array, Array, Array]:
        sine, cosine, w = waves(t, self.harmonics, self.period)
        a, b = self.sines, self.cosines
        states = (
            self.centre + sine @ a + cosine @ b,
            (cosine * w) @ a - (sine * w) @ b,
            -(sine * w**2) @ a - (cosine * w**2) @ b,
        )
        if not self.drift.any():
            return states
        q, qd, qdd = (
            x + np.outer(step, self.drift)
            for x, step in zip(states, Quintic(self.duration).at(t), strict=True)
        )
        return q, qd, qdd


def waves(t: Array, harmonics: int, period: float) -> tuple[Array, Array, Array]:
    """Return the waves sin(k w t) and cos(k w t) of a Fourier series.

    Args:
        t: times ``(N,)`` [s].
        harmonics: number h of harmonics.
        period: length of the period [s].

    Returns:
        Sines and cosines, each ``(N, h)``, and the frequencies k w ``(h,)`` [rad/s].

    Examples:
        >>> sine, cosine, w = armdyn.motion.waves(np.array([0.0, 0.25]), harmonics=2, period=1.0)
        >>> sine
        array([[0., 0.],
               [1., 0.]])
    """
    w: Array = 2.0 * np.pi / period * np.arange(1, harmonics + 1, dtype=np.float64)
    # subtract whole periods first, so that the ends of all periods are the same state
    phase = np.outer(np.remainder(t / period, 1.0) * period, w)
    return np.sin(phase), np.cos(phase), w


def resting(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the nearest coefficients with zero velocity and acceleration at both ends.

    Args:
        a: sine coefficients ``(..., h, n)`` [rad or m].
        b: cosine coefficients ``(..., h, n)`` [rad or m].

    Returns:
        Sine and cosine coefficients, each ``(..., h, n)``.

    Examples:
        >>> a, b = armdyn.motion.resting(np.array([[1.0], [0.0]]), np.array([[1.0], [0.0]]))
        >>> a.ravel()  # a_1 + 2 a_2 = 0
        array([ 0.8, -0.4])
    """
    k = np.arange(1.0, a.shape[-2] + 1)
    return _without(a, k), _without(b, k**2)


def _without(x: Array, direction: Array) -> Array:
    unit = direction / np.linalg.norm(direction)
    return x - unit[:, None] * np.einsum("h,...hn->...n", unit, x)[..., None, :]
