"""Zero-phase low-pass filters, accurate differences, and the choice of the cut-off frequency."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from armdyn.arrays import Array
from armdyn.log.log import Log
from armdyn.log.rows import extremes, runs
from armdyn.log.segments import EqualSteps, even_rate, scipy, segments
from armdyn.numerics import ratio

# Zero-phase low-pass, and accurate differences.
#
# The filter is a Butterworth of order 4 run forward and backward: no delay, and a gain of
# ``1/(1 + (f/fc)^8)``, which is 1/2 at the cut-off and within 3e-6 of 1 at a fifth of it.

# Of the Butterworth filter, which runs twice.
ORDER = 4

# The start-up of the filter counts as forgotten when this share of it is left.
FORGOTTEN = 1e-17

# The highest cut-off, as a share of the Nyquist frequency: above, almost nothing is removed.
MAX_NYQUIST_SHARE = 0.8

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


# The cut-off frequency of positions, chosen from their spectrum, and why.
#
# The lower the cut-off, the more of the motion is lost; the higher, the more noise gets into the
# accelerations. White noise of density S in the positions is ``(2 pi f)^4 S`` in the accelerations,
# and ``(2 pi)^4 S fc^5/5`` in total up to the cut-off fc. The cut-off is chosen so that this is a
# given small share of the accelerations of the motion: quiet encoders keep a wide band.

# Accepted rms noise of the accelerations, relative to the motion.
NOISE_SHARE = 0.02

# The motion ends at the frequency below which this share of the power of the velocity lies.
MOTION_SHARE = 0.98
# Only spectral lines above this many times the noise count as motion: noise alone exceeds it once
# in 1e13.
ABOVE_NOISE = 30.0

# The cut-off is at least this many times the motion of the median joint; there the gain is
# 1 - 3e-6.
MIN_CUTOFF_FACTOR = 5.0
# And at least this many times the motion of the fastest joint, where the gain is 1 - 2e-4.
LEAST_OF_FASTEST = 3.0
# It is at most this many times the motion: there is no motion beyond.
MAX_CUTOFF_FACTOR = 100.0

# The noise is the level of the upper end of the spectrum; shares of the Nyquist frequency.
UPPER_END = (0.7, 0.95)

# The level of noise is averaged over about this many windows.
WINDOWS = 8
# Longer windows [samples] bring no useful resolution.
LONGEST_WINDOW = 1 << 15

# Fewer samples give no spectrum.
FEWEST_SAMPLES = 64


def choose_cutoff(log: Log, *, max_gap: float | None = None) -> tuple[float, str]:
    """Return a cut-off [Hz] for the positions of a log, and the reason as a sentence.

    Args:
        log: the log; its longest piece without gaps is analysed, or evenly spread windows of a long
            piece.
        max_gap: longest time step [s] that is not a gap; 5 median steps if left out.
    """
    pieces = segments(log, max_gap)
    rate = even_rate(log, pieces)
    highest = MAX_NYQUIST_SHARE * rate / 2
    piece = max(pieces, key=len)
    if len(piece) < FEWEST_SAMPLES:
        return highest, "0.8 of the Nyquist frequency, as the log is too short for a spectrum"
    steps = EqualSteps(log, piece, rate)
    asked = runs(steps.count, WINDOWS, LONGEST_WINDOW + 1)
    parts = [steps.values(log.q, a, b) for a, b in asked]
    low, high = extremes(parts)
    parts = [part[:, high > low] for part in parts]
    if not (high > low).any():
        return highest, "0.8 of the Nyquist frequency, as no joint moves"
    f, power = _spectrum(parts, rate, 1)
    noise = _noise(*(_spectrum(parts, rate, WINDOWS) if len(parts) == 1 else (f, power)))
    motion, acceleration = _motion(f, power, noise)
    middle, fastest = float(np.median(motion)), float(motion.max())
    by_noise = float(np.median(_noise_limit(noise, acceleration)))
    words = f"the motion ends at {middle:.3g} Hz"
    if by_noise <= (least := max(MIN_CUTOFF_FACTOR * middle, LEAST_OF_FASTEST * fastest)):
        chosen, why = least, f"noise asks for less, but {words}, {fastest:.3g} Hz for one joint"
    elif by_noise <= min(highest, MAX_CUTOFF_FACTOR * middle):
        chosen = by_noise
        why = f"up to there noise adds {NOISE_SHARE:.0%} to the accelerations; {words}"
    elif MAX_CUTOFF_FACTOR * middle < highest:
        chosen, why = (
            MAX_CUTOFF_FACTOR * middle,
            f"{MAX_CUTOFF_FACTOR:g} times the motion, {middle:.3g} Hz; noise is low",
        )
    else:
        chosen, why = highest, f"0.8 of the Nyquist frequency, as noise is low; {words}"
    return (
        (chosen, why) if chosen < highest else (highest, f"0.8 of the Nyquist frequency; {words}")
    )


def _spectrum(parts: Sequence[Array], rate: float, windows: int) -> tuple[Array, Array]:
    """Return frequencies and power spectra ``(F, n)`` of positions, the mean of equal parts.

    Differences are analysed instead of positions, so that the slow motion, ten orders of magnitude
    above the noise, does not leak into it.
    """
    f, power = np.zeros(0), np.zeros((0, 0))
    for q in parts:
        steps = np.diff(q, axis=0)
        size = min(len(steps), max(FEWEST_SAMPLES, 2 * len(steps) // (windows + 1)), LONGEST_WINDOW)
        f, one = scipy("signal").welch(
            steps, fs=rate, window="blackmanharris", nperseg=size, detrend="constant", axis=0
        )
        power = power + one / len(parts) if len(power) else one / len(parts)
    gain = (2 * np.sin(np.pi * f[1:] / rate)) ** 2
    return f[1:], power[1:] / gain[:, None]


def _motion(f: Array, power: Array, noise: Array) -> tuple[Array, Array]:
    """Return the highest frequency of the motion of every joint, and its acceleration squared."""
    clear = np.where(power > ABOVE_NOISE * noise, power, 0.0)
    total = np.cumsum(clear * f[:, None] ** 2, axis=0)
    ends = f[(total < MOTION_SHARE * total[-1]).sum(axis=0)]
    inside = clear * (f[:, None] <= MIN_CUTOFF_FACTOR * ends)
    return ends, np.asarray((2 * np.pi * f) ** 4 @ inside * (f[1] - f[0]), np.float64)


def _noise_limit(noise: Array, acceleration: Array) -> Array:
    """Return the frequency up to which noise is the wanted share of the accelerations."""
    allowed = NOISE_SHARE**2 * acceleration
    return ratio(5 * allowed, (2 * np.pi) ** 4 * noise, np.inf) ** 0.2


def _noise(f: Array, power: Array) -> Array:
    low, high = (share * f[-1] for share in UPPER_END)
    return np.median(power[(f >= low) & (f <= high)], axis=0)
