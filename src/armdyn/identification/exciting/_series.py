"""Fourier series as plain numbers, scaled so that they fill the limits of an arm.

For every joint, a row of numbers holds the coefficients, the place of its range within its limits,
and the share of the possible amplitude. With any numbers, the motion begins and ends at rest and
keeps the limits of position, velocity and acceleration. So the search needs no constraints on
these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.identification.exciting._limits import Limits
from armdyn.motion import Fourier, resting, waves

Array = NDArray[np.float64]

# Spread of the random numbers that reduce the amplitude below the largest possible one.
SHRINK = 0.02


@dataclass(frozen=True)
class Motions:
    """Motions at points of one period.

    Attributes:
        q: positions, ``(P, M, n)``.
        qd: velocities, ``(P, M, n)``.
        qdd: accelerations, ``(P, M, n)``.
        centre: means of the series, ``(P, n)``.
        sines: coefficients, ``(P, h, n)``.
        cosines: coefficients, ``(P, h, n)``.
    """

    q: Array
    qd: Array
    qdd: Array
    centre: Array
    sines: Array
    cosines: Array

    def __getitem__(self, part: slice) -> Motions:
        return Motions(
            self.q[part], self.qd[part], self.qdd[part],
            self.centre[part], self.sines[part], self.cosines[part],
        )  # fmt: skip


def times_of(period: float, points: int) -> Array:
    """Return equally spaced times of a period, without its end: the next period starts there."""
    return np.arange(points, dtype=np.float64) * (period / points)


class Series:
    """Converts rows of numbers to motions of an arm."""

    def __init__(self, limits: Limits, harmonics: int, period: float) -> None:
        self.limits, self.h, self.period = limits, harmonics, period
        self.n = len(limits.lower)

    @property
    def size(self) -> int:
        """Number of entries of a row."""
        return 2 * (self.h + 1) * self.n

    def random(self, count: int, rng: np.random.Generator) -> Array:
        """Return random rows, ``(count, size)``."""
        weights = np.sqrt(np.arange(1.0, self.h + 1))[:, None]
        waves_ = rng.normal(size=(count, 2, self.h, self.n)) / weights
        places = rng.uniform(-1.0, 1.0, (count, self.n))
        shares = SHRINK * rng.normal(size=(count, self.n))
        return np.concatenate([waves_.reshape(count, -1), places, shares], axis=1)

    def motions(self, rows: Array, points: int) -> Motions:
        """Return the motions of rows ``(P, size)`` at equally spaced points of a period.

        The amplitudes are reduced so that the motions keep the limits between the points, too: a
        trigonometric polynomial of degree h never exceeds its largest absolute value at M points
        divided by cos(pi h / M) (Ehlich and Zeller).
        """
        P, h, n, size = len(rows), self.h, self.n, self.h * self.n
        a, b = resting(rows[:, :size].reshape(P, h, n), rows[:, size : 2 * size].reshape(P, h, n))
        place = np.clip(rows[:, 2 * size : 2 * size + n], -1.0, 1.0)
        share = np.exp(-np.abs(rows[:, 2 * size + n :]))
        sine, cosine, w = waves(times_of(self.period, points), h, self.period)
        q = sine @ a + cosine @ b
        qd = (cosine * w) @ a - (sine * w) @ b
        qdd = -(sine * w**2) @ a - (cosine * w**2) @ b
        low, high = q.min(axis=1), q.max(axis=1)
        room = self.limits.upper - self.limits.lower
        sizes = np.stack(
            [
                (high - low) / room,
                np.abs(qd).max(axis=1) / self.limits.velocity,
                np.abs(qdd).max(axis=1) / self.limits.acceleration,
            ]
        ).max(axis=0)
        between = np.cos(np.pi * h / points)
        s = share * between / np.maximum(sizes, np.finfo(np.float64).tiny)
        # the excess between the points may be at either end of the range
        reach = s * (high - low) / between
        centre = (self.limits.lower + self.limits.upper) / 2 - s * (low + high) / 2
        centre = centre + place * (room - reach) / 2
        s, c = s[:, None, :], centre[:, None, :]
        return Motions(c + s * q, s * qd, s * qdd, centre, s * a, s * b)

    def fourier(self, row: Array, points: int, duration: float, shrink: float) -> Fourier:
        """Return the motion of a row, its amplitude about its centre multiplied by `shrink`."""
        one = self.motions(row[None], points)
        return Fourier(
            one.centre[0],
            shrink * one.sines[0],
            shrink * one.cosines[0],
            duration,
            repeats=round(duration / self.period),
        )
