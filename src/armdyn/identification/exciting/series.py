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
from armdyn.identification.exciting.limits import Limits
from armdyn.motion.fourier import Fourier, resting, waves
from armdyn.motion.joint_space import JointSpace
from armdyn.numerics import ratio

# Largest speed and acceleration of a quintic of unit length and time.
QUINTIC_SPEED, QUINTIC_ACCELERATION = 15.0 / 8.0, 10.0 / np.sqrt(3.0)

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

    def every(self, step: int) -> Motions:
        """Return the same motions at every `step`-th point."""
        q, qd, qdd = (x[:, ::step] for x in (self.q, self.qd, self.qdd))
        return Motions(q, qd, qdd, self.centre, self.sines, self.cosines)

    def __getitem__(self, part: slice) -> Motions:
        return Motions(
            self.q[part], self.qd[part], self.qdd[part],
            self.centre[part], self.sines[part], self.cosines[part],
        )  # fmt: skip


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
        self, limits: Limits, harmonics: int, period: float, ends: Ends | None = None
    ) -> None:
        """Prepare for limits.

        Args:
            limits: to keep.
            harmonics: of the series.
            period: of the series [s].
            ends: where the motion starts and ends; None leaves it to the numbers of a row.
        """
        self.limits, self.h, self.period, self.ends = limits, harmonics, period, ends
        self.n = len(limits.lower)
        self.drifts = ends is not None and bool(ends.drift.any())
        # the part of the motion after which it repeats itself
        self.span = ends.duration if ends is not None and self.drifts else period

    def times(self, points: int) -> Array:
        """Return times of the motion until it repeats itself, `points` for every period."""
        return times_of(self.span, points * round(self.span / self.period))

    def random(self, count: int, rng: np.random.Generator) -> Array:
        """Return random rows, ``(count, size)``."""
        weights = np.sqrt(np.arange(1.0, self.h + 1))[:, None]
        waves_ = rng.normal(size=(count, 2, self.h, self.n)) / weights
        places = rng.uniform(-1.0, 1.0, (count, self.n))
        shares = SHRINK * rng.normal(size=(count, self.n))
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
        q, qd, qdd = c + s * q, s * qd, s * qdd
        if self.ends is not None and self.drifts:
            step = JointSpace([0.0], [1.0], duration=self.ends.duration, shape="quintic")
            steps = step.states(self.times(points))
            repeats = round(self.span / self.period)
            q, qd, qdd = (
                np.tile(x, (1, repeats, 1)) + share * self.ends.drift
                for x, share in zip((q, qd, qdd), steps, strict=True)
            )
        return Motions(q, qd, qdd, centre, s * a, s * b)

    def _placed(
        self, q: Array, qd: Array, qdd: Array, share: Array, place: Array, between: float
    ) -> tuple[Array, Array]:
        """Return amplitudes and centres, ``(P, n)`` each; `place` is from -1 to 1 in the range."""
        low, high = q.min(axis=1), q.max(axis=1)
        room = self.limits.upper - self.limits.lower
        sizes = np.stack(
            [
                (high - low) / room,
                np.abs(qd).max(axis=1) / self.limits.velocity,
                np.abs(qdd).max(axis=1) / self.limits.acceleration,
            ]
        ).max(axis=0)
        s = ratio(share * between, sizes, 0.0)
        # the excess between the points may be at either end of the range
        reach = s * (high - low) / between
        centre = (self.limits.lower + self.limits.upper) / 2 - s * (low + high) / 2
        return s, centre + place * (room - reach) / 2

    def _from_start(
        self, ends: Ends, q: Array, qd: Array, qdd: Array, share: Array, between: float
    ) -> Array:
        """Return amplitudes ``(P, n)`` of series that are zero at the start."""
        low, high = q.min(axis=1), q.max(axis=1)
        middle, half = (low + high) / 2, (high - low) / 2 / between
        speed, change = ends.speeds()
        sizes = np.stack(
            [
                (middle + half) / (self.limits.upper - np.maximum(ends.start, ends.end)),
                (half - middle) / (np.minimum(ends.start, ends.end) - self.limits.lower),
                np.abs(qd).max(axis=1) / between / (self.limits.velocity - speed),
                np.abs(qdd).max(axis=1) / between / (self.limits.acceleration - change),
            ]
        ).max(axis=0)
        return ratio(share, sizes, 0.0)

    def fourier(self, row: Array, points: int, duration: float, shrink: float) -> Fourier:
        """Return the motion of a row, its amplitude multiplied by `shrink`."""
        one = self.motions(row[None], points, shrink)
        return Fourier(
            one.centre[0],
            one.sines[0],
            one.cosines[0],
            duration,
            repeats=round(duration / self.period),
            drift=self.ends.drift if self.ends is not None else None,
        )
