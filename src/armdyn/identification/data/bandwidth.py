"""The band of frequencies that the regression uses, and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.log.rows import runs
from armdyn.log.signals import Prepared

# The band of the motion contains this share of the power of the velocity.
MOTION_SHARE = 0.99

# Width of the band, in multiples of the highest frequency of the motion. Torques have harmonics of
# the motion, and steps where friction reverses; noise is at all frequencies.
ROOM = 16.0

# Joints slower than this share of the fastest joint do not count.
RESTING = 1e-2

# In a long segment, the spectra of this many runs of samples, of this length, are averaged.
RUNS, RUN = 8, 1 << 16


def motion_frequency(prepared: Sequence[Prepared]) -> float:
    """Return the highest frequency [Hz] of the motion of any joint in any log."""
    return max(_of_one(log, *bounds) for log in prepared for bounds in log.bounds)


def band_width(prepared: Sequence[Prepared]) -> tuple[float, str]:
    """Return the upper frequency [Hz] of the band of torques and regressor, and the reason."""
    motion = motion_frequency(prepared)
    width = min(ROOM * motion, *(log.cutoff for log in prepared))
    return width, f"{width / motion:.2g} times the highest frequency of the motion, {motion:.3g} Hz"


def _of_one(log: Prepared, start: int, stop: int) -> float:
    asked = runs(stop - start, RUNS, RUN)
    size = 1 << (asked[0][1] - asked[0][0] - 1).bit_length()
    power = np.zeros((size // 2 + 1, log.n))
    for a, b in asked:
        v = log.qd[start + a : start + b]
        v = (v - v.mean(axis=0)) * np.hanning(len(v))[:, None]
        for j in range(log.n):
            power[:, j] += np.abs(np.fft.rfft(v[:, j], size)) ** 2
    frequency = np.fft.rfftfreq(size, 1.0 / log.rate)
    total = power.sum(axis=0)
    moving = total > RESTING**2 * total.max(initial=0.0)
    if not moving.any():
        return float(frequency[-1])
    reached = np.cumsum(power[:, moving], axis=0) / total[moving] >= MOTION_SHARE
    return float(max(frequency[np.argmax(reached, axis=0)].max(), frequency[1]))
