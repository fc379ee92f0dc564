"""Logs filtered and differentiated, all at one cut-off, with notes on the processing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from armdyn.cluster import Cluster
from armdyn.identification.signals.decimation import (
    DecimationFilter,
    band_width,
    decimation,
    decimation_filter,
)
from armdyn.log.filters import MAX_NYQUIST_SHARE, choose_cutoff
from armdyn.log.log import Log
from armdyn.log.rows import done_in, is_in_file, is_shared, scratch_path
from armdyn.log.signals import Prepared, prepare, velocities
from armdyn.log.trim import NEGLIGIBLE_MOTION
from armdyn.progress import Progress

# Measured velocities are used if they differ from the slopes of the positions by less than this
# share of the speed: more means another unit, sign or joint.
VELOCITY_AGREEMENT = 0.2

# How the note on the cut-off begins. A chosen cut-off is noted once, with the reason.
LOW_PASSED = "positions low-passed at"


@dataclass(frozen=True, eq=False)
class Data:
    """Prepared logs, their filters, and notes on the processing, a sentence each."""

    train: list[Prepared]
    test: list[Prepared]
    train_bands: list[DecimationFilter]
    test_bands: list[DecimationFilter]
    notes: list[str]


def prepared(
    train_logs: Sequence[Log],
    test_logs: Sequence[Log],
    cutoff: float | None,
    decimate: int | None,
    progress: Progress,
    *,
    why: str = "",
    delay: float = 0.0,
    measured: bool | None = None,
    cluster: Cluster | None = None,
) -> Data:
    """Prepare the logs of the fit and of the test in the same way.

    Args:
        train_logs: the logs of the fit.
        test_logs: the logs of the test.
        cutoff: of positions [Hz]; None chooses it from their spectrum.
        decimate: samples per row; None chooses it from the band of the motion.
        progress: called during the work.
        why: the reason for the cut-off; empty if the user asked for it.
        delay: of torques behind positions [s]; torques are shifted back.
        measured: use measured velocities; None uses them if they agree with the positions.
        cluster: its workers filter the logs.
    """
    notes: list[str] = []
    asked = cutoff is not None and not why
    logs = [*train_logs, *test_logs]
    if cutoff is None:
        cutoff, why = min(choose_cutoff(log) for log in train_logs)
        if cutoff > highest_cutoff(logs):
            cutoff, why = highest_cutoff(logs), "the highest that the lowest sampling rate allows"
    if why:
        notes.append(f"{LOW_PASSED} {cutoff:.3g} Hz, without delay: {why}.")
    if measured is None:
        measured = velocities_agree(logs, cutoff)
    ready: list[Prepared] = []
    for one in _filtered(logs, cutoff, measured, delay, cluster):
        ready.append(one)
        progress(len(ready), len(logs), "filter")
    train, test = ready[: len(train_logs)], ready[len(train_logs) :]
    for number, (log, one) in enumerate(zip(logs, ready, strict=True), 1):
        who = log.source or f"log {number}"
        said = dict.fromkeys((*log.notes, *one.notes))
        notes += [f"{who}: {s}" for s in said if asked or not s.startswith(LOW_PASSED)]
    width, reason = band_width(train)
    bands = [
        decimation(decimate) if decimate else decimation_filter(one.rate, width) for one in ready
    ]
    reason = "as requested" if decimate else f"the band up to {width:.3g} Hz, {reason}"
    notes += [_band_note(r.rate, b.factor, reason) for r, b in zip(ready, bands, strict=True)]
    k = len(train)
    return Data(train, test, bands[:k], bands[k:], list(dict.fromkeys(notes)))


def _filtered(
    logs: Sequence[Log], cutoff: float, measured: bool, delay: float, cluster: Cluster | None
) -> Iterator[Prepared]:
    """Yield the logs filtered, in order: in this process, or on the workers of a cluster."""
    options = cutoff, measured, delay
    sent = [log for log in logs if is_shared(log.q) or not is_in_file(log.q)]
    if cluster is None or len(sent) < 2:  # a single one is filtered sooner than sent
        yield from (prepare_one(log, *options) for log in logs)
        return
    # notes and further columns of a source stay here
    bare = (type(g)(g.t, g.q, g.qd, tau=g.tau, joint_names=g.joint_names) for g in sent)
    folder = scratch_path() if any(is_in_file(log.q) for log in sent) else None
    there = cluster.each(done_in, ((folder, prepare_one, log, *options) for log in bare))
    yield from (next(there) if log in sent else prepare_one(log, *options) for log in logs)


def prepare_one(log: Log, cutoff: float, measured: bool, delay: float) -> Prepared:
    """Return a log filtered and differentiated."""
    velocity = "measured" if measured else "differentiated"
    return prepare(log, cutoff=cutoff, velocity=velocity, delay=delay)


def highest_cutoff(logs: Sequence[Log]) -> float:
    """Return the highest cut-off [Hz] that all logs allow, less rounding."""
    return (1.0 - 1e-6) * MAX_NYQUIST_SHARE * min(log.rate for log in logs) / 2


def velocities_agree(logs: Sequence[Log], cutoff: float) -> bool:
    """Return whether all logs have measured velocities that agree with the positions' slopes."""
    return all(log.qd is not None and _agree(log, cutoff) for log in logs)


def _agree(log: Log, cutoff: float) -> bool:
    seen = velocities(log, cutoff)
    moving = seen.moving(NEGLIGIBLE_MOTION)
    return bool((seen.difference**2 <= VELOCITY_AGREEMENT**2 * seen.slope)[moving].all())


def _band_note(rate: float, factor: int, reason: str) -> str:
    if factor == 1:
        return f"torques and regressor are used at {rate:.4g} Hz, not filtered."
    return (
        f"torques and regressor at {rate:.4g} Hz were low-passed and decimated to "
        f"{rate / factor:.3g} rows per second: {reason}."
    )


@dataclass(frozen=True, eq=False)
class Signals:
    """One log, in memory.

    Attributes:
        recorded: the log.
        used: its samples at equal steps, positions low-passed and differentiated.
        band: the filter of torques and regressor.
        held_out: whether it tests the fit.
    """

    recorded: Log
    used: Prepared
    band: DecimationFilter
    held_out: bool


def signals_of(
    train_logs: Sequence[Log], test_logs: Sequence[Log], data: Data
) -> tuple[Signals, ...]:
    """Return the logs in memory; logs in files are too long to draw."""
    train = zip(train_logs, data.train, data.train_bands, strict=True)
    test = zip(test_logs, data.test, data.test_bands, strict=True)
    return tuple(
        Signals(log, used, band, held_out)
        for held_out, pairs in ((False, train), (True, test))
        for log, used, band in pairs
        if not is_in_file(used.q)
    )
