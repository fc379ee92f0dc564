"""The band of a fit: cut-off, torque delay and source of velocities, from the training data alone.

The cut-off is found by prediction. A model is fitted in a low band, where noise is small beside the
motion. Its torques for positions of a wide band are compared with the measured torques, frequency
by frequency. In the accelerations, noise of positions grows with the square of the frequency, while
the motion fades: above some frequency more than half of the power of the torques is unexplained.
The cut-off is four times that frequency.

That is too high if the noise below it biases the model: then instrumental variables disagree with
least squares (`judge/bias.py`). `lower_cutoff` compares models of this and of lower cut-offs on
folds left out, all in the band of the lowest one: errors of different bands cannot be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.fit.columns import Column
from armdyn.identification.fit.gram import FOLDS
from armdyn.identification.signals.decimation import band_width
from armdyn.identification.signals.delay import measured_delays
from armdyn.identification.signals.prepared import highest_cutoff, velocities_agree
from armdyn.identification.signals.quick_fit import (
    POSITIONS,
    Windows,
    merged,
    quick_fit,
    quick_gram,
    quick_rows,
    windows_of,
)
from armdyn.log.filters import choose_cutoff
from armdyn.log.log import Log
from armdyn.log.segments import scipy
from armdyn.log.trim import NEGLIGIBLE_MOTION
from armdyn.progress import Progress


@dataclass(frozen=True)
class Band:
    """The band of a fit.

    Attributes:
        cutoff: of positions [Hz].
        why: the reason for it; empty if the user asked for it.
        delay: time by which torques lag behind positions [s]; they are shifted back by it.
        measured: whether velocities are the measured ones, or slopes of the positions.
        notes: on the delay and the velocities, a sentence each.
    """

    cutoff: float
    why: str
    delay: float
    measured: bool
    notes: tuple[str, ...]


def find_band(
    arm: Arm,
    train_logs: Sequence[Log],
    test_logs: Sequence[Log],
    *,
    cutoff: float | None,
    why: str = "",
    delay: float | None,
    coupling: Array | None,
    extra: Sequence[Column],
    progress: Progress,
) -> Band:
    """Estimate the cut-off and the delay, unless the caller sets them.

    Args:
        arm: the arm.
        train_logs: the logs of the fit. Windows represent long ones.
        test_logs: the logs of the test; only their sampling rates are used.
        cutoff: of positions [Hz]; None estimates it.
        why: the reason for a cut-off that the user did not ask for.
        delay: of torques [s]; None estimates it.
        coupling: of the drives.
        extra: columns that the user supplies.
        progress: called during the work.
    """
    logs = [*train_logs, *test_logs]
    highest = highest_cutoff(logs)
    if highest <= 0.0:
        raise InputError("a log is too short: it has a single sample.")
    windows = Windows(arm, windows_of(train_logs), highest, coupling, extra)
    if cutoff is None:
        progress(0, 2, "band")
        cutoff, why = predicted_cutoff(windows) or _by_spectrum(train_logs, highest)
    if delay is not None:
        notes = [f"torques were shifted by {1e3 * delay:.3g} ms, as requested."] * (delay != 0.0)
    else:
        progress(1, 2, "delay")
        delays = measured_delays(windows, min(cutoff, highest))
        progress(2, 2, "delay")
        delay = delays.whole if delays is not None and delays.repeatable else 0.0
        notes = [] if delays is None else [*delays.notes()]
    measured = velocities_agree(logs, cutoff)
    if measured and _slopes_are_better(windows, cutoff, delay):
        measured = False
        notes.append(
            "measured velocities were not used: a model explains the torques better with "
            "velocities from differentiated positions."
        )
    return Band(cutoff, why, delay, measured, tuple(notes))


def retried_cutoff(
    arm: Arm, train_logs: Sequence[Log], band: Band, coupling: Array | None, extra: Sequence[Column]
) -> tuple[float, str] | None:
    """Return a lower cut-off [Hz] and the reason, if a model predicts better with it.

    Args:
        arm: the arm.
        train_logs: the logs of the fit.
        band: in which instrumental variables disagree with the fit.
        coupling: of the drives.
        extra: columns that the user supplies.
    """
    windows = Windows(arm, windows_of(train_logs), band.cutoff, coupling, extra)
    return lower_cutoff(windows, band.cutoff, band.delay, band.measured)


def _by_spectrum(logs: Sequence[Log], highest: float) -> tuple[float, str]:
    """Return a cut-off of logs that are too short for a prediction."""
    cutoff, why = min(choose_cutoff(log) for log in logs)
    most = min(highest, SEARCH.unverified)
    if cutoff > most:
        return most, "the log is too short to test up to which frequency a model explains it"
    return cutoff, why


def _slopes_are_better(windows: Windows, cutoff: float, delay: float) -> bool:
    """Return whether a model explains torques better with slopes of positions.

    Measured velocities may be noisy or late, and so may positions. The mean logarithm of the
    joints' residuals decides; windows that are too short keep the measured velocities.
    """
    noise: list[Array] = []
    for velocity in ("measured", "differentiated"):
        prepared = windows.prepared(cutoff, delay, velocity)
        if not prepared:
            return False
        noise.append(windows.fit(prepared, cutoff / POSITIONS)[1].noise)
    measured, slopes = noise
    known = np.isfinite(measured) & np.isfinite(slopes)
    return bool(np.sum(np.log(slopes[known] / measured[known])) < 0.0)


@dataclass(frozen=True)
class CutoffSearch:
    """Settings of the search, chosen on real logs (`benchmarks/cutoffs.py`).

    Attributes:
        motion_share: share of the power of the positions in the band of the motion.
        fit_factor: first band of the fit, in multiples of the motion.
        least_fit_band: least band of the fit [Hz].
        prediction_factor: band of the prediction, in multiples of the band of the fit.
        visible_share: an end below this share of the band of the prediction counts; otherwise the
            next fit uses twice the band.
        rounds: most fits.
        start: the end is above this frequency [Hz], and
        start_factor: above this multiple of the motion.
        unexplained: range of unexplained shares, around one half, that mark the end.
        margin: the cut-off in multiples of the end.
        most_factor: largest cut-off in multiples of the motion, or
        most: this frequency [Hz] if it is higher. A higher cut-off only adds noise, and a noisy
            velocity near zero has the wrong sign.
        periods: length of a window of the spectra, in periods of the band of the fit.
        padding: zero-padding of a window, as a factor.
        per_octave: frequency bins per octave.
        smoothing: bins on either side that are averaged.
        clear_gain: a lower cut-off has to lower the errors of left-out folds by this share: on real
            logs it lowers them by up to 4 %, on simulated noisy ones, where the model is biased, by
            40 % and more.
        unverified: highest cut-off [Hz] of a log too short for a prediction: arms move below 5 Hz.
    """

    motion_share: float = 0.995
    fit_factor: float = 4.0
    least_fit_band: float = 5.0
    prediction_factor: float = 10.0
    visible_share: float = 0.5
    rounds: int = 6
    start: float = 1.5
    start_factor: float = 1.5
    unexplained: tuple[float, float] = (0.25, 1.0)
    margin: float = 4.0
    most_factor: float = 40.0
    most: float = 50.0
    periods: float = 9.0
    padding: int = 2
    per_octave: int = 24
    smoothing: int = 4
    clear_gain: float = 0.05
    unverified: float = 20.0


SEARCH = CutoffSearch()


def predicted_cutoff(windows: Windows) -> tuple[float, str] | None:
    """Return a cut-off [Hz] and the reason; None if the logs are too short."""
    highest, motion = windows.highest, motion_band(windows.parts, SEARCH.motion_share)
    enough = max(SEARCH.most_factor * motion, SEARCH.most)
    low = min(max(SEARCH.least_fit_band, SEARCH.fit_factor * motion), highest / 2)
    start = max(SEARCH.start, SEARCH.start_factor * motion)
    for _ in range(SEARCH.rounds):
        wide = min(SEARCH.prediction_factor * low, highest)
        spectrum = _unexplained(windows, low, wide)
        if spectrum is None:
            return None
        end, visible = _end(*spectrum, start), SEARCH.visible_share * wide
        if end <= visible:
            cutoff = min(SEARCH.margin * end, enough, highest)
            share = f"{cutoff / end:.2g} times {end:.3g} Hz"
            return cutoff, f"{share}, above which a model explains less than half of the torques"
        if wide == highest or visible >= enough:
            break
        low = min(2.0 * low, highest / 2)
    if enough < highest:
        return enough, "enough for the motion; a model explains the torques up to there"
    return highest, "the highest that the sampling rate allows: a model explains the torques there"


def lower_cutoff(
    windows: Windows, cutoff: float, delay: float, measured: bool
) -> tuple[float, str] | None:
    """Return a lower cut-off [Hz] that predicts torques better, and the reason; None if none does.

    Tried are halves, quarters and so on, down to the first band of the search.

    Args:
        windows: of the logs of the fit.
        cutoff: the cut-off so far [Hz].
        delay: of torques [s].
        measured: whether velocities are the measured ones.
    """
    velocity = "measured" if measured else "differentiated"
    least = SEARCH.fit_factor * motion_band(windows.parts, SEARCH.motion_share)
    tried, ready = [cutoff], [windows.prepared(cutoff, delay, velocity)]
    while tried[-1] / 2 >= max(least, SEARCH.start):
        prepared = windows.prepared(tried[-1] / 2, delay, velocity)
        if not prepared or len(prepared) < len(ready[0]):
            break
        tried.append(tried[-1] / 2)
        ready.append(prepared)
    if len(tried) == 1:
        return None
    model, top = windows.model(ready[-1])
    grams = [quick_gram(*quick_rows(model, one, band_width(one)[0], top)) for one in ready]
    common, folds = grams[-1], np.arange(FOLDS)
    wrong = np.zeros((len(tried), windows.arm.n))
    for k in folds:
        left_out = common.part(folds == k)
        for squares, gram in zip(wrong, grams, strict=True):
            values = quick_fit(model, merged([gram.part(folds != k)])).values
            squares += left_out.misfits(values)[0]
    seen = (wrong > 0.0).all(axis=0)
    error = np.sqrt(np.exp(np.mean(np.log(wrong[:, seen] / wrong[0, seen]), axis=1)))
    best = int(np.argmin(error))
    if not seen.any() or error[best] > 1.0 - SEARCH.clear_gain:
        return None
    return tried[best], (
        f"with {cutoff:.3g} Hz noise of the positions biases the model, and errors below "
        f"{tried[-1]:.3g} Hz on parts left out are {1.0 / error[best]:.2g} times as large"
    )


def motion_band(parts: Sequence[Log], share: float) -> float:
    """Return the frequency [Hz] below which this share of the power of any joint's position lies.

    Positions have far more power than the noise of encoders, unlike velocities.
    """
    highest = 0.0
    for part in parts:
        wide = np.ptp(part.q, axis=0)
        q = part.q[:, wide > NEGLIGIBLE_MOTION * max(float(wide.max()), 1e-12)]
        if len(q) < 8 or not q.shape[1]:
            continue
        ramp = np.linspace(0.0, 1.0, len(q))[:, None]
        q = q - q[0] - ramp * (q[-1] - q[0])
        window = np.hanning(len(q))[:, None]
        power = np.abs(np.fft.rfft((q - q.mean(axis=0)) * window, axis=0)) ** 2
        reached = np.cumsum(power, axis=0) >= share * power.sum(axis=0)
        highest = max(highest, float(np.argmax(reached, axis=0).max()) * part.rate / len(q))
    return highest


def _unexplained(windows: Windows, low: float, wide: float) -> tuple[Array, Array] | None:
    """Return frequencies, and the share of the power of the torques that is unexplained there."""
    prepared = windows.prepared(min(POSITIONS * low, wide))
    octave = SEARCH.per_octave
    edges = 2.0 ** (np.arange(-4 * octave, int(octave * np.log2(wide)) + 1) / octave)
    if not prepared or len(edges) < 2:  # too short, or slower than any motion with a spectrum
        return None
    model, fit = windows.fit(prepared, low)
    size, wrong = np.zeros((2, len(edges) - 1))
    for one in windows.prepared(wide):
        assert one.tau is not None
        for a, b in one.bounds:
            tau = one.tau[a:b]
            residual = tau - model.predicted(fit.values, one.q[a:b], one.qd[a:b], one.qdd[a:b])
            length = min(int(SEARCH.periods / low * one.rate), b - a)
            padded = 1 << (SEARCH.padding * length - 1).bit_length()
            f: Array
            power: Array
            f, power = scipy("signal").welch(
                np.stack([tau, residual]) / fit.noise, fs=one.rate, nperseg=length, nfft=padded,
                detrend="constant", axis=1,
            )  # fmt: skip
            at = np.searchsorted(edges, f, side="right") - 1
            inside = (f > 0.0) & (at >= 0) & (at < len(size))
            # windows of unequal length count by their duration
            powers = (b - a) * (f[1] - f[0]) * power[:, inside].sum(axis=2)
            for total, mine in zip((size, wrong), powers, strict=True):
                total += np.bincount(at[inside], mine, len(size))
    around = np.ones(2 * SEARCH.smoothing + 1)
    wrong, size = (np.convolve(x, around, "same") for x in (wrong, size))
    seen = size > 0.0
    middle = np.sqrt(edges[1:] * edges[:-1])
    return middle[seen], wrong[seen] / size[seen]


def _end(f: Array, share: Array, start: float) -> float:
    """Return the frequency above `start` from which too much is unexplained.

    It is the geometric mean of the frequencies at which the unexplained share first exceeds each
    value around one half: the crossing of a single value depends on chance.
    """
    above = f >= start
    if not above.any():
        return start
    low, high = np.log(SEARCH.unexplained)
    inside = np.clip((high - np.log(share[above])) / (high - low), 0.0, 1.0)
    width = np.gradient(np.log(f))[above]
    return start * float(np.exp(np.minimum.accumulate(inside) @ width))
