"""Torques at the full resolution of the logs, for drawings that are zoomed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armdyn.identification.data._signals import Signals
from armdyn.present.svg import outline

if TYPE_CHECKING:
    from armdyn.identification._result import Result

Array = NDArray[np.float64]

# Points of a low-passed curve for each row of the fit: straight lines between them look smooth.
DENSE = 8

# Numbers of recorded signals that a page carries, at three bytes each; longer logs are thinned.
MOST_NUMBERS = 1_200_000

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
    model = result.model.predicted(result.values, q, qd, qdd) + result.model.known(qd, qdd)
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


def thinned(t: Array, y: Array, most: int) -> tuple[Array, Array]:
    """Return a curve through the extremes of equal pieces, if it has more points than `most`."""
    at = outline(y, most)
    return (t, y) if len(at) == len(y) else (t[at], y[at])


def most_points(result: Result, curves: int) -> int:
    """Return how many points a recorded curve may have, if there are so many curves per joint."""
    samples = [len(s.recorded) for s in result.signals]
    share = MOST_NUMBERS / max(curves * result.arm.n * sum(samples), 1)
    return max(int(min(share, 1.0) * max(samples, default=1)), 2000)


def is_thinned(result: Result, curves: int) -> bool:
    """Return whether recorded curves are thinned."""
    most = most_points(result, curves)
    return any(len(s.recorded) > most for s in result.signals)


def residual_pieces(fine: Sequence[Fine], j: int) -> list[Array]:
    """Return measured minus predicted torques of a joint, not filtered, by segments."""
    return [one.torque[:, j] - one.model[:, j] for one in fine]
