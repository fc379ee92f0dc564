"""`find_band`: cut-off, torque delay and source of velocities, from the training data alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.fit.columns import Column
from armdyn.identification.signals.cutoff import lower_cutoff, predicted_cutoff
from armdyn.identification.signals.delay import measured_delays
from armdyn.identification.signals.prepared import highest_cutoff, velocities_agree
from armdyn.identification.signals.quick_fit import POSITIONS, Windows, windows_of
from armdyn.log.filters import choose_cutoff
from armdyn.log.log import Log
from armdyn.progress import Progress

# Highest cut-off [Hz] of a log too short for a prediction: arms move below 5 Hz.
UNVERIFIED_CUTOFF = 20.0


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
    arm: Arm,
    train_logs: Sequence[Log],
    band: Band,
    coupling: Array | None,
    extra: Sequence[Column],
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
    most = min(highest, UNVERIFIED_CUTOFF)
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
