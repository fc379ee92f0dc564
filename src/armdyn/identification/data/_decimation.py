"""One linear filter for torques and regressors, which also thins them out, block by block.

The model stays linear in the parameters if torques and all columns of the regressor pass through
the same filter. The filter keeps the band of the motion, removes the noise above it, and leaves few
rows. It is symmetric and of finite length: no delay, no start-up, and each row depends on a known
range of samples, so logs of any length are filtered in blocks. Rows whose range is cut off at the
end of a segment are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Rows of one product with the filter's matrix. More rows mean more zeros, and a product so large
# that the linear algebra library starts threads, which takes longer than the product itself.
TILE = 4

# Share of the Nyquist frequency of the rows that are left at which the band ends.
EDGE = 0.8

# Half the length of the filter, in rows that are left, and the shape of its Kaiser window: 40 dB.
REACH = 5.0
SHAPE = 3.4


# Means are taken of up to this share of a row's samples before the weights.
SHARE = 1 / 8


@dataclass(frozen=True)
class DecimationFilter:
    """A low-pass that keeps one row of `factor`.

    Attributes:
        mean: samples that are averaged first, an odd number.
        step: averages a row.
        taps: the weights of averages, symmetric, of sum 1.
    """

    mean: int
    step: int
    taps: Array

    @property
    def factor(self) -> int:
        """Samples a row."""
        return self.mean * self.step

    @property
    def reach(self) -> int:
        """Samples on either side that a row depends on."""
        return (self.mean * len(self.taps)) // 2

    def centres(self, samples: int) -> NDArray[np.int64]:
        """Return the samples of a segment that rows are centred on, the same distance apart."""
        spare = samples - 1 - 2 * self.reach
        if spare < 0:
            return np.zeros(0, np.int64)
        first = self.reach + (spare % self.factor) // 2
        return np.arange(first, samples - self.reach, self.factor, dtype=np.int64)

    def rows(self, values: Array) -> Array:
        """Return the rows of samples ``(N, c)``, the first centred on sample `reach`."""
        return self.weighted(self.averages(values))

    def averages(self, values: Array) -> Array:
        """Return the means of `mean` samples each, which `weighted` makes rows of."""
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
    mean = max(int(SHARE * most), 1)
    mean -= 1 - mean % 2
    return _band(mean, most // mean)


def decimation(factor: int) -> DecimationFilter:
    """Return the low-pass that keeps one row of `factor`; of 1, all samples as they are."""
    return _band(1, factor)


def _band(mean: int, step: int) -> DecimationFilter:
    if mean * step == 1:
        return DecimationFilter(1, 1, np.ones(1))
    reach = int(REACH * step)
    k = np.arange(-reach, reach + 1)
    taps = np.sinc(k / step) * np.kaiser(2 * reach + 1, SHAPE)
    return DecimationFilter(mean, step, taps / taps.sum())
