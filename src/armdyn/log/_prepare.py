"""From a log to samples that a model can be fitted to: positions and their true derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError, shown
from armdyn.log._cutoff import choose_cutoff
from armdyn.log._filter import HIGHEST, REACH, decimated, derivatives, kept_rows, low_pass
from armdyn.log._log import Array, Effort, Log
from armdyn.log._segments import (
    Segment,
    equal_steps,
    jitter_in_words,
    positive,
    resampled,
    segments,
)
from armdyn.log._velocity import compare_velocities

# Ends of a segment are cut by this many periods of the cut-off, where the filter starts up: 0.3 s
# at 10 Hz. Near the Nyquist frequency it rings for longer, some samples; but no more is cut than
# this share of the segment.
TRIM_PERIODS = 3.0
TRIM_SAMPLES = 32
TRIM_SHARE = 0.1


@dataclass(frozen=True, eq=False, repr=False)
class Prepared:
    """Samples at equal steps, in one or more segments that lie one behind the other.

    Attributes:
        t: times ``(N,)`` [s], on the clock of the log.
        q: filtered positions ``(N, n)``.
        qd: velocities ``(N, n)``.
        qdd: accelerations ``(N, n)``.
        tau: torques or currents ``(N, n)`` at the same times, not filtered; None if not measured.
        segment: number of the segment of each sample ``(N,)``, from 0.
        rate: samples per second.
        cutoff: cut-off of the filter of positions [Hz].
        joint_names: the names of the joints.
        effort: what `tau` holds: "torque", "current" or "none".
        extra: the extra columns of the log at the same times.
        notes: what was found and done, a sentence each.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None
    segment: NDArray[np.int64]
    rate: float
    cutoff: float
    joint_names: tuple[str, ...]
    effort: Effort
    extra: dict[str, Array] = field(default_factory=dict[str, Array])
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.t)

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.q.shape[1]

    @property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """(start, stop) of every segment."""
        cuts = [0, *(np.flatnonzero(np.diff(self.segment)) + 1).tolist(), len(self)]
        return tuple(pairwise(cuts))

    def decimated(self, values: Array, factor: int) -> Array:
        """Return columns that belong to these samples, filtered and decimated by segments."""
        if len(values) != len(self):
            raise InputError(f"`values` has {len(values)} rows, expected {len(self)}.")
        return decimated(values, factor, self.bounds)

    def kept(self, factor: int) -> NDArray[np.int64]:
        """Return the numbers of the samples that `decimated` keeps."""
        return kept_rows(len(self), factor, self.bounds)

    def describe(self) -> tuple[str, ...]:
        """Return what was done to the data, a sentence each."""
        return self.notes

    def __repr__(self) -> str:
        return (
            f"<Prepared: {len(self)} samples of {self.n} joints in {len(self.bounds)} segments, "
            f"{self.rate:.4g} Hz, cut-off {self.cutoff:.4g} Hz>"
        )


def prepare(
    log: Log,
    *,
    cutoff: float | None = None,
    trim: float | None = None,
    max_gap: float | None = None,
    velocity: str = "differentiated",
) -> Prepared:
    """Return the samples of a log at equal steps, with velocities and accelerations.

    Each piece between gaps is read at equal steps through a spline on its real time stamps, its
    positions are low-passed without delay and differentiated, and its ends are cut off.

    Args:
        log: the log.
        cutoff: of the low-pass of positions [Hz]; chosen by `choose_cutoff` if left out.
        trim: time that is cut off both ends of a segment [s]; if left out, 3 periods of the cut-off
            and at least 32 samples. No more than a tenth of a segment is cut.
        max_gap: longest step of time [s] that is not a gap; 5 median steps if left out.
        velocity: "differentiated" takes velocities and accelerations from the positions, "measured"
            velocities from the low-passed measured ones and accelerations from their derivative.

    Raises:
        InputError: an option is wrong, or the log is too short for the cut-off.
    """
    if velocity not in ("differentiated", "measured"):
        raise InputError(
            f"`velocity` is {shown(velocity)}, expected 'differentiated' or 'measured'."
        )
    if velocity == "measured" and log.qd is None:
        raise InputError("`velocity` is 'measured', but the log has no velocities.")
    if len(log) < 2:
        raise InputError("the log is too short: it has a single sample.")
    pieces = segments(log, max_gap)
    rate = log.rate
    if cutoff is None:
        cutoff, why = choose_cutoff(log, max_gap=max_gap)
    else:
        cutoff, why = positive("cutoff", cutoff), "as asked for"
        if cutoff > HIGHEST * rate / 2:
            raise InputError(
                f"`cutoff` is {cutoff:g} Hz, but at {rate:.4g} samples a second it can be "
                f"at most {HIGHEST * rate / 2:.4g} Hz."
            )
    if trim is None:
        trim = max(TRIM_PERIODS / cutoff, TRIM_SAMPLES / rate)
    trim = positive("trim", trim)
    parts = [_part(log, piece, rate, cutoff, trim, velocity == "measured") for piece in pieces]
    used = [part for part in parts if part is not None]
    if not used:
        raise InputError(
            f"the log is too short: the longest of its {len(pieces)} pieces without gaps has "
            f"{max(map(len, pieces))} samples, a cut-off of {cutoff:.4g} Hz needs "
            f"{_fewest(rate, cutoff)}. Record longer, or choose a higher cut-off."
        )
    notes = [jitter_in_words(log)]
    if len(pieces) > 1:
        notes.append(f"cut at {len(pieces) - 1} gaps into {len(pieces)} segments.")
    lost = sum(len(piece) for piece, part in zip(pieces, parts, strict=True) if part is None)
    if lost:
        notes.append(f"{lost} samples of segments too short to filter are left out.")
    notes.append(
        f"positions low-passed at {cutoff:.4g} Hz (zero-phase Butterworth of order 4): {why}."
    )
    source = "differentiated" if velocity == "differentiated" else "measured and low-passed"
    notes.append(
        f"velocities are {source}, accelerations by 9-point central differences; ends of segments "
        f"cut by up to {max(p.trimmed for p in used) / rate:.3g} s."
    )
    if log.qd is not None:
        slope, measured = _joined([p.slope for p in used]), _joined([p.measured for p in used])
        notes += compare_velocities(log.joint_names, slope, measured)
    return Prepared(
        t=_joined([p.t for p in used]),
        q=_joined([p.q for p in used]),
        qd=_joined([p.qd for p in used]),
        qdd=_joined([p.qdd for p in used]),
        tau=None if log.tau is None else _joined([p.tau for p in used]),
        segment=np.repeat(np.arange(len(used)), [len(p.t) for p in used]),
        rate=rate,
        cutoff=cutoff,
        joint_names=log.joint_names,
        effort=log.effort,
        extra={k: _joined([p.extra[k] for p in used]) for k in log.extra},
        notes=tuple(notes),
    )


def _joined(parts: Sequence[Array | None]) -> Array:
    """Return parts one behind the other; a single one as it is: long logs are large."""
    there = [part for part in parts if part is not None]
    return there[0] if len(there) == 1 else np.concatenate(there)


@dataclass(frozen=True, eq=False)
class _Part:
    """One segment; `slope` and `measured` are the velocities from q and from qd."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None
    slope: Array
    measured: Array | None
    extra: dict[str, Array]
    trimmed: int


def _fewest(rate: float, cutoff: float) -> int:
    """Return the fewest samples of a segment: two periods of the cut-off, and the differences."""
    return int(np.ceil(2 * rate / cutoff)) + 4 * REACH


def _part(
    log: Log, piece: Segment, rate: float, cutoff: float, trim: float, use_measured: bool
) -> _Part | None:
    a, b = piece.start, piece.stop
    if len(piece) < _fewest(rate, cutoff):
        return None
    stamps = log.t[a:b]
    t = equal_steps(stamps, rate)
    q = low_pass(resampled(stamps, log.q[a:b], t), rate, cutoff)
    qd, qdd = derivatives(q, rate)
    slope, measured = qd, None
    if log.qd is not None:
        measured = low_pass(resampled(stamps, log.qd[a:b], t), rate, cutoff)
        if use_measured:
            qd, qdd = measured, derivatives(measured, rate)[0]
    cut = max(min(int(trim * rate), int(TRIM_SHARE * len(t))), REACH)
    inner = slice(cut, len(t) - cut)
    return _Part(
        t=t[inner],
        q=q[inner],
        qd=qd[inner],
        qdd=qdd[inner],
        tau=None if log.tau is None else resampled(stamps, log.tau[a:b], t)[inner],
        slope=slope[inner],
        measured=None if measured is None else measured[inner],
        extra={k: _linear(t[inner], stamps, v[a:b]) for k, v in log.extra.items()},
        trimmed=cut,
    )


def _linear(at: Array, t: Array, values: Array) -> Array:
    """Return extra columns between samples; a missing number spoils its neighbours only."""
    flat = values.reshape(len(values), -1)
    columns = [np.interp(at, t, column) for column in flat.T]
    return np.stack(columns, axis=-1).reshape(len(at), *values.shape[1:])
