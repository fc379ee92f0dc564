"""`find_band`: cut-off, delay and source of velocities, from the data of the fit alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.band.cutoff import predicted_cutoff
from armdyn.identification.band.delay import Delays, measured_delays
from armdyn.identification.band.windows import slopes_are_better, windows
from armdyn.identification.data.prepared import velocities_agree
from armdyn.identification.fit.columns import Column
from armdyn.log.filters import choose_cutoff
from armdyn.log.log import Log
from armdyn.progress import Progress

# Highest cut-off as a share of the sampling rate of a log: 0.8 of the Nyquist frequency, but for
# rounding.
HIGHEST = 0.4 * (1.0 - 1e-6)

# A shift that is not the same everywhere is told if it lowers the squares of residuals this much.
LARGE_GAIN = 0.05

# A log too short for a prediction gets at most this cut-off [Hz].
HIGHEST_UNSEEN = 20.0


@dataclass(frozen=True)
class Band:
    """The band of a fit.

    Attributes:
        cutoff: of positions [Hz].
        why: the reason for it, as words; empty if the user asked for it.
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
    delay: float | None,
    coupling: Array | None,
    extra: Sequence[Column],
    progress: Progress,
) -> Band:
    """Return the cut-off and the delay; those that are given are taken.

    Args:
        arm: the arm.
        train_logs: the logs of the fit. Long ones are represented by windows.
        test_logs: the logs of the test; only their sampling rates are looked at.
        cutoff: of positions [Hz]; None finds it.
        delay: of torques [s]; None finds it.
        coupling: of the drives.
        extra: columns that the user supplies.
        progress: called during the work.
    """
    logs = [*train_logs, *test_logs]
    highest = HIGHEST * min(log.rate for log in logs)
    if highest <= 0.0:
        raise InputError("a log is too short: it has a single sample.")
    parts = windows(train_logs)
    why = ""
    if cutoff is None:
        progress(0, 2, "band")
        found = predicted_cutoff(arm, parts, highest, coupling, extra)
        cutoff, why = found or _by_spectrum(train_logs, highest)
    if delay is not None:
        notes = [] if delay == 0.0 else [f"torques shifted by {1e3 * delay:.3g} ms, as asked for."]
    else:
        progress(1, 2, "delay")
        delays = measured_delays(arm, parts, min(cutoff, highest), highest, coupling, extra)
        progress(2, 2, "delay")
        delay = delays.whole if delays is not None and delays.repeatable else 0.0
        notes = [] if delays is None else [*_in_words(delays)]
    measured = velocities_agree(logs, cutoff)
    if measured and slopes_are_better(arm, parts, cutoff, delay, coupling, extra):
        measured = False
        notes.append(
            "a model explains the torques better with slopes of the positions than with measured "
            "velocities: these are not used."
        )
    return Band(cutoff, why, delay, measured, tuple(notes))


def _by_spectrum(logs: Sequence[Log], highest: float) -> tuple[float, str]:
    """Return a cut-off of logs that are too short for a prediction."""
    cutoff, why = min(choose_cutoff(log) for log in logs)
    most = min(highest, HIGHEST_UNSEEN)
    if cutoff > most:
        return most, "the log is too short to see how far a model explains the torques"
    return cutoff, why


def _in_words(found: Delays) -> tuple[str, ...]:
    whole, first, second = (1e3 * x for x in (found.whole, *found.halves))
    halves = f"{first:.2g} and {second:.2g} ms in the halves of the data"
    if found.repeatable:
        lag = "lag behind" if whole > 0.0 else "lead"
        return (
            f"torques {lag} positions by {abs(whole):.3g} ms ({halves}) and were shifted; "
            "`delay` sets another shift.",
        )
    if found.gain >= LARGE_GAIN:
        return (
            f"a shift of torques by {whole:.2g} ms would fit better, but it is not the same "
            f"everywhere ({halves}): torques were not shifted.",
        )
    return ()
