"""Samples between gaps, and the rows that a filter makes from them, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.cluster import Cluster
from armdyn.identification.data.decimation import DecimationFilter
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.groups import Pass, RowGroup, Samples, Work, row_groups
from armdyn.identification.fit.remote_rows import RemoteRows, RemoteSamples
from armdyn.log.rows import FileRows, MemoryRows, blocks, is_in_file, part_of, picked, runs
from armdyn.log.signals import Prepared

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
    """The filtered rows of all segments, in groups of blocks; can be worked on many times.

    They stay in memory if there is room, unless `once` says that nobody comes back for them. With a
    cluster, its workers make and keep them.
    """

    def __init__(
        self,
        model: Model,
        parts: Sequence[FilteredSegment],
        *,
        once: bool = False,
        cluster: Cluster | None = None,
    ) -> None:
        self.model, self.parts = model, parts
        self.groups = row_groups(parts)
        self.count = sum(len(part.centres) for part in parts)
        self.made = False
        self._once, self._size = once, self.count * model.width * 8
        self._keep = not once and self._size <= MOST_BYTES_IN_MEMORY
        self._kept: list[list[Array]] = []
        self._sent = None if cluster is None else RemoteSamples(cluster, self.groups, self._samples)
        self._remote: RemoteRows | None = None

    def of(self, model: Model, *, once: bool = False) -> Rows:
        """Return the rows of another model for the same samples."""
        rows = Rows(model, self.parts, once=once)
        rows._sent = self._sent
        return rows

    def each(
        self,
        function: Callable[..., Any],
        *columns: Sequence[NDArray[Any]],
        given: Sequence[object] = (),
        wide: bool = True,
    ) -> Iterator[tuple[RowGroup, Any]]:
        """Yield what a function makes of every group, in order; for the arguments, see `Pass`."""
        over = Pass(function, columns, given, wide)
        results = self._here(over) if self._sent is None else self._on_workers(self._sent, over)
        yield from zip(self.groups, results, strict=True)
        self.made = self.made or (wide and self._keep)

    def __iter__(self) -> Iterator[tuple[int, slice, Array]]:
        """Yield the number of the segment, its rows, and their columns ``(m, width)``."""
        for group, made in self.each(_wide):
            for at, A in made:
                first = int(group.rows.start)
                yield group.segment, slice(first + at.start, first + at.stop), A

    def collected(self, function: Callable[..., Array], given: Sequence[object]) -> list[Array]:
        """Return what a function makes of the samples of all groups, for the rows of segments."""
        made: list[list[Array]] = [[] for _ in self.parts]
        for group, rows in self.each(function, given=given, wide=False):
            made[group.segment].append(rows)
        return [np.concatenate(listed) for listed in made]

    def every(self, stride: int) -> Iterator[tuple[int, tuple[int, int], slice, Array]]:
        """Yield each `stride`-th block: its segment, samples, rows, and their columns."""
        number = 0
        for i, group in enumerate(self.groups):
            first, row = group.samples[0], int(group.rows.start)
            for m, (a, b, at) in enumerate(group.blocks):
                if number % stride == 0:
                    span = first + a, first + b
                    if self._kept:
                        columns = self._kept[i][m]
                    else:
                        x = self.parts[group.segment].samples(*span)
                        columns = self.model.rows(x.q, x.qd, x.qdd, group.band)
                    yield group.segment, span, slice(row + at.start, row + at.stop), columns
                number += 1

    def _samples(self, group: RowGroup) -> Samples:
        return self.parts[group.segment].samples(*group.samples)

    def _here(self, over: Pass) -> Iterator[Any]:
        kept, collected = self._kept, list[list[Array]]()
        for number, group in enumerate(self.groups):
            if over.wide and kept:
                work = Work(self.model, group, None, kept[number])
            else:
                work = Work(self.model, group, self._samples(group))
                if over.wide and self._keep:
                    collected.append([A for _, A in work.rows()])
                    work = Work(self.model, group, None, collected[-1])
            yield over.function(work, *over.of(group), *over.given)
        if over.wide and self._keep and not kept:
            self._kept = collected

    def _on_workers(self, sent: RemoteSamples, over: Pass) -> Iterator[Any]:
        if self._remote is None:
            keep = not self._once and self._size <= MOST_BYTES_IN_MEMORY * sent.cluster.count
            self._remote = RemoteRows(sent, self.model, keep)
        return self._remote.each(over)


def _wide(work: Work) -> list[tuple[slice, Array]]:
    return list(work.rows())
