"""Samples between gaps, and the rows that a filter makes from them, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.identification.data._decimation import DecimationFilter
from armdyn.identification.fit._columns import Model
from armdyn.log import FileRows, MemoryRows, Prepared, blocks, is_in_file, part_of, picked, runs

Array = NDArray[np.float64]

# Samples of a block. A regressor of 7 joints takes 2.4 kB per sample.
BLOCK = 4096

# Blocks are at least this many times as long as the reach of the filter on one side. That makes a
# hundred rows. With several hundred rows, the linear algebra library starts threads for every small
# product, which takes longer than the product.
REACHES = 24

# Statistics of long logs use this many runs of samples, of this length.
RUNS, RUN = 32, 2048

# Filtered rows stay in memory up to this size [bytes]; beyond it each pass computes them again.
MOST_BYTES_IN_MEMORY = 300_000_000


class Samples(NamedTuple):
    """Some samples: q, qd, qdd and torques, ``(N, n)`` each."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


@dataclass(frozen=True, eq=False)
class FilteredSegment:
    """Samples of one log between two gaps; the columns of a long log lie in files.

    Attributes:
        log: number of the log.
        t: times ``(N,)``.
        q: positions ``(N, n)``, like all that follow.
        qd: velocities.
        qdd: accelerations.
        tau: torques that the model has to explain: measured minus known torques.
        band: the filter of the rows.
    """

    log: int
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    band: DecimationFilter

    @cached_property
    def centres(self) -> NDArray[np.int64]:
        """Samples that the rows are centred on."""
        return self.band.centres(len(self.t))

    def filtered(self, values: Array) -> Array:
        """Return the rows ``(M, n)`` of samples ``(N, n)``."""
        return self.rows_of(lambda a, b: values[a:b])

    def rows_of(self, values: Callable[[int, int], Array]) -> Array:
        """Return the rows ``(M, n)`` of samples; ``values(a, b)`` gives samples ``(b - a, n)``."""
        return np.concatenate([self.band.rows(values(a, b)) for a, b, _ in self.blocks()])

    def samples(self, a: int, b: int) -> Samples:
        """Return samples a to b."""
        return Samples(self.q[a:b], self.qd[a:b], self.qdd[a:b], self.tau[a:b])

    def at_centres(self, column: Array) -> Array:
        """Return the samples of a column ``(N, ...)`` that rows are centred on."""
        return picked(column, self.centres)

    def blocks(self) -> Iterator[tuple[int, int, slice]]:
        """Yield samples a to b, and the rows that they give."""
        c, reach = self.centres, self.band.reach
        span = max(BLOCK, REACHES * reach)
        step = max((span - 2 * reach - 1) // self.band.factor + 1, 1)
        for first in range(0, len(c), step):
            last = min(first + step, len(c))
            yield int(c[first]) - reach, int(c[last - 1]) + reach + 1, slice(first, last)


def filtered_segments(
    prepared: Sequence[Prepared], bands: Sequence[DecimationFilter], model: Model
) -> list[FilteredSegment]:
    """Return the pieces of prepared logs that give at least one row."""
    listed: list[FilteredSegment] = []
    for number, (log, band) in enumerate(zip(prepared, bands, strict=True)):
        assert log.tau is not None
        for a, b in log.bounds:
            t, q, qd, qdd, tau = (
                part_of(x, a, b) for x in (log.t, log.q, log.qd, log.qdd, log.tau)
            )
            if len(band.centres(b - a)):
                left = _unknown(tau, q, qd, qdd, model) if model.knows else tau
                listed.append(FilteredSegment(number, t, q, qd, qdd, left, band))
    return listed


def _unknown(tau: Array, q: Array, qd: Array, qdd: Array, model: Model) -> Array:
    """Return torques minus known ones, in memory or in a file, like the input."""
    left = FileRows(model.n) if is_in_file(tau) else MemoryRows(*tau.shape)
    for a, b in blocks(len(tau)):
        left.append(tau[a:b] - model.known(q[a:b], qd[a:b], qdd[a:b]))
    return cast(Array, left if isinstance(left, FileRows) else left.rows)


def sample(parts: Sequence[FilteredSegment]) -> Iterator[Samples]:
    """Yield runs of samples evenly spread over all parts; all samples if they are few.

    A hundred thousand samples give the same statistics as millions.
    """
    count = sum(len(part.t) for part in parts)
    for part in parts:
        most = max(round(RUNS * len(part.t) / count), 1) if count > RUNS * RUN else RUNS
        for a, b in runs(len(part.t), most, RUN):
            yield part.samples(a, b)


class Rows:
    """The filtered rows of all segments, in blocks; can be iterated many times.

    They stay in memory if there is room, unless `once` says that nobody comes back for them.
    """

    def __init__(
        self, model: Model, parts: Sequence[FilteredSegment], *, once: bool = False
    ) -> None:
        self.model, self.parts = model, parts
        self.count = sum(len(part.centres) for part in parts)
        self._keep = not once and self.count * model.width * 8 <= MOST_BYTES_IN_MEMORY
        self._kept: list[Array] = []

    @property
    def made(self) -> bool:
        """Whether the rows are in memory already."""
        return bool(self._kept)

    def __iter__(self) -> Iterator[tuple[int, slice, Array]]:
        """Yield the number of the segment, its rows, and their columns ``(m, width)``."""
        places = ((k, a, b, at) for k, p in enumerate(self.parts) for a, b, at in p.blocks())
        if self._kept:
            for (k, _, _, at), rows in zip(places, self._kept, strict=True):
                yield k, at, rows
            return
        made: list[Array] = []
        for k, a, b, at in places:
            part = self.parts[k]
            rows = self.model.rows(*part.samples(a, b)[:3], part.band)
            if self._keep:
                made.append(rows)
            yield k, at, rows
        self._kept = made
