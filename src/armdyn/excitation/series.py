"""Fourier series as plain numbers, scaled so that they fill the limits of an arm.

For every joint, a row of numbers holds the coefficients, the place of its range within its limits,
and the share of the possible amplitude. With given ends, the place follows from the start, and a
smooth drift leads to the end. With any numbers, the motion begins and ends at rest and keeps the
limits of position, velocity and acceleration. So the search needs no constraints on these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.excitation.limits import Limits
from armdyn.motion.fourier import Fourier, resting, waves
from armdyn.motion.joint_space import JointSpace
from armdyn.numerics import ratio

# Largest speed and acceleration of a quintic of unit length and time (by its derivatives).
QUINTIC_SPEED, QUINTIC_ACCELERATION = 15.0 / 8.0, 10.0 / np.sqrt(3.0)

# Standard deviation of the random numbers x that reduce amplitudes by exp(-|x|): the largest
# possible amplitudes are nearly the best ones.
SHRINK_STD = 0.02


@dataclass(frozen=True)
class Motions:
    """P motions at M points of one period.

    Attributes:
        states: positions, velocities and accelerations, ``(3, P, M, n)``.
        centre: means of the series, ``(P, n)``.
        sines: coefficients, ``(P, h, n)``.
        cosines: coefficients, ``(P, h, n)``.
    """

    states: Array
    centre: Array
    sines: Array
    cosines: Array


def times_of(period: float, points: int) -> Array:
    """Return equally spaced times of a period, without its end: the next period starts there."""
    return np.arange(points, dtype=np.float64) * (period / points)


@dataclass(frozen=True)
class Ends:
    """Where a motion starts and ends at rest, ``(n,)`` each, and how long it takes [s]."""

    start: Array
    end: Array
    duration: float

    @property
    def drift(self) -> Array:
        """From the start to the end."""
        return self.end - self.start

    def speeds(self) -> tuple[Array, Array]:
        """Return the largest speed and acceleration of the drift, ``(n,)`` each."""
        size = np.abs(self.drift) / self.duration
        return size * QUINTIC_SPEED, size / self.duration * QUINTIC_ACCELERATION


class Series:
    """Converts rows of numbers to motions of an arm."""

    def __init__(
        self, limits: Limits, harmonics: int, duration: float, repeats: int, ends: Ends | None
    ) -> None:
        """Prepare for limits.

        Args:
            limits: to keep.
            harmonics: of the series.
            duration: of the motion [s].
            repeats: periods in the duration.
            ends: where the motion starts and ends; None leaves it to the numbers of a row.
        """
        self.limits, self.h, self.n = limits, harmonics, len(limits.lower)
        self.duration, self.repeats, self.ends = duration, repeats, ends
        self.period = duration / repeats
        self.drift = np.zeros(self.n) if ends is None else ends.drift
        # periods after which the motion repeats itself
        self.span = repeats if self.drift.any() else 1

    def times(self, points: int) -> Array:
        """Return times of the motion until it repeats itself, `points` for every period."""
        return times_of(self.span * self.period, points * self.span)

    def random(self, count: int, rng: np.random.Generator) -> Array:
        """Return random rows, ``(count, size)``."""
        weights = np.sqrt(np.arange(1.0, self.h + 1))[:, None]
        waves_ = rng.normal(size=(count, 2, self.h, self.n)) / weights
        places = rng.uniform(-1.0, 1.0, (count, self.n))
        shares = SHRINK_STD * rng.normal(size=(count, self.n))
        return np.concatenate([waves_.reshape(count, -1), places, shares], axis=1)

    def motions(self, rows: Array, points: int, shrink: float = 1.0) -> Motions:
        """Return the motions of rows ``(P, size)`` at equally spaced points.

        The amplitudes are reduced so that the motions keep the limits between the points, too: a
        trigonometric polynomial of degree h never exceeds its largest absolute value at M points
        divided by cos(pi h / M) (Ehlich and Zeller).

        Args:
            rows: numbers of the motions.
            points: of every period.
            shrink: factor of the amplitudes, about the centres, or about the given ends.
        """
        P, h, n, size = len(rows), self.h, self.n, self.h * self.n
        a, b = resting(rows[:, :size].reshape(P, h, n), rows[:, size : 2 * size].reshape(P, h, n))
        share = np.exp(-np.abs(rows[:, 2 * size + n :]))
        sine, cosine, w = waves(times_of(self.period, points), h, self.period)
        q = sine @ a + cosine @ b
        qd = (cosine * w) @ a - (sine * w) @ b
        qdd = -(sine * w**2) @ a - (cosine * w**2) @ b
        between = np.cos(np.pi * h / points)
        if self.ends is None:
            place = np.clip(rows[:, 2 * size : 2 * size + n], -1.0, 1.0)
            s, centre = self._placed(q, qd, qdd, share, place, between)
            s = shrink * s
        else:
            first = b.sum(axis=1)
            s = shrink * self._from_start(self.ends, q - first[:, None], qd, qdd, share, between)
            centre = self.ends.start - s * first
        s, c = s[:, None, :], centre[:, None, :]
        states = np.stack([c + s * q, s * qd, s * qdd])
        if self.drift.any():
            step = JointSpace([0.0], [1.0], duration=self.duration, shape="quintic")
            steps = np.stack(step.states(self.times(points)))
            states = np.tile(states, (1, 1, self.span, 1)) + steps[:, None] * self.drift
        return Motions(states, centre, s * a, s * b)

    def _placed(
        self, q: Array, qd: Array, qdd: Array, share: Array, place: Array, between: float
    ) -> tuple[Array, Array]:
        """Return amplitudes and centres, ``(P, n)`` each; `place` is from -1 to 1 in the range."""
        limits, low, high = self.limits, q.min(axis=1), q.max(axis=1)
        width = limits.upper - limits.lower
        speed, change = (np.abs(x).max(axis=1) for x in (qd, qdd))
        used = [(high - low) / width, speed / limits.velocity, change / limits.acceleration]
        s = ratio(share * between, np.max(used, axis=0), 0.0)
        # the excess between the points may be at either end of the range
        reach = s * (high - low) / between
        centre = (limits.lower + limits.upper) / 2 - s * (low + high) / 2
        return s, centre + place * (width - reach) / 2

    def _from_start(
        self, ends: Ends, q: Array, qd: Array, qdd: Array, share: Array, between: float
    ) -> Array:
        """Return amplitudes ``(P, n)`` of series that are zero at the start."""
        limits, low, high = self.limits, q.min(axis=1), q.max(axis=1)
        middle, half = (low + high) / 2, (high - low) / 2 / between
        speed, change = ends.speeds()
        used = [
            (middle + half) / (limits.upper - np.maximum(ends.start, ends.end)),
            (half - middle) / (np.minimum(ends.start, ends.end) - limits.lower),
            np.abs(qd).max(axis=1) / between / (limits.velocity - speed),
            np.abs(qdd).max(axis=1) / between / (limits.acceleration - change),
        ]
        return ratio(share, np.max(used, axis=0), 0.0)

    def fourier(self, row: Array, points: int, shrink: float) -> Fourier:
        """Return the motion of a row, its amplitude multiplied by `shrink`."""
        one = self.motions(row[None], points, shrink)
        return Fourier(
            one.centre[0], one.sines[0], one.cosines[0], self.duration,
            repeats=self.repeats, drift=self.drift,
        )  # fmt: skip
