"""Torques at the full resolution of the logs, for drawings that are zoomed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.signals.prepared import Signals

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Points of a low-passed curve for each row of the fit: straight lines between them look smooth.
DENSE = 8

# Points of a low-passed signal for each period of its cut-off.
PER_PERIOD = 8

# Numbers that a page carries, at three bytes each; curves of longer logs are thinned, but not below
# so many points.
MOST_NUMBERS = 1_600_000
FEWEST = 2000

# Longer logs [samples] are drawn at the rows of the fit only.
LONGEST = 500_000


@dataclass(frozen=True, eq=False)
class Fine:
    """Torques of one segment of a log, without gaps.

    Attributes:
        signals: the log.
        start: first sample of the segment.
        stop: the sample after its last one.
        t: times of the low-passed torques ``(D,)``.
        measured: torques of every joint ``(D,)`` each, low-passed as for the fit.
        predicted: those of the model, low-passed likewise.
        model: torques of the model, not filtered, ``(N, n)``.
    """

    signals: Signals
    start: int
    stop: int
    t: Array
    measured: tuple[Array, ...]
    predicted: tuple[Array, ...]
    model: Array

    @cached_property
    def times(self) -> Array:
        """Times of all samples ``(N,)``."""
        return self.signals.used.t[self.start : self.stop]

    @cached_property
    def torque(self) -> Array:
        """Torques as recorded, at equal steps, ``(N, n)``."""
        assert self.signals.used.tau is not None
        return self.signals.used.tau[self.start : self.stop]


def fine_torques(result: Result, held_out: bool) -> list[Fine]:
    """Return the torques of the segments of logs in memory; none if the logs are too long."""
    chosen = [s for s in result.signals if s.held_out == held_out]
    if sum(len(s.used) for s in chosen) > LONGEST:
        return []
    return [_fine(result, s, a, b) for s in chosen for a, b in s.used.bounds if _has_rows(s, a, b)]


def _has_rows(signals: Signals, a: int, b: int) -> bool:
    return len(signals.band.centres(b - a)) > 0


def _fine(result: Result, signals: Signals, a: int, b: int) -> Fine:
    used, band = signals.used, signals.band
    assert used.tau is not None
    q, qd, qdd, tau = (x[a:b] for x in (used.q, used.qd, used.qdd, used.tau))
    model = result.model.predicted(result.values, q, qd, qdd) + result.model.known(q, qd, qdd)
    shifts = sorted({round(k * band.factor / DENSE) for k in range(min(DENSE, band.factor))})
    times: list[Array] = []
    rows: list[Array] = []
    both = np.hstack([tau, model])
    for shift in shifts:
        left = both[shift:]
        count = len(left) - 2 * band.reach
        if count <= 0:
            continue
        made = band.rows(left)
        times.append(used.t[a + shift + band.reach + band.factor * np.arange(len(made))])
        rows.append(made)
    t, y = np.concatenate(times), np.concatenate(rows)
    order = np.argsort(t, kind="stable")
    t, y, n = t[order], y[order], tau.shape[1]
    columns = [np.ascontiguousarray(y[:, j]) for j in range(2 * n)]
    return Fine(signals, a, b, t, tuple(columns[:n]), tuple(columns[n:]), model)


def every(signals: Signals) -> int:
    """Return how many samples of a low-passed signal there are for each point that is drawn."""
    return max(int(signals.used.rate / (PER_PERIOD * signals.used.cutoff)), 1)


def drawn_share(result: Result) -> float:
    """Return the share of the points of curves that a page carries, at most 1."""
    count = sum(
        len(s.recorded)
        * (3 + (s.recorded.qd is not None) + 3 / every(s) + 3 * DENSE / s.band.factor)
        for s in result.signals
    )
    return min(MOST_NUMBERS / max(count * result.arm.n, 1.0), 1.0)


def within(t: Array, y: Array, share: float) -> tuple[Array, Array]:
    """Return a curve, or the extremes of its pieces if it has more points than its share.

    The extremes are half a piece apart: equal steps of time stay equal, and take no room.
    """
    most = max(int(share * len(y)), FEWEST)
    if len(y) <= most:
        return t, y
    half = -(-len(y) // most)
    pieces = np.pad(y, (0, -len(y) % (2 * half)), mode="edge").reshape(-1, 2 * half)
    low, high = pieces.argmin(axis=1), pieces.argmax(axis=1)
    ends = np.stack([np.minimum(low, high), np.maximum(low, high)], axis=1)
    at = t[::half]
    return at, np.take_along_axis(pieces, ends, axis=1).ravel()[: len(at)]


def thinned_in_words(result: Result) -> str:
    """Return a sentence if the page does not carry all points."""
    many = " The log is long: extremes are drawn in place of all samples."
    return many * (drawn_share(result) < 1.0)
