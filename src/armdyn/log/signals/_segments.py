"""Pieces of a log without gaps, and their samples carried over to equal steps of time.

A recorder that is busy skips samples: a log of 1 kHz has steps from 0.7 to 8.8 ms. Reading such a
log as if its steps were equal bends every velocity; so the real stamps are the abscissae of a cubic
spline, which is read at equal steps. Across a long gap nothing is known, and the log is cut there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_positive
from armdyn.errors import InputError
from armdyn.log._log import Log
from armdyn.log.signals._scipy import scipy
from armdyn.log.storage._slices import blocks, first_not_before, part_of

Array = NDArray[np.float64]

# A step this many times the median is a gap.
GAP = 5.0

# Steps that differ by less than this share of the median are called equal.
EQUAL = 1e-3
# Stamps that are off by less than this share of a step are at equal steps: printed numbers are
# rounded.
ROUNDING = 1e-6

# Samples beyond a block that its splines see. Their influence falls by 3.7 a sample, to 1e-27.
OVERLAP = 48


@dataclass(frozen=True)
class Segment:
    """Samples `start` to `stop`, without `stop`, of a log: a piece without gaps."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


def segments(log: Log, max_gap: float | None = None) -> tuple[Segment, ...]:
    """Return the pieces of a log between its gaps, in order.

    Args:
        log: the log.
        max_gap: longest step [s] that is not a gap; if left out, 5 median steps.
    """
    if len(log) < 2:
        return (Segment(0, len(log)),)
    longest = GAP / log.rate if max_gap is None else checked_positive(max_gap, "max_gap")
    cuts = [0]
    for a, steps in _steps(log):
        cuts += (np.flatnonzero(steps > longest) + a + 1).tolist()
    return tuple(Segment(a, b) for a, b in pairwise([*cuts, len(log)]))


def even_rate(log: Log, pieces: Sequence[Segment]) -> float:
    """Return the samples per second of equal steps that a log is read at.

    That is by the median step. Differences of stamps are rounded, though, and over a million steps
    that adds up: where steps are equal, the length of a piece tells them much better.
    """
    piece = max(pieces, key=len)
    first, last = (float(log.t[k : k + 1][0]) for k in (piece.start, piece.stop - 1))
    by_length = (len(piece) - 1) / (last - first) if len(piece) > 1 else log.rate
    return by_length if abs(by_length - log.rate) <= ROUNDING * log.rate else log.rate


def jitter_in_words(log: Log) -> str:
    """Return a sentence on the steps of time, with the gaps not counted."""
    if len(log) < 2:
        return "the log has a single sample."
    middle, low, high = 1.0 / log.rate, np.inf, 0.0
    for _, steps in _steps(log):
        steps = steps[steps <= GAP * middle]
        low, high = min(low, steps.min(initial=np.inf)), max(high, steps.max(initial=0.0))
    if max(high - middle, middle - low) <= EQUAL * middle:
        return f"steps of time are equal, {middle * 1e3:.4g} ms ({1 / middle:.4g} Hz)."
    return (
        f"steps of time differ, {low * 1e3:.4g} to {high * 1e3:.4g} ms with a median of "
        f"{middle * 1e3:.4g} ms ({1 / middle:.4g} Hz): the real stamps are used."
    )


def _steps(log: Log) -> Iterator[tuple[int, Array]]:
    """Yield the steps of time in blocks, each with the number of its first sample."""
    for a, b in blocks(len(log) - 1):
        yield a, np.diff(log.t[a : b + 1])


class EqualSteps:
    """A piece of a log as cubic splines on its real stamps give it at equal steps.

    Stamps at equal steps are taken as they are. Splines of a block see samples beyond it, so that
    blocks fit together.
    """

    def __init__(self, log: Log, piece: Segment, rate: float) -> None:
        """Look at a piece.

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

    def values(self, column: Array, a: int, b: int) -> Array:
        """Return a column ``(N, k)`` of the log at steps a to b."""
        start = self.piece.start
        if self.as_recorded:
            return column[start + a : start + b]
        at = self.times(a, b)
        first = max(first_not_before(self.stamps, float(at[0])) - OVERLAP, 0)
        last = min(first_not_before(self.stamps, float(at[-1])) + OVERLAP, len(self.stamps))
        spline: Any = scipy("interpolate").CubicSpline
        try:
            with np.errstate(all="ignore"):
                made = spline(self.stamps[first:last], column[start + first : start + last])
                return np.asarray(made(at), np.float64)
        except ValueError as error:  # an overflow: numbers of 1e300, steps of 1e-300
            raise InputError(f"the samples cannot be interpolated: {error}") from error
