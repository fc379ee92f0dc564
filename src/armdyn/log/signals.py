"""Prepare a log for fitting a model: samples of positions and their derivatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np

from armdyn.arrays import Array
from armdyn.checks import checked_choice, checked_positive
from armdyn.errors import InputError
from armdyn.log.clock import Velocities, compare_velocities
from armdyn.log.filters import MAX_NYQUIST_SHARE, REACH, ZeroPhase, choose_cutoff, derivatives
from armdyn.log.log import Log
from armdyn.log.rows import FileRows, MemoryRows, blocks, is_in_file, part_of, runs
from armdyn.log.segments import (
    EqualSteps,
    Segment,
    check_magnitudes,
    even_rate,
    jitter_in_words,
    segments,
)

# The ends of a segment, where the filter starts up, are cut off: this many periods of the cut-off,
# 0.3 s at 10 Hz.
TRIM_PERIODS = 3.0
# Near the Nyquist frequency the filter rings longer: at least this many samples are cut.
TRIM_SAMPLES = 32
# No more than this share of a segment is cut.
TRIM_SHARE = 0.1

# Blocks are at least this many times as long as the filter's memory, which is filtered twice.
MEMORIES = 4

# Runs of samples of a long log in which measured velocities are compared, and their length.
RUNS, RUN = 4, 1 << 16


@dataclass(frozen=True, eq=False, repr=False)
class Prepared:
    """Samples at equal steps, in one or more segments, one after the other.

    Attributes:
        t: times ``(N,)`` [s], on the clock of the log.
        q: filtered positions ``(N, n)``.
        qd: velocities ``(N, n)``.
        qdd: accelerations ``(N, n)``.
        tau: torques or currents ``(N, n)`` at the same times, not filtered; None if not measured.
        bounds: (start, stop) of every segment.
        rate: samples per second.
        cutoff: cut-off of the filter of positions [Hz].
        notes: findings and changes, one sentence each.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None
    bounds: tuple[tuple[int, int], ...]
    rate: float
    cutoff: float
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.t)

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.q.shape[1]

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
    delay: float = 0.0,
) -> Prepared:
    """Return the samples of a log at equal steps, with velocities and accelerations.

    Each piece between gaps is read at equal steps through a spline on its real time stamps, its
    positions are low-passed without delay and differentiated, and its ends are cut off.

    Args:
        log: the log.
        cutoff: of the low-pass of positions [Hz]; chosen by `choose_cutoff` if left out.
        trim: time cut off at both ends of a segment [s]; if left out, 3 periods of the cut-off
            and at least 32 samples. No more than a tenth of a segment is cut.
        max_gap: longest time step [s] that is not a gap; 5 median steps if left out.
        velocity: "differentiated" takes velocities and accelerations from the positions, "measured"
            velocities from the low-passed measured ones and accelerations from their derivative.
        delay: time [s] by which the torques of the log lag behind its positions; they are shifted
            back by interpolation.

    Raises:
        InputError: an option is wrong, or the log is too short for the cut-off.
    """
    checked_choice(velocity, "velocity", ("differentiated", "measured"), error=InputError)
    if velocity == "measured" and log.qd is None:
        raise InputError("`velocity` is 'measured', but the log has no velocities.")
    check_magnitudes(log)
    pieces, rate = _pieces(log, max_gap, cutoff)
    if cutoff is None:
        cutoff, why = choose_cutoff(log, max_gap=max_gap)
    else:
        why = "as asked for"
    if trim is None:
        trim = _usual_trim(rate, cutoff)
    trim = checked_positive(trim, "trim")
    used = [
        _Part(log, p, rate, cutoff, trim, delay) for p in pieces if len(p) >= _fewest(rate, cutoff)
    ]
    if not used:
        raise InputError(
            f"the log is too short: the longest of its {len(pieces)} pieces without gaps has "
            f"{max(map(len, pieces))} samples, a cut-off of {cutoff:.4g} Hz needs "
            f"{_fewest(rate, cutoff)}. Record longer, or choose a higher cut-off."
        )
    columns, seen = _columns(log, used, velocity == "measured")
    notes = [jitter_in_words(log)]
    if len(pieces) > 1:
        notes.append(f"cut at {len(pieces) - 1} gaps into {len(pieces)} segments.")
    lost = len(log) - sum(len(part.piece) for part in used)
    if lost:
        notes.append(f"{lost} samples of segments too short to filter are left out.")
    notes.append(
        f"positions low-passed at {cutoff:.4g} Hz (zero-phase Butterworth of order 4): {why}."
    )
    source = "differentiated" if velocity == "differentiated" else "measured and low-passed"
    notes.append(
        f"velocities are {source}, accelerations by 9-point central differences; ends of segments "
        f"cut by up to {max(part.cut for part in used) / rate:.3g} s."
    )
    if log.qd is not None:
        notes += compare_velocities(log.joint_names, seen)
    ends = np.cumsum([0, *(part.count for part in used)]).tolist()
    return Prepared(
        t=columns["t"],
        q=columns["q"],
        qd=columns["qd"],
        qdd=columns["qdd"],
        tau=columns.get("tau"),
        bounds=tuple(pairwise(ends)),
        rate=rate,
        cutoff=cutoff,
        notes=tuple(notes),
    )


def velocities(log: Log, cutoff: float) -> Velocities:
    """Compare measured velocities with slopes of positions; long logs in some runs of samples."""
    pieces, rate = _pieces(log, None, cutoff)
    seen = Velocities.none(log.n)
    for piece in pieces:
        for a, b in runs(len(piece), RUNS, RUN):
            run = Segment(piece.start + a, piece.start + b)
            if len(run) >= _fewest(rate, cutoff):
                for one in _Part(log, run, rate, cutoff, _usual_trim(rate, cutoff)).blocks():
                    assert one.measured is not None
                    seen.add(one.qd, one.measured)
    return seen


def _pieces(
    log: Log, max_gap: float | None, cutoff: float | None
) -> tuple[tuple[Segment, ...], float]:
    """Return the pieces of a log without gaps, and its rate [Hz].

    Raises:
        InputError: the log is too short to have a rate, or too slow for the cut-off.
    """
    if len(log) < 2:
        raise InputError("the log is too short: it has a single sample.")
    pieces = segments(log, max_gap)
    rate = even_rate(log, pieces)
    highest = MAX_NYQUIST_SHARE * rate / 2
    # the rate of stamps has rounding errors, and a cut-off that was printed, too
    if cutoff is not None and checked_positive(cutoff, "cutoff") > 1.001 * highest:
        raise InputError(
            f"`cutoff` is {cutoff:g} Hz, but at {rate:.4g} samples a second it can be "
            f"at most {highest:.4g} Hz.",
            argument="cutoff",
        )
    return pieces, rate


def _usual_trim(rate: float, cutoff: float) -> float:
    return max(TRIM_PERIODS / cutoff, TRIM_SAMPLES / rate)


def _fewest(rate: float, cutoff: float) -> int:
    """Return the fewest samples of a segment: two cut-off periods plus the differences' reach."""
    return int(np.ceil(2 * rate / cutoff)) + 4 * REACH


def _columns(
    log: Log, parts: Sequence[_Part], use_measured: bool
) -> tuple[dict[str, Array], Velocities]:
    """Return the columns of all parts, in memory or in files like those of the log."""
    widths: dict[str, tuple[int, ...]] = {"t": (), "q": (log.n,), "qd": (log.n,), "qdd": (log.n,)}
    ready: dict[str, Array] = {}
    untouched = len(parts) == 1 and parts[0].steps.as_recorded and not parts[0].delay
    if log.tau is not None and untouched:
        # Torques are not filtered: take them from the log.
        first = parts[0].piece.start + parts[0].cut
        ready["tau"] = part_of(log.tau, first, first + parts[0].count)
    elif log.tau is not None:
        widths["tau"] = (log.n,)
    count = sum(part.count for part in parts)
    in_file = is_in_file(log.q)
    made = {k: FileRows(*w) if in_file else MemoryRows(count, *w) for k, w in widths.items()}
    seen = Velocities.none(log.n)
    for part in parts:
        for one in part.blocks():
            qd, qdd = one.qd, one.qdd
            if one.measured is not None:
                seen.add(one.qd, one.measured)
                if use_measured:
                    qd, qdd = one.measured, one.measured_slope
            found = {"t": one.t, "q": one.q, "qd": qd, "qdd": qdd, "tau": one.tau}
            for name, column in made.items():
                rows = found[name]
                assert rows is not None
                column.append(rows)
    for name, column in made.items():
        ready[name] = cast(Array, column if isinstance(column, FileRows) else column.rows)
    return ready, seen


@dataclass(frozen=True, eq=False)
class _Block:
    """Consecutive samples; `measured` are low-passed measured velocities."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None
    measured: Array | None
    measured_slope: Array | None


class _Part:
    """One segment at equal steps, without its ends."""

    def __init__(
        self,
        log: Log,
        piece: Segment,
        rate: float,
        cutoff: float,
        trim: float,
        delay: float = 0.0,
    ) -> None:
        self.log, self.piece, self.rate, self.cutoff, self.delay = log, piece, rate, cutoff, delay
        self.steps = EqualSteps(log, piece, rate)
        steps = self.steps.count
        self.cut = max(min(int(trim * rate), int(TRIM_SHARE * steps)), REACH)
        self.count = steps - 2 * self.cut

    def blocks(self) -> Iterator[_Block]:
        """Yield the samples block by block."""
        log, steps = self.log, self.steps
        q_filter = self._filter(log.q)
        v_filter = None if log.qd is None else self._filter(log.qd)
        for a, b in blocks(self.count, MEMORIES * q_filter.memory):
            a, b = a + self.cut, b + self.cut
            q = q_filter.rows(a - REACH, b + REACH)
            qd, qdd = derivatives(q, self.rate)
            tau = None if log.tau is None else steps.values(log.tau, a, b, self.delay)
            measured, slope = None, None
            if v_filter is not None:
                v = v_filter.rows(a - REACH, b + REACH)
                measured, slope = v[REACH:-REACH], derivatives(v, self.rate)[0]
            t = steps.times(a, b)
            yield _Block(t, q[REACH:-REACH], qd, qdd, tau, measured, slope)

    def _filter(self, column: Array) -> ZeroPhase:
        def read(a: int, b: int) -> Array:
            return self.steps.values(column, a, b)

        return ZeroPhase(read, self.steps.count, self.rate, self.cutoff)
