"""The cut-off, by prediction: the band in which a model explains the torques.

A model is fitted in a low band, where any noise is small beside the motion. Its torques for
positions of a wide band are compared with the measured ones, frequency by frequency. Noise of
positions grows with the square of the frequency in the accelerations, torques have noise and less
and less motion: above some frequency more than half of the power of the torques stays unexplained.
The cut-off is four times that frequency.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.band.quick_fit import products, quick_fit, quick_model
from armdyn.identification.band.windows import POSITIONS, highest_motion, prepared_windows
from armdyn.identification.fit.columns import Column, Model
from armdyn.log.log import Log
from armdyn.log.segments import scipy
from armdyn.log.signals import Prepared

# The motion is the band with this share of the power of the positions.
MOTION_SHARE = 0.995

# The first fit is in a band of this many times the motion, at least this wide [Hz].
ROOM = 4.0
LOW = 5.0

# Positions of the prediction have a band of this many times that of the fit.
PREDICTION = 10.0

# Where no end is found below this share of the band of the prediction, the next fit is in a band
# twice as wide.
SEEN = 0.5
ROUNDS = 6

# The end is looked for above this frequency [Hz], and above this many times the motion.
ABOVE = 1.5
ABOVE_MOTION = 1.5

# Of the power of the torques, shares around one half are unexplained at the end, from and to.
UNEXPLAINED = (0.25, 1.0)

# The cut-off, in multiples of the end.
MARGIN = 4.0
# At most it is this many times the motion, or this frequency [Hz]: more only lets noise in, and a
# noisy speed near zero has the wrong sign.
MOST_OF_MOTION, MOST = 40.0, 50.0

# Spectra are of windows of this many periods of the low band, padded to this factor, in bands
# of this part of an octave, and averaged over this many bands on either side.
PERIODS = 9.0
FINER = 2
OCTAVE = 24
AROUND = 4


def predicted_cutoff(
    arm: Arm,
    parts: Sequence[Log],
    highest: float,
    coupling: Array | None,
    extra: Sequence[Column],
) -> tuple[float, str] | None:
    """Return a cut-off [Hz] and the reason, as words; None if the logs are too short.

    Args:
        arm: the arm.
        parts: windows of the logs.
        highest: the highest cut-off that the logs allow [Hz].
        coupling: of the drives.
        extra: columns that the user supplies.
    """
    motion = highest_motion(parts, MOTION_SHARE)
    enough = max(MOST_OF_MOTION * motion, MOST)
    low = min(max(LOW, ROOM * motion), highest / 2)
    start = max(ABOVE, ABOVE_MOTION * motion)
    for _ in range(ROUNDS):
        wide = min(PREDICTION * low, highest)
        found = _unexplained(arm, parts, low, wide, coupling, extra)
        if found is None:
            return None
        end = _end(*found, start)
        if end <= SEEN * wide:
            cutoff = min(MARGIN * end, enough, highest)
            share = f"{cutoff / end:.2g} times {end:.3g} Hz"
            return cutoff, f"{share}, above which a model explains less than half of the torques"
        if wide == highest or SEEN * wide >= enough:
            break
        low = min(2.0 * low, highest / 2)
    if enough < highest:
        return enough, "enough for the motion; a model explains the torques up to there"
    return highest, "the most that the log has: a model explains the torques up to there"


def _unexplained(
    arm: Arm,
    parts: Sequence[Log],
    low: float,
    wide: float,
    coupling: Array | None,
    extra: Sequence[Column],
) -> tuple[Array, Array] | None:
    """Return frequencies, and the share of the power of torques that is not explained there."""
    prepared = prepared_windows(parts, min(POSITIONS * low, wide))
    if not prepared:
        return None
    model, top = quick_model(arm, prepared, coupling, extra)
    fit = quick_fit(model, products(model, prepared, low, top))
    edges = 2.0 ** (np.arange(-4 * OCTAVE, int(OCTAVE * np.log2(wide)) + 1) / OCTAVE)
    if len(edges) < 2:  # the log is slower than any motion whose spectrum would tell
        return None
    wrong, size = np.zeros(len(edges) - 1), np.zeros(len(edges) - 1)
    for one in prepared_windows(parts, wide):
        for a, b in one.bounds:
            tau, off = _residual(model, one, fit.values, a, b)
            length = min(int(PERIODS / low * one.rate), b - a)
            f, power = _spectrum(np.hstack([tau, off]) / np.tile(fit.noise, 2), one.rate, length)
            at = np.searchsorted(edges, f, side="right") - 1
            inside = (at >= 0) & (at < len(size))
            for total, columns in ((size, power[:, : arm.n]), (wrong, power[:, arm.n :])):
                # Windows of unequal length count by their duration.
                np.add.at(total, at[inside], (b - a) * (f[1] - f[0]) * columns[inside].sum(axis=1))
    around = np.ones(2 * AROUND + 1)
    wrong, size = (np.convolve(x, around, "same") for x in (wrong, size))
    seen = size > 0.0
    middle = np.sqrt(edges[1:] * edges[:-1])
    return middle[seen], wrong[seen] / size[seen]


def _residual(model: Model, one: Prepared, values: Array, a: int, b: int) -> tuple[Array, Array]:
    assert one.tau is not None
    tau = one.tau[a:b]
    return tau, tau - model.predicted(values, one.q[a:b], one.qd[a:b], one.qdd[a:b])


def _spectrum(signals: Array, rate: float, length: int) -> tuple[Array, Array]:
    """Return frequencies without 0, and the power of signals there, ``(F, c)``."""
    size = 1 << (FINER * length - 1).bit_length()
    f, power = scipy("signal").welch(
        signals, fs=rate, nperseg=length, nfft=size, detrend="constant", axis=0
    )
    return f[1:], power[1:]


def _end(f: Array, share: Array, start: float) -> float:
    """Return the frequency above `start` from which too much is unexplained.

    It is the geometric mean of where the unexplained share first exceeds all values around one
    half: a single one is a matter of chance.
    """
    above = f >= start
    if not above.any():
        return start
    low, high = np.log(UNEXPLAINED)
    inside = np.clip((high - np.log(share[above])) / (high - low), 0.0, 1.0)
    width = np.gradient(np.log(f))[above]
    return start * float(np.exp(np.minimum.accumulate(inside) @ width))
