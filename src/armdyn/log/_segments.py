"""Pieces of a log without gaps, and their samples carried over to equal steps of time.

A recorder that is busy skips samples: a log of 1 kHz has steps from 0.7 to 8.8 ms. Reading such a
log as if its steps were equal bends every velocity; so the real stamps are the abscissae of a cubic
spline, which is read at equal steps. Across a long gap nothing is known, and the log is cut there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError, shown
from armdyn.log._log import Log
from armdyn.log._scipy import scipy

Array = NDArray[np.float64]

# A step this many times the median is a gap.
GAP = 5.0

# Steps that differ less than this share of the median are called equal; stamps that are off by less
# than this share of a step are taken as they should be: the rounding of printed numbers.
EQUAL = 1e-3
ROUNDING = 1e-6

# Samples beyond a block that its splines see: their influence falls by 3.7 a sample, to 1e-27.
OVERLAP = 48
BLOCK = 1 << 16


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
    steps = np.diff(log.t)
    longest = GAP * float(np.median(steps)) if max_gap is None else positive("max_gap", max_gap)
    cuts = [0, *(np.flatnonzero(steps > longest) + 1).tolist(), len(log)]
    return tuple(Segment(a, b) for a, b in pairwise(cuts))


def jitter_in_words(log: Log) -> str:
    """Return a sentence on the steps of time, with the gaps not counted."""
    if len(log) < 2:
        return "the log has a single sample."
    steps = np.diff(log.t)
    middle = float(np.median(steps))
    steps = steps[steps <= GAP * middle]
    low, high = float(steps.min()), float(steps.max())
    if max(high - middle, middle - low) <= EQUAL * middle:
        return f"steps of time are equal, {middle * 1e3:.4g} ms ({1 / middle:.4g} Hz)."
    return (
        f"steps of time differ, {low * 1e3:.4g} to {high * 1e3:.4g} ms with a median of "
        f"{middle * 1e3:.4g} ms ({1 / middle:.4g} Hz): the real stamps are used."
    )


def equal_steps(t: Array, rate: float) -> Array:
    """Return stamps at equal steps from the first of t to the last."""
    count = int(np.floor((t[-1] - t[0]) * rate * (1 + 1e-12) + 1e-9)) + 1
    return t[0] + np.arange(count) / rate


def resampled(t: Array, values: Array, at: Array) -> Array:
    """Return values ``(N, k)`` recorded at t as a cubic spline gives them at other times.

    Long logs are taken in blocks that overlap by more than a spline's memory.
    """
    if len(t) == len(at) and np.abs(t - at).max() <= ROUNDING * (at[1] - at[0]):
        return np.array(values)
    spline: Any = scipy("interpolate").CubicSpline
    result = np.empty((len(at), *values.shape[1:]))
    for a in range(0, len(at), BLOCK):
        b = min(a + BLOCK, len(at))
        first = max(int(np.searchsorted(t, float(at[a]))) - OVERLAP, 0)
        last = min(int(np.searchsorted(t, float(at[b - 1]))) + OVERLAP, len(t))
        try:
            with np.errstate(all="ignore"):
                result[a:b] = spline(t[first:last], values[first:last])(at[a:b])
        except ValueError as error:  # an overflow: numbers of 1e300, steps of 1e-300
            raise InputError(f"the samples cannot be interpolated: {error}") from error
    return result


def positive(name: str, value: object) -> float:
    """Return an option that has to be a positive number."""
    try:
        number = float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 < number < float("inf"):
        raise InputError(f"`{name}` is {shown(value)}, expected a positive number.")
    return number
