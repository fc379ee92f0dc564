"""One linear filter that smooths and decimates torques and regressors, block by block.

The model stays linear in the parameters if torques and all columns of the regressor pass through
the same filter. The filter keeps the band of the motion, removes the noise above it, and leaves few
rows. It is symmetric and of finite length: no delay, no start-up, and each row depends on a known
range of samples, so logs of any length are filtered in blocks. Rows whose range is cut off at the
end of a segment are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.log.rows import runs
from armdyn.log.signals import Prepared
from armdyn.log.trim import NEGLIGIBLE_MOTION

# Rows of one product with the filter's matrix. More rows mean more zeros, and a product so large
# that the linear algebra library starts threads, which takes longer than the product itself.
TILE = 4

# End of the passband as a share of the Nyquist frequency of the decimated rows.
EDGE = 0.8

# Half the length of the filter, in decimated rows, and the shape of its Kaiser window: 40 dB of
# stopband attenuation.
REACH, KAISER_BETA = 5.0, 3.4

# Up to this share of a row's samples is averaged before the weights apply: the average's own
# low-pass is flat to 2 % in the passband.
AVERAGED_SHARE = 1 / 8


@dataclass(frozen=True)
class DecimationFilter:
    """A low-pass that keeps one row out of `factor`.

    Attributes:
        mean: samples that are averaged first, an odd number.
        step: averages per row.
        taps: the weights of averages, symmetric, of sum 1.
    """

    mean: int
    step: int
    taps: Array

    @property
    def factor(self) -> int:
        """Samples per row."""
        return self.mean * self.step

    @property
    def reach(self) -> int:
        """Samples on either side that a row depends on."""
        return (self.mean * len(self.taps)) // 2

    def centres(self, samples: int) -> NDArray[np.int64]:
        """Return the equally spaced samples of a segment on which rows are centred."""
        spare = samples - 1 - 2 * self.reach
        if spare < 0:
            return np.zeros(0, np.int64)
        first = self.reach + (spare % self.factor) // 2
        return np.arange(first, samples - self.reach, self.factor, dtype=np.int64)

    def rows(self, values: Array) -> Array:
        """Return the rows of samples ``(N, c)``, the first centred on sample `reach`."""
        return self.weighted(self.averages(values))

    def averages(self, values: Array) -> Array:
        """Return the means of `mean` samples each, the input of `weighted`."""
        if self.mean == 1:
            return values
        whole = len(values) // self.mean
        groups = values[: whole * self.mean].reshape(whole, self.mean, values.shape[1])
        return np.einsum("gmc->gc", groups) / self.mean

    def weighted(self, values: Array) -> Array:
        """Return the rows of averages ``(N, c)``."""
        if self.factor == 1:
            return values
        count = (len(values) - len(self.taps)) // self.step + 1
        result = np.empty((count, values.shape[1]))
        matrix = np.zeros((TILE, (TILE - 1) * self.step + len(self.taps)))
        for k in range(TILE):
            matrix[k, k * self.step : k * self.step + len(self.taps)] = self.taps
        for first in range(0, count, TILE):
            last = min(first + TILE, count)
            start, stop = first * self.step, (last - 1) * self.step + len(self.taps)
            part = matrix[: last - first, : stop - start]
            np.matmul(part, values[start:stop], out=result[first:last])
        return result


def decimation_filter(rate: float, width: float) -> DecimationFilter:
    """Return the low-pass that keeps frequencies up to `width` [Hz] of samples at `rate` [Hz]."""
    most = max(int(EDGE * rate / (2.0 * width)), 1)
    mean = max(int(AVERAGED_SHARE * most), 1)
    mean -= 1 - mean % 2
    return _band(mean, most // mean)


def decimation(factor: int) -> DecimationFilter:
    """Return the low-pass that keeps one row out of `factor`; 1 keeps all samples unchanged."""
    return _band(1, factor)


def _band(mean: int, step: int) -> DecimationFilter:
    if mean * step == 1:
        return DecimationFilter(1, 1, np.ones(1))
    reach = int(REACH * step)
    k = np.arange(-reach, reach + 1)
    taps = np.sinc(k / step) * np.kaiser(2 * reach + 1, KAISER_BETA)
    return DecimationFilter(mean, step, taps / taps.sum())


@dataclass(frozen=True)
class RegressionBand:
    """How the band of the rows is chosen.

    Attributes:
        motion_share: share of the power of the velocities in the band of the motion.
        factor: width of the band of the rows, in multiples of the band of the motion. Torques have
            harmonics of the motion, and steps where friction reverses; noise is at all frequencies.
        runs: most runs of samples of a long segment whose spectra are averaged.
        run: their length [samples].
    """

    motion_share: float = 0.99
    factor: float = 16.0
    runs: int = 8
    run: int = 1 << 16


BAND = RegressionBand()


def band_width(prepared: Sequence[Prepared]) -> tuple[float, str]:
    """Return the upper frequency [Hz] of the band of torques and regressor, and the reason."""
    motion = max(_motion_frequency(log, *bounds) for log in prepared for bounds in log.bounds)
    width = min(BAND.factor * motion, *(log.cutoff for log in prepared))
    return width, f"{width / motion:.2g} times the highest frequency of the motion, {motion:.3g} Hz"


def _motion_frequency(log: Prepared, start: int, stop: int) -> float:
    """Return the highest frequency [Hz] of the motion of any joint in a segment."""
    parts = runs(stop - start, BAND.runs, BAND.run)
    size = 1 << (parts[0][1] - parts[0][0] - 1).bit_length()
    power = np.zeros((size // 2 + 1, log.n))
    for a, b in parts:
        v = log.qd[start + a : start + b]
        v = (v - v.mean(axis=0)) * np.hanning(len(v))[:, None]
        for j in range(log.n):
            power[:, j] += np.abs(np.fft.rfft(v[:, j], size)) ** 2
    frequency = np.fft.rfftfreq(size, 1.0 / log.rate)
    total = power.sum(axis=0)
    moving = total > NEGLIGIBLE_MOTION**2 * total.max(initial=0.0)
    if not moving.any():
        return float(frequency[-1])
    reached = np.cumsum(power[:, moving], axis=0) / total[moving] >= BAND.motion_share
    return float(max(frequency[np.argmax(reached, axis=0)].max(), frequency[1]))
