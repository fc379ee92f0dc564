"""Align two logs of one motion in time.

Two recordings start at different moments of a motion. The velocities of both logs are
compared at all time shifts by their cross-correlation; of shifts that fit equally well (a periodic
motion has several) the one with the longest common part is used. Gauss-Newton steps on the
positions then refine the shift to a small share of a sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.log.segments import scipy
from armdyn.log.signals import Prepared
from armdyn.numerics import ratio


@dataclass(frozen=True)
class AlignmentSearch:
    """Settings of the alignment.

    Attributes:
        same_motion: largest difference of positions of one motion, as a share of its extent.
        most_points: of the correlation; long logs are compared at longer steps.
        common: least share of the motion of the shorter log in the common part.
        as_good: shifts whose misfit exceeds the smallest one by less than this factor and this
            amount fit equally well.
        rounds: most Gauss-Newton steps.
        settled: step [s] that ends them, far below a sample.
    """

    same_motion: float = 0.05
    most_points: int = 1 << 16
    common: float = 0.3
    as_good: tuple[float, float] = (1.5, 0.005)
    rounds: int = 30
    settled: float = 1e-7


SEARCH = AlignmentSearch()


def aligned(
    held: Prepared, empty: Prepared, starts: Sequence[float]
) -> tuple[float, Array, NDArray[np.bool_]]:
    """Align two logs of one motion in time.

    Args:
        held: the log with load.
        empty: the log without load.
        starts: the first time of either log.

    Returns:
        The seconds by which the motion comes later in the log without load, each counted from the
        start of its log; the times of the samples of the log with load, on the clock of the other;
        and which of them the other log covers.

    Raises:
        InputError: the logs are of different motions.
    """
    if len(empty.bounds) > 1:
        raise InputError(
            "the log `without` load has gaps and cannot be subtracted. Omit it or record it again.",
            argument="without",
        )
    positions = scipy("interpolate").CubicHermiteSpline(empty.t, empty.q, empty.qd)

    def compared(shift: float) -> tuple[Array, NDArray[np.bool_], Array]:
        """Return times on the other clock, which are common, and differences of positions."""
        times = held.t + shift
        common = (times >= empty.t[0]) & (times <= empty.t[-1])
        return times, common, positions(times[common]) - held.q[common]

    shift = _coarse(held, empty)
    for _ in range(SEARCH.rounds):
        times, common, r = compared(shift)
        if len(r) < 2:
            break
        v = interpolated(times[common], empty.t, empty.qd)
        # a load makes a real arm sag: its mean position does not depend on the shift
        r, v = r - r.mean(axis=0), v - v.mean(axis=0)
        step = -float(ratio(np.sum(r * v), np.sum(v * v), 0.0))
        shift += step
        if abs(step) < SEARCH.settled:
            break
    times, common, apart = compared(shift)
    extent = float(np.linalg.norm(held.q - held.q.mean(axis=0))) * np.sqrt(common.mean())
    off = float(ratio(np.linalg.norm(apart), extent, 1.0)) if common.any() else np.inf
    of_starts = shift + starts[0] - starts[1]
    if not off <= SEARCH.same_motion:
        raise InputError(
            "the logs with and without load are not of one motion: at the best time shift, "
            f"{of_starts:+.3g} s, positions differ by {off:.0%} of the motion's extent (limit "
            f"{SEARCH.same_motion:.0%}). Omit `without` to subtract the model of the arm instead.",
            argument="without",
        )
    return of_starts, times, common


def _coarse(held: Prepared, empty: Prepared) -> float:
    """Return the shift, empty.t - held.t, to about one step."""
    longest = max(log.t[-1] - log.t[0] for log in (held, empty))
    step = max(1.0 / held.rate, 1.0 / empty.rate, longest / SEARCH.most_points)
    a, here = _resampled(held, step)
    b, there = _resampled(empty, step)
    signal = scipy("signal")

    def correlation(x: Array, y: Array) -> Array:
        """Return the sum over t of x(t) y(t + lag) for all lags."""
        return signal.correlate(y, x, method="fft")

    energy = correlation(np.sum(a**2, axis=1), there) + correlation(here, np.sum(b**2, axis=1))
    product = np.sum([correlation(a[:, j], b[:, j]) for j in range(held.n)], axis=0)
    valid = energy > SEARCH.common * 2.0 * min(float(np.sum(a**2)), float(np.sum(b**2)))
    start = float(empty.t[0] - held.t[0])
    if not valid.any():
        return start
    misfit = np.where(valid, (energy - 2.0 * product) / np.where(valid, energy, 1.0), np.inf)
    factor, more = SEARCH.as_good
    good = misfit <= factor * max(float(misfit.min()), 0.0) + more
    best = int(np.argmax(np.where(good, energy, -np.inf)))
    return start + float(signal.correlation_lags(len(b), len(a))[best]) * step


def _resampled(log: Prepared, step: float) -> tuple[Array, Array]:
    """Return velocities at equal steps, zero in gaps, and a mask (1.0 where there are samples)."""
    t = np.arange(log.t[0], log.t[-1], step)
    mask = np.zeros(len(t))
    for a, b in log.bounds:
        mask[(t >= log.t[a]) & (t <= log.t[b - 1])] = 1.0
    return interpolated(t, log.t, log.qd) * mask[:, None], mask


def interpolated(t: Array, at: Array, values: Array) -> Array:
    """Return values ``(N, m)`` at other times, interpolated linearly."""
    return np.stack([np.interp(t, at, values[:, j]) for j in range(values.shape[1])], axis=1)
