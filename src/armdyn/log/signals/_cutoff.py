"""The cut-off frequency of positions, chosen from their spectrum, and why.

The lower the cut-off, the more of the motion is lost; the higher, the more noise gets into the
accelerations. White noise of density S in the positions is ``(2 pi f)^4 S`` in the accelerations,
and ``(2 pi)^4 S fc^5/5`` in total up to the cut-off fc. The cut-off is chosen so that this is a
given small share of the accelerations of the motion: quiet encoders keep a wide band.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn._numerics import ratio
from armdyn.log._log import Array, Log
from armdyn.log.signals._filter import HIGHEST
from armdyn.log.signals._scipy import scipy
from armdyn.log.signals._segments import EqualSteps, even_rate, segments
from armdyn.log.storage._slices import extremes, runs

# Accepted rms noise of the accelerations, relative to the motion.
NOISE_SHARE = 0.02

# The motion ends at the frequency below which this share of the power of the velocity lies.
MOTION_SHARE = 0.98
# Only spectral lines above this many times the noise count as motion: noise alone exceeds it once
# in 1e13.
ABOVE_NOISE = 30.0

# The cut-off is at least this many times the motion of the median joint; there the gain is
# 1 - 3e-6.
LEAST = 5.0
# And at least this many times the motion of the fastest joint, where the gain is 1 - 2e-4.
LEAST_OF_FASTEST = 3.0
# It is at most this many times the motion: there is no motion beyond.
MOST = 100.0

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
    highest = HIGHEST * rate / 2
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
    if by_noise <= (least := max(LEAST * middle, LEAST_OF_FASTEST * fastest)):
        chosen, why = least, f"noise asks for less, but {words}, {fastest:.3g} Hz for one joint"
    elif by_noise <= min(highest, MOST * middle):
        chosen = by_noise
        why = f"up to there noise adds {NOISE_SHARE:.0%} to the accelerations; {words}"
    elif MOST * middle < highest:
        chosen, why = MOST * middle, f"{MOST:g} times the motion, {middle:.3g} Hz; noise is low"
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
    inside = clear * (f[:, None] <= LEAST * ends)
    return ends, np.asarray((2 * np.pi * f) ** 4 @ inside * (f[1] - f[0]), np.float64)


def _noise_limit(noise: Array, acceleration: Array) -> Array:
    """Return the frequency up to which noise is the wanted share of the accelerations."""
    allowed = NOISE_SHARE**2 * acceleration
    return ratio(5 * allowed, (2 * np.pi) ** 4 * noise, np.inf) ** 0.2


def _noise(f: Array, power: Array) -> Array:
    low, high = (share * f[-1] for share in UPPER_END)
    return np.median(power[(f >= low) & (f <= high)], axis=0)
