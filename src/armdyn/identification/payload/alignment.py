"""Two logs of one motion: by how much one starts later than the other.

Nobody starts two recordings at the same moment of a motion. The velocities of both logs are
compared at all shifts of time at once, by their correlation; of shifts that fit about equally well
(a periodic motion has several) the one with the longest common part is taken. Gauss-Newton steps on
the positions then find the shift to a small share of a sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.log.signals import Prepared
from armdyn.numerics import ratio

# Two logs show the same motion if their positions differ by at most this share of its range.
SAME_MOTION = 0.05

# The most points of the correlation. Long logs are compared at longer steps.
MOST_POINTS = 1 << 16

# The common part has at least this share of the motion of the shorter log.
LEAST_COMMON = 0.3

# Shifts whose misfit exceeds the smallest one by less than this factor and amount fit as well.
AS_WELL = 1.5, 0.005

# Gauss-Newton steps, and the step [s] that ends them.
ROUNDS = 30
SETTLED = 1e-7


@dataclass(frozen=True, eq=False)
class Alignment:
    """How the log without load lies beside the log with load.

    Attributes:
        shift: seconds by which the motion comes later in the log without load, each counted from
            the start of its log.
        times: of the samples of the log with load, on the clock of the other ``(N,)``.
        common: which of them the other log has ``(N,)``.
    """

    shift: float
    times: Array
    common: NDArray[np.bool_]


def aligned(held: Prepared, empty: Prepared, starts: tuple[float, float]) -> Alignment:
    """Return the shift that makes two logs one motion.

    Args:
        held: the log with load.
        empty: the log without load.
        starts: the first time of either log.

    Raises:
        InputError: no shift makes them one motion.
    """
    if len(empty.bounds) > 1:
        raise InputError(
            "the log `without` load has gaps, and cannot be subtracted; leave it out, or record "
            "it again."
        )
    shift = _refined(held, empty, _coarse(held, empty))
    times = held.t + shift
    common = (times >= empty.t[0]) & (times <= empty.t[-1])
    extent = float(np.linalg.norm(held.q - held.q.mean(axis=0)))
    off = np.inf
    if common.any():
        apart = _positions(empty, times[common]) - held.q[common]
        off = float(ratio(np.linalg.norm(apart), extent * np.sqrt(common.mean()), 1.0))
    told = shift + starts[0] - starts[1]
    if not off <= SAME_MOTION:
        raise InputError(
            "the logs with and without load are not of one motion: at no shift of time do they "
            f"agree; at the best one, {told:+.3g} s, positions differ by {off:.0%} of the "
            "motion's extent. Leave `without` out to subtract the model of the arm instead.",
            argument="without",
        )
    return Alignment(told, times, common)


def _coarse(held: Prepared, empty: Prepared) -> float:
    """Return the shift, empty.t - held.t, to about one step."""
    longest = max(log.t[-1] - log.t[0] for log in (held, empty))
    step = max(1.0 / held.rate, 1.0 / empty.rate, longest / MOST_POINTS)
    a, here = _resampled(held, step)
    b, there = _resampled(empty, step)
    size = 1 << (len(a) + len(b) - 1).bit_length()
    energy = _correlation(np.sum(a**2, axis=1), there, size)
    energy += _correlation(here, np.sum(b**2, axis=1), size)
    product = np.zeros(size)
    for j in range(a.shape[1]):
        product += _correlation(a[:, j], b[:, j], size)
    enough = LEAST_COMMON * 2.0 * min(float(np.sum(a**2)), float(np.sum(b**2)))
    valid = energy > enough
    if not valid.any():
        return float(empty.t[0] - held.t[0])
    misfit = np.where(valid, (energy - 2.0 * product) / np.where(valid, energy, 1.0), np.inf)
    factor, more = AS_WELL
    good = misfit <= factor * max(float(misfit.min()), 0.0) + more
    best = int(np.argmax(np.where(good, energy, -np.inf)))
    lag = best if best < size // 2 else best - size
    return float(empty.t[0] - held.t[0]) + lag * step


def _resampled(log: Prepared, step: float) -> tuple[Array, Array]:
    """Return velocities at equal steps, zero in gaps, and a mask (1.0 where there are samples)."""
    t = np.arange(log.t[0], log.t[-1], step)
    mask = np.zeros(len(t))
    for a, b in log.bounds:
        mask[(t >= log.t[a]) & (t <= log.t[b - 1])] = 1.0
    values = interpolated(t, log.t, log.qd) * mask[:, None]
    return values, mask


def _correlation(x: Array, y: Array, size: int) -> Array:
    """Return sum_t x(t) y(t + lag) for lags 0, 1, ..., -2, -1."""
    return np.fft.irfft(np.conj(np.fft.rfft(x, size)) * np.fft.rfft(y, size), size)


def _refined(held: Prepared, empty: Prepared, shift: float) -> float:
    for _ in range(ROUNDS):
        times = held.t + shift
        common = (times >= empty.t[0]) & (times <= empty.t[-1])
        if common.sum() < 2:
            break
        r = _positions(empty, times[common]) - held.q[common]
        v = interpolated(times[common], empty.t, empty.qd)
        # a load makes a real arm sag: its mean position says nothing about time
        r, v = r - r.mean(axis=0), v - v.mean(axis=0)
        step = -float(ratio(np.sum(r * v), np.sum(v * v), 0.0))
        shift += step
        if abs(step) < SETTLED:
            break
    return shift


def _positions(log: Prepared, t: Array) -> Array:
    """Return positions at other times within a log, by cubics of positions and velocities."""
    k = np.clip(np.searchsorted(log.t, t, side="right") - 1, 0, len(log.t) - 2)
    h = (log.t[k + 1] - log.t[k])[:, None]
    x = (t - log.t[k])[:, None] / h
    a, b = log.q[k], log.q[k + 1]
    left, right = h * log.qd[k] - (b - a), h * log.qd[k + 1] - (b - a)
    return a + x * (b - a) + x * (1.0 - x) * ((1.0 - x) * left - x * right)


def interpolated(t: Array, at: Array, values: Array) -> Array:
    """Return values ``(N, m)`` at other times, by straight lines."""
    result = np.empty((len(t), values.shape[1]))
    for j in range(values.shape[1]):
        result[:, j] = np.interp(t, at, values[:, j])
    return result
