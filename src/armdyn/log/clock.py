"""When samples were taken: stamps against positions and measured velocities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.log.log import Log
from armdyn.log.rows import FileRows, blocks, is_in_file, picked, runs
from armdyn.log.segments import EQUAL_STEP_SHARE, Segment, check_magnitudes, segments
from armdyn.numerics import ratio

# When the samples of a log were taken, if its stamps do not tell.
#
# A recorder writes the newest message of its source at every tick of its own clock. If no message
# has come since the last tick, it writes the old one again: all numbers are the same to the bit,
# though the arm moves. Such a row is no measurement. The other rows carry the time of the tick, not
# that of the message. The age of the message grows from tick to tick until a row repeats: a
# saw-tooth as high as a period of the source. Other recorders stamp messages when they arrive,
# sooner or later. Differentiated, such stamps make accelerations that the arm never had. A source
# with a steady clock sends at equal steps, so stamps lie along a straight line. If positions are
# much smoother at equal steps, these are the times of the samples, unless measured velocities agree
# better with the stamps. A joint at rest says nothing about time, and takes no part.

Rows = NDArray[np.int64]

# A joint moves from a sample to the next if it goes on by this many of the smallest steps of its
# position: a slow joint stands on one step of its encoder for several samples. It moves in a piece
# if the rms of its steps is this many times its noise: 1.4 for noise alone, 1.9 for a random walk.
STEPS = 3.0
# Before a stop a joint slows down, and after it speeds up: the step next to it is much smaller than
# the step before. One that goes on has steps that grow by this factor at most.
GROWTH = 1.5

# Equal steps are believed if they make this share, or less, of the squared deviations of positions
# from a smooth motion ...
SMOOTHER_RATIO = 0.5
# ... which is looked at in so many runs of so many samples.
RUNS, RUN = 16, 2048
# A piece of fewer samples tells nothing: by chance, noise or steps of an encoder are smooth at
# equal steps (of 2100 synthetic pieces with true stamps, 11 of 12 samples and none of 48).
LEAST_SAMPLES = 48

# Samples on both sides that a position is interpolated from, without itself.
SIDE = 2


def at_source_times(log: Log) -> Log:
    """Return a log with the times of its source, as far as the samples tell them.

    Rows that repeat the row before while the arm moves are left out. Pieces whose positions are
    much smoother at equal steps of time get these. Notes tell both. A log whose stamps are right is
    returned as it is.
    """
    if len(log) < 2:
        return log
    check_magnitudes(log)
    again = _repeated(log)
    notes: list[str] = []
    if len(again):
        notes.append(
            f"{len(again)} of {len(log)} rows repeat the row before while the arm moves, as a "
            "recorder writes that has no new data; they are left out."
        )
        log = _without_rows(log, again)
    clocks = [_Clock.of(log, piece) for piece in segments(log)]
    steady = [clock for clock in clocks if clock.is_smoother(log)]
    if steady:
        period, off = (1e3 * max(x) for x in zip(*((c.period, c.off) for c in steady), strict=True))
        notes.append(
            f"positions are smooth at equal steps of {period:.4g} ms, and not at their stamps, "
            f"which are up to {off:.2g} ms off: samples are taken at equal steps."
        )
        log = replace(log, t=_at_equal_steps(log, steady))
    return replace(log, notes=(*log.notes, *notes)) if notes else log


def _repeated(log: Log) -> Rows:
    """Return the numbers of the rows that repeat the row before while the arm moves."""
    columns = [*(getattr(log, name) for name in log.measured), *log.extra.values()]
    found, smallest = [np.zeros(0, dtype=np.int64)], np.full(log.n, np.inf)
    for a, b in blocks(len(log) - 1):
        step = np.abs(np.diff(log.q[a : b + 1], axis=0))
        same = ~step.any(axis=1)
        for column in columns[1:] if same.any() else ():
            rows = column[a : b + 1].reshape(b + 1 - a, -1)
            same &= (rows[1:] == rows[:-1]).all(axis=1)
        found.append(np.flatnonzero(same) + a + 1)
        smallest = np.minimum(smallest, np.where(step > 0.0, step, np.inf).min(axis=0))
    rows = np.concatenate(found)
    if not len(rows):
        return rows
    starts = np.flatnonzero(np.diff(rows, prepend=-1) != 1)
    first, last = rows[starts], rows[np.append(starts[1:], len(rows)) - 1]
    inside = (first >= 3) & (last + 2 < len(log))
    moving = np.zeros(len(first), dtype=np.bool_)
    a, b = first[inside], last[inside]
    q = {k: picked(log.q, at) for k, at in enumerate((a - 3, a - 2, a - 1, b + 1, b + 2))}
    slowing, before, after, speeding = (np.abs(q[k + 1] - q[k]) for k in range(4))
    moving[inside] = (
        ((q[2] - q[1]) * (q[3] - q[2]) > 0.0)
        & (np.minimum(before, after) >= STEPS * smallest)
        & (slowing <= GROWTH * before)
        & (speeding <= GROWTH * after)
    ).any(axis=1)
    return rows[np.repeat(moving, last - first + 1)]


def _without_rows(log: Log, rows: Rows) -> Log:
    extra = {name: np.delete(column, rows, axis=0) for name, column in log.extra.items()}
    stops = cast("list[int]", [one.stop for one in log.episodes])
    left = {name: _without(getattr(log, name), rows) for name in ("t", *log.measured)}
    ends = [stop - int(np.searchsorted(rows, stop)) for stop in stops]
    episodes = [slice(a, b) for a, b in pairwise([0, *ends]) if a < b]
    return replace(log, **left, extra=MappingProxyType(extra), episodes=episodes)


def _without(column: Array, rows: Rows) -> Array:
    """Return a column without some rows, in memory or in a file, like the input."""
    if not is_in_file(column):
        return np.delete(column, rows, axis=0)
    made = FileRows(*column.shape[1:])
    for a, b in blocks(len(column)):
        first, last = np.searchsorted(rows, (a, b)).tolist()
        made.append(np.delete(column[a:b], rows[first:last] - a, axis=0))
    return cast(Array, made)


@dataclass(frozen=True)
class _Clock:
    """The equal steps that fit the stamps of a piece best.

    Attributes:
        piece: which samples.
        begin: the time of the first sample [s].
        period: the step [s].
        off: largest distance of a stamp from its step [s].
    """

    piece: Segment
    begin: float
    period: float
    off: float

    @staticmethod
    def of(log: Log, piece: Segment) -> _Clock:
        """Return the straight line through the stamps by their numbers."""
        count, first = len(piece), float(log.t[piece.start : piece.start + 1][0])
        middle, mean, slope = 0.5 * (count - 1), 0.0, 0.0
        for a, b in blocks(count):
            late = log.t[piece.start + a : piece.start + b] - first
            mean += float(late.sum()) / count
            slope += float((np.arange(a, b) - middle) @ late)
        slope /= max(count * (count**2 - 1) / 12.0, 1.0)
        line = _Clock(piece, first + mean - slope * middle, slope, 0.0)
        off = max(
            float(np.abs(log.t[piece.start + a : piece.start + b] - line.times(a, b)).max())
            for a, b in blocks(count)
        )
        return replace(line, off=off)

    def times(self, a: int, b: int) -> Array:
        """Return the times of samples a to b of the piece."""
        return self.begin + self.period * np.arange(a, b, dtype=np.float64)

    def is_smoother(self, log: Log) -> bool:
        """Whether no stamp is off by more than a period, and samples fit equal steps better."""
        if (
            len(self.piece) < LEAST_SAMPLES
            or not EQUAL_STEP_SHARE * self.period < self.off <= self.period
        ):
            return False
        rough, apart = np.zeros((2, 2, log.n))
        steps, rounding = np.zeros((2, log.n))
        for a, b in runs(len(self.piece), RUNS, RUN):
            rows = slice(self.piece.start + a, self.piece.start + b)
            clocks, q = (self.times(a, b), log.t[rows]), log.q[rows]
            rounding += np.sum((np.finfo(np.float64).eps * q) ** 2, axis=0)
            q = q - q[0]
            steps += np.sum(np.diff(q[SIDE - 1 : -SIDE], axis=0) ** 2, axis=0)
            rough += [_roughness(t, q) for t in clocks]
            if log.qd is not None:
                apart += [_distance_from_slopes(t, q, log.qd[rows]) for t in clocks]
        # The better clock shows the noise. Each joint counts in units of its own; where none moves,
        # all sums are zero.
        noise = np.maximum(rough.min(axis=0), rounding)
        moving = steps > STEPS**2 * noise
        rough = ratio(rough, noise, 0.0)[:, moving].sum(axis=1)
        apart = ratio(apart, apart.min(axis=0), 0.0)[:, moving].sum(axis=1)
        return bool(rough[0] < SMOOTHER_RATIO * rough[1]) and bool(apart[0] <= apart[1])


def _roughness(t: Array, q: Array) -> Array:
    """Return squared distances of positions from cubics through their neighbours, ``(n,)``.

    Each distance is divided by the standard deviation that noise of deviation 1 gives it, which is
    larger where stamps lie close together: noise alone is as rough at any stamps.
    """
    count = len(t) - 2 * SIDE
    sides = [k for k in range(2 * SIDE + 1) if k != SIDE]
    at = t[SIDE : SIDE + count]
    near = [t[k : k + count] for k in sides]
    off, deviation = q[SIDE : SIDE + count].copy(), np.ones(count)
    for i, k in enumerate(sides):
        weight = np.ones(count)
        for other in (*near[:i], *near[i + 1 :]):
            weight *= (at - other) / (near[i] - other)
        off -= weight[:, None] * q[k : k + count]
        deviation = np.hypot(deviation, weight)
    return np.sum((off / deviation[:, None]) ** 2, axis=0)


def _distance_from_slopes(t: Array, q: Array, v: Array) -> Array:
    """Return squared distances of steps of positions from those of measured velocities, ``(n,)``.

    Velocities may be in another unit or of the other sign: those of each joint are scaled to fit.
    """
    step, path = np.diff(q, axis=0), 0.5 * (v[1:] + v[:-1]) * np.diff(t)[:, None]
    along = ratio(np.sum(step * path, axis=0), np.sum(path**2, axis=0), 0.0)
    return np.sum((step - along * path) ** 2, axis=0)


def _at_equal_steps(log: Log, clocks: list[_Clock]) -> Array:
    """Return stamps with those of some pieces at equal steps."""
    made = FileRows() if is_in_file(log.t) else None
    whole = np.empty(0 if made is not None else len(log))
    for a, b in blocks(len(log)):
        t = np.array(log.t[a:b])
        for clock in clocks:
            start, stop = max(clock.piece.start, a), min(clock.piece.stop, b)
            if start < stop:
                first = clock.piece.start
                t[start - a : stop - a] = clock.times(start - first, stop - first)
        if made is None:
            whole[a:b] = t
        else:
            made.append(t)
    return whole if made is None else cast(Array, made)


# Measured velocities against the slope of the positions: a check of signs, units and stamps.

# Velocities agree if their correlation is at least this ...
MIN_CORRELATION = 0.95
# ... and their sizes are within this factor.
FACTOR = 1.1
# A ratio of sizes this close to a known ratio is explained by its cause.
RATIO_TOLERANCE = 0.1

# A joint slower than this share of the fastest is not compared.
RESTING_SHARE = 1e-3

# Known ratios of measured to differentiated velocity, and their causes.
CAUSES = (
    (-1.0, "their sign is the other way round"),
    (180 / math.pi, "they are in degrees per second"),
    (math.pi / 180, "positions are in degrees but velocities in radians per second"),
    (60 / math.tau, "they are in turns per minute"),
    (1000.0, "they are in millimetres per second, or time stamps are wrong by 1000"),
    (0.001, "the time stamps are wrong by 1000"),
)


@dataclass(eq=False)
class Velocities:
    """Mean products of the velocities of every joint, ``(n,)``, for the comparison.

    Attributes:
        slope: squares of those from differentiated positions.
        measured: squares of the measured ones at the same times, low-passed in the same way.
        product: of both.
        count: samples in the means.
    """

    slope: Array
    measured: Array
    product: Array
    count: int = 0

    @staticmethod
    def none(n: int) -> Velocities:
        """Return means of no samples."""
        return Velocities(np.zeros(n), np.zeros(n), np.zeros(n))

    def add(self, slope: Array, measured: Array) -> None:
        """Add more samples, ``(N, n)`` both."""
        self.count += len(slope)
        share = len(slope) / max(self.count, 1)
        pairs = (slope, slope), (measured, measured), (slope, measured)
        for mean, (a, b) in zip((self.slope, self.measured, self.product), pairs, strict=True):
            mean += share * (np.einsum("ij,ij->j", a, b) / max(len(a), 1) - mean)

    @property
    def difference(self) -> Array:
        """Root mean square of measured velocity minus slope, ``(n,)``."""
        return np.sqrt(np.maximum(self.slope + self.measured - 2.0 * self.product, 0.0))

    def moving(self, least: float) -> NDArray[np.bool_]:
        """Return which joints move at least at this share of the speed of the fastest."""
        speed = np.sqrt(self.slope)
        return speed > least * speed.max(initial=0.0)


def compare_velocities(names: Sequence[str], seen: Velocities) -> list[str]:
    """Return a sentence for each cause of velocities that differ from the slope of positions."""
    causes = velocity_causes(seen)
    if seen.moving(RESTING_SHARE).any() and not causes:
        return ["measured velocities agree with the slopes of the positions."]
    return [
        f"measured velocities of {', '.join(names[j] for j in joints)} are not the slopes of "
        f"positions; perhaps {why}."
        for why, joints in causes.items()
    ]


def velocity_causes(seen: Velocities) -> dict[str, list[int]]:
    """Return why velocities differ from the slopes of positions, with the joints (from 0)."""
    causes: dict[str, list[int]] = {}
    for j in np.flatnonzero(seen.moving(RESTING_SHARE)).tolist():
        cause = _cause(float(seen.slope[j]), float(seen.measured[j]), float(seen.product[j]))
        if cause is not None:
            causes.setdefault(cause, []).append(j)
    return causes


def _cause(slope: float, measured: float, product: float) -> str | None:
    """Return why velocities may differ; None if they agree."""
    size, other = math.sqrt(slope), math.sqrt(measured)
    likeness = product / (size * other) if other else 0.0
    ratio = math.copysign(other / size, likeness)
    if likeness >= MIN_CORRELATION and 1 / FACTOR < ratio < FACTOR:
        return None
    if abs(likeness) >= MIN_CORRELATION:
        for factor, words in CAUSES:
            if abs(ratio / factor - 1) < RATIO_TOLERANCE:
                return words
        return f"they are {ratio:.3g} times as large, as on the other side of a drive"
    return "they are not of the same motion or not of the same joint"
