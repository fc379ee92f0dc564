"""Samples between gaps, and the rows that a filter makes of them, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armdyn.identification._band import Band
from armdyn.identification._model import Model
from armdyn.log import Prepared

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Samples of a block. A regressor of 7 joints takes 2.4 kB a sample.
BLOCK = 4096

# Filtered rows of all blocks are kept if they need no more than this; else they are made anew.
KEPT_BYTES = 300_000_000


@dataclass(frozen=True, eq=False)
class Stretch:
    """Samples of one log between two gaps.

    Attributes:
        log: number of the log.
        t: times ``(N,)``.
        q: positions ``(N, n)``, like all that follow.
        qd: velocities.
        qdd: accelerations.
        tau: torques that the model has to explain: measured less known.
        band: the filter of the rows.
    """

    log: int
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    band: Band

    @cached_property
    def centres(self) -> NDArray[np.int64]:
        """Samples that the rows are centred on."""
        return self.band.centres(len(self.t))

    def filtered(self, values: Array) -> Array:
        """Return the rows ``(M, n)`` of samples ``(N, n)``."""
        parts = [self.band.rows(values[a:b]) for a, b, _ in self.blocks()]
        return np.concatenate(parts) if parts else np.zeros((0, values.shape[1]))

    def blocks(self) -> Iterator[tuple[int, int, slice]]:
        """Yield samples a to b, and the rows that are made of them."""
        c, reach = self.centres, self.band.reach
        span = max(BLOCK, 12 * reach)
        step = max((span - 2 * reach - 1) // self.band.factor + 1, 1)
        for first in range(0, len(c), step):
            last = min(first + step, len(c))
            yield int(c[first]) - reach, int(c[last - 1]) + reach + 1, slice(first, last)


def stretches(prepared: Sequence[Prepared], bands: Sequence[Band], model: Model) -> list[Stretch]:
    """Return the pieces of prepared logs that give at least one row."""
    listed: list[Stretch] = []
    for number, (log, band) in enumerate(zip(prepared, bands, strict=True)):
        assert log.tau is not None
        for a, b in log.bounds:
            tau = log.tau[a:b] - model.known(log.qd[a:b], log.qdd[a:b])
            one = Stretch(number, log.t[a:b], log.q[a:b], log.qd[a:b], log.qdd[a:b], tau, band)
            if len(one.centres):
                listed.append(one)
    return listed


class Rows:
    """The filtered rows of all stretches, in blocks, as often as they are asked for."""

    def __init__(self, model: Model, parts: Sequence[Stretch]) -> None:
        self.model, self.parts = model, parts
        self.count = sum(len(part.centres) for part in parts)
        self._keep = self.count * model.width * 8 <= KEPT_BYTES
        self._kept: list[Array] = []

    def __iter__(self) -> Iterator[tuple[int, slice, Array]]:
        """Yield the number of the stretch, its rows, and their columns ``(m, width)``."""
        places = ((k, a, b, at) for k, p in enumerate(self.parts) for a, b, at in p.blocks())
        if self._kept:
            for (k, _, _, at), rows in zip(places, self._kept, strict=True):
                yield k, at, rows
            return
        made: list[Array] = []
        for k, a, b, at in places:
            part = self.parts[k]
            rows = self.model.rows(part.q[a:b], part.qd[a:b], part.qdd[a:b], part.band)
            if self._keep:
                made.append(rows)
            yield k, at, rows
        self._kept = made
