"""Zero-phase low-pass, and accurate differences.

The filter is a Butterworth of order 4 run forward and backward: no delay, and a gain of
``1/(1 + (f/fc)^8)``, which is 1/2 at the cut-off and within 3e-6 of 1 at a fifth of it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armdyn.log.signals._scipy import scipy

Array = NDArray[np.float64]

# Of the Butterworth filter, which runs twice.
ORDER = 4

# The start-up of the filter counts as forgotten when this share of it is left.
FORGOTTEN = 1e-17

# The highest cut-off, as a share of the Nyquist frequency: above, almost nothing is removed.
HIGHEST = 0.8

# Central differences on nine points: wrong by (w h)^8/630 and (w h)^8/3150 of the derivative, for a
# motion of angular frequency w sampled every h. The plain three-point ones, (w h)^2/6, are wrong by
# 6 % for a motion of 3 Hz in a log of 30 Hz.
REACH = 4
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND = np.array(
    [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]
)  # fmt: skip


class ZeroPhase:
    """Low-pass filter for columns read in blocks, with the result of filtering them at once.

    Forward, the filter continues from its last state. Backward, it starts far enough after the
    block that its start-up is forgotten.
    """

    def __init__(
        self, read: Callable[[int, int], Array], count: int, rate: float, cutoff: float
    ) -> None:
        """Begin at the first row.

        Args:
            read: rows a to b of the columns.
            count: number of rows.
            rate: rows per second.
            cutoff: [Hz].
        """
        signal = scipy("signal")
        self._sections: Array = signal.butter(ORDER, cutoff, fs=rate, output="sos")
        poles = np.abs(signal.butter(ORDER, cutoff, fs=rate, output="zpk")[1])
        self.memory = int(np.ceil(np.log(FORGOTTEN) / np.log(poles.max())))
        # The start-up of the filter dies out within a few periods of the cut-off.
        few = 3 * (2 * len(self._sections) + 1)
        self._pad = min(count - 1, max(int(np.ceil(3 * rate / cutoff)), few))
        self._steady: Array = signal.sosfilt_zi(self._sections)[:, :, None]
        self._filter = signal.sosfilt
        self._read, self._count = read, count
        # Rows filtered forward, from `_first` on, and the state of the filter after them.
        self._first, self._ahead = 0, 0
        self._forward, self._state = np.zeros((0, 0)), np.zeros(0)

    def rows(self, a: int, b: int) -> Array:
        """Return filtered rows a to b; a must not decrease from call to call."""
        self._go_on(b + self.memory)
        self._forward = self._forward[a - self._first :]
        self._first = a
        back = self._forward[::-1]
        back, _ = self._filter(self._sections, back, axis=0, zi=self._steady * back[0])
        return np.ascontiguousarray(back[::-1][: b - a])

    def _go_on(self, end: int) -> None:
        """Filter forward up to a row, or to the last row if that is near."""
        end = self._count if end + self._pad >= self._count else end
        if self._ahead >= end:
            return
        values = self._read(self._ahead, end)
        if not self._ahead:
            # The columns are continued by point reflection at their ends.
            near = self._read(0, self._pad + 1)
            values = np.concatenate([2 * near[0] - near[:0:-1], values])
            self._state = self._steady * values[0]
        if end == self._count:
            near = self._read(end - self._pad - 1, end)
            values = np.concatenate([values, 2 * near[-1] - near[-2::-1]])
        made, self._state = self._filter(self._sections, values, axis=0, zi=self._state)
        made = made if self._ahead else made[self._pad :]
        self._forward = made if not self._ahead else np.concatenate([self._forward, made])
        self._ahead = end


def derivatives(values: Array, rate: float) -> tuple[Array, Array]:
    """Return first and second derivatives of columns, without `REACH` rows at both ends."""
    return _convolved(values, FIRST * rate), _convolved(values, SECOND * rate**2)


def _convolved(values: Array, weights: Array) -> Array:
    """Return weighted sums of neighbours; weights are symmetric up to the sign."""
    count = len(values) - 2 * REACH
    result = weights[REACH] * values[REACH : REACH + count]
    odd = weights[0] == -weights[-1]
    for k in range(REACH):
        before, after = values[k : k + count], values[2 * REACH - k : 2 * REACH - k + count]
        pair = after - before if odd else after + before
        pair *= weights[2 * REACH - k]
        result += pair
    return result
