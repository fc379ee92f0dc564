"""Pieces of a log without gaps, resampled to equal time steps.

A busy recorder skips samples: a log of 1 kHz has steps from 0.7 to 8.8 ms. Treating the steps as
equal would distort every velocity. So a cubic spline on the real stamps is evaluated at equal
steps. The motion within a long gap is unknown, and the log is cut there.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.checks import checked_positive
from armdyn.errors import InputError
from armdyn.log.log import Log
from armdyn.log.rows import blocks, extremes, first_not_before, part_of

# SciPy, imported only where it is used because it loads slowly; it has no type hints.


def scipy(module: str) -> Any:
    """Return a module of SciPy: ``scipy("signal")``."""
    return importlib.import_module(f"scipy.{module}")


# Positions, their derivatives, efforts and samples per second are at most this large in SI units,
# like all numbers of a robot: squares and sums of larger ones overflow.
LARGEST_NUMBER = 1e12

# A step this many times the median is a gap.
GAP = 5.0

# Steps that differ by less than this share of the median count as equal.
EQUAL_STEP_SHARE = 1e-3
# Stamps that deviate by less than this share of a step count as equal steps: printed numbers are
# rounded.
ROUNDING = 1e-6

# Samples beyond a block that its splines include. Their influence falls by a factor of 3.7 per
# sample, to 1e-27.
OVERLAP = 48


@dataclass(frozen=True)
class Segment:
    """Samples `start` to `stop`, excluding `stop`, of a log: a piece without gaps."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


def check_magnitudes(log: Log) -> None:
    """Raise an error if a log has numbers that no arm has."""
    source = log.source or "the log"
    for name in log.measured:
        low, high = extremes([getattr(log, name)])
        size = np.maximum(-low, high)
        j = int(np.argmax(size))
        if size[j] > LARGEST_NUMBER:
            raise InputError(
                f"`{name}` of {log.joint_names[j]} in {source} reaches {size[j]:g}, expected at "
                f"most {LARGEST_NUMBER:g} [SI units]: the column is the wrong one, or has a number "
                "that stands for a missing one."
            )
    if len(log) > 1 and not log.rate <= LARGEST_NUMBER:
        raise InputError(
            f"{source} has a median time step of {1.0 / log.rate:g} s, expected at least "
            f"{1.0 / LARGEST_NUMBER:g} s: are its stamps seconds?"
        )


def segments(log: Log, max_gap: float | None = None) -> tuple[Segment, ...]:
    """Return the pieces of a log between its gaps, and the ends of its episodes, in order.

    Args:
        log: the log.
        max_gap: longest step [s] that is not a gap; if left out, 5 median steps.
    """
    if len(log) < 2:
        return (Segment(0, len(log)),)
    longest = GAP / log.rate if max_gap is None else checked_positive(max_gap, "max_gap")
    cuts = {0, len(log), *(one.start for one in log.episodes)}
    for a, steps in _steps(log):
        cuts.update((np.flatnonzero(steps > longest) + a + 1).tolist())
    return tuple(Segment(a, b) for a, b in pairwise(sorted(cuts)))


def even_rate(log: Log, pieces: Sequence[Segment]) -> float:
    """Return the samples per second to resample a log at.

    This is the rate of the median step. Differences of stamps are rounded, which adds up over a
    million steps. So if the steps are equal, the rate follows from the length of a piece.
    """
    piece = max(pieces, key=len)
    first, last = (float(log.t[k : k + 1][0]) for k in (piece.start, piece.stop - 1))
    by_length = (len(piece) - 1) / (last - first) if len(piece) > 1 else log.rate
    return by_length if abs(by_length - log.rate) <= ROUNDING * log.rate else log.rate


def jitter_in_words(log: Log) -> str:
    """Return a sentence on the time steps, not counting gaps."""
    if len(log) < 2:
        return "the log has a single sample."
    middle, low, high = 1.0 / log.rate, np.inf, 0.0
    for _, steps in _steps(log):
        steps = steps[steps <= GAP * middle]
        low, high = min(low, steps.min(initial=np.inf)), max(high, steps.max(initial=0.0))
    if max(high - middle, middle - low) <= EQUAL_STEP_SHARE * middle:
        return f"steps of time are equal, {middle * 1e3:.4g} ms ({1 / middle:.4g} Hz)."
    return (
        f"steps of time differ, {low * 1e3:.4g} to {high * 1e3:.4g} ms with a median of "
        f"{middle * 1e3:.4g} ms ({1 / middle:.4g} Hz): the real stamps are used."
    )


def _steps(log: Log) -> Iterator[tuple[int, Array]]:
    """Yield the time steps in blocks, each with the number of its first sample."""
    for a, b in blocks(len(log) - 1):
        yield a, np.diff(log.t[a : b + 1])


class EqualSteps:
    """A piece of a log at equal steps, by cubic splines on its real stamps.

    Samples that are already at equal steps are used unchanged. The spline of a block includes
    samples beyond it, so that blocks fit together.
    """

    def __init__(self, log: Log, piece: Segment, rate: float) -> None:
        """Prepare a piece.

        Args:
            log: the log.
            piece: which samples.
            rate: samples per second at equal steps.
        """
        self.stamps = part_of(log.t, piece.start, piece.stop)
        self.piece, self.rate = piece, rate
        self.first, last = (float(self.stamps[k : k + 1][0]) for k in (0, len(piece) - 1))
        self.count = int(np.floor((last - self.first) * rate + ROUNDING)) + 1
        self.as_recorded = self.count == len(piece) and all(
            np.abs(self.stamps[a:b] - self.times(a, b)).max() <= ROUNDING / rate
            for a, b in blocks(self.count)
        )

    def times(self, a: int, b: int) -> Array:
        """Return the times of steps a to b."""
        return self.first + np.arange(a, b) / self.rate

    def values(self, column: Array, a: int, b: int, late: float = 0.0) -> Array:
        """Return a column ``(N, k)`` of the log at steps a to b, or `late` seconds after them.

        Times beyond the ends of the piece give the values there.
        """
        start = self.piece.start
        if self.as_recorded and not late:
            return column[start + a : start + b]
        at = self.times(a, b)
        if late:
            end = float(self.stamps[len(self.piece) - 1 :][0])
            at = np.clip(at + late, self.first, end)
        first = max(first_not_before(self.stamps, float(at[0])) - OVERLAP, 0)
        last = min(first_not_before(self.stamps, float(at[-1])) + OVERLAP, len(self.stamps))
        spline: Any = scipy("interpolate").CubicSpline
        try:
            with np.errstate(all="ignore"):
                made = spline(self.stamps[first:last], column[start + first : start + last])
                return np.asarray(made(at), np.float64)
        except ValueError as error:  # an overflow: numbers of 1e300, steps of 1e-300
            raise InputError(f"the samples cannot be interpolated: {error}") from error
