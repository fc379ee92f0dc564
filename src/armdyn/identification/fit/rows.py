"""The filtered rows of logs: segments between gaps, in numbered groups of blocks.

Groups are of fixed size, and their results are put together in the order of their numbers. So a
result has the same bits wherever the groups were computed, here or on the workers of a cluster, and
in whatever order they came. On a cluster, samples are arguments of tasks: if a worker is lost, the
cluster repeats its tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.cluster import Cluster, Future
from armdyn.identification.fit.columns import Model
from armdyn.identification.signals.decimation import DecimationFilter
from armdyn.log.rows import (
    FileRows,
    MemoryRows,
    blocks,
    is_in_file,
    is_shared,
    part_of,
    picked,
    runs,
)
from armdyn.log.signals import Prepared

# Samples of a block. A regressor of 7 joints takes 2.4 kB per sample.
BLOCK = 4096

# Blocks are at least this many times as long as the reach of the filter on one side, which makes a
# hundred rows. With several hundred rows, the linear algebra library starts threads for every small
# product, which takes longer than the product.
REACHES = 24

# Largest numbers of blocks and of samples of a group: 17 MB of six joints.
GROUP_BLOCKS, GROUP_SAMPLES = 16, 90_000

# Statistics of long logs use this many runs of samples, of this length.
RUNS, RUN = 32, 2048

# Filtered rows stay in memory up to this size; beyond it each pass computes them again.
MOST_BYTES_IN_MEMORY = 300_000_000


class Samples(NamedTuple):
    """Some samples: q, qd, qdd and torques, ``(N, n)`` each."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def part(self, a: int, b: int) -> Samples:
        """Return samples a to b."""
        return Samples(*(x[a:b] for x in self))


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

    @property
    def step(self) -> float:
        """Time between samples [s]."""
        return float(np.diff(self.t[:2])[0]) if len(self.t) > 1 else 1.0

    def filtered(self, values: Array) -> Array:
        """Return the rows ``(M, n)`` of samples ``(N, n)``."""
        return np.concatenate([self.band.rows(values[a:b]) for a, b, _ in self.blocks()])

    def samples(self, a: int, b: int) -> Samples:
        """Return samples a to b."""
        return self.unread(a, b).part(0, b - a)

    def unread(self, a: int, b: int) -> Samples:
        """Return samples a to b, views or unread in files."""
        return Samples(*(part_of(x, a, b) for x in (self.q, self.qd, self.qdd, self.tau)))

    @property
    def is_shared(self) -> bool:
        """Whether workers can read the samples."""
        return all(map(is_shared, (self.q, self.qd, self.qdd, self.tau)))

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


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Some consecutive blocks of a segment.

    Attributes:
        segment: number of the segment.
        samples: (start, stop) of the samples of all its blocks, in the segment.
        rows: the rows that they give, in the segment.
        start: number of the first row, counted over all segments.
        first: number of the first block, counted over all segments.
        blocks: samples a to b of every block, and its rows, both counted within the group.
        band: the filter of the rows.
        step: time between samples [s].
    """

    segment: int
    samples: tuple[int, int]
    rows: slice
    start: int
    first: int
    blocks: tuple[tuple[int, int, slice], ...]
    band: DecimationFilter
    step: float

    @property
    def count(self) -> int:
        """Number of rows."""
        return int(self.rows.stop - self.rows.start)


def row_groups(segments: Sequence[FilteredSegment]) -> list[RowGroup]:
    """Return the groups of all segments, in order."""
    made: list[RowGroup] = []
    total = number = 0
    for segment_number, segment in enumerate(segments):
        blocks = list(segment.blocks())
        # blocks of a filter with a long reach are long
        longest = max((b - a for a, b, _ in blocks), default=1)
        size = max(min(GROUP_BLOCKS, GROUP_SAMPLES // longest), 1)
        for k in range(0, len(blocks), size):
            some = blocks[k : k + size]
            first, row = some[0][0], int(some[0][2].start)
            inner = tuple(
                (a - first, b - first, slice(at.start - row, at.stop - row)) for a, b, at in some
            )
            rows = slice(row, int(some[-1][2].stop))
            span = first, some[-1][1]
            made.append(
                RowGroup(segment_number, span, rows, total + row, number + k, inner, segment.band,
                         segment.step)
            )  # fmt: skip
        total += int(blocks[-1][2].stop) if blocks else 0
        number += len(blocks)
    return made


@dataclass(frozen=True, eq=False)
class Work:
    """A group to work on: its samples, and its rows if they are there already.

    Attributes:
        model: the columns of the rows.
        group: which blocks.
        samples: of the group.
        made: the columns of each block's rows ``(m, width)``.
    """

    model: Model
    group: RowGroup
    samples: Samples
    made: Sequence[Array] | None = None

    def blocks(self) -> Iterator[tuple[slice, Samples]]:
        """Yield the rows of every block, counted within the group, and its samples."""
        for a, b, at in self.group.blocks:
            yield at, self.samples.part(a, b)

    def rows(self, stride: int = 1) -> Iterator[tuple[slice, Array, Samples]]:
        """Yield the rows of each `stride`-th block, their columns, and the block's samples."""
        for m, (at, x) in enumerate(self.blocks()):
            if (self.group.first + m) % stride == 0:
                made = None if self.made is None else self.made[m]
                if made is None:
                    made = self.model.rows(x.q, x.qd, x.qdd, self.group.band)
                yield at, made, x

    def filtered(self, values: Iterator[Array]) -> Array:
        """Return the rows ``(m, n)`` of values ``(N, n)`` at the samples of every block."""
        return np.concatenate([self.group.band.rows(x) for x in values])


class Pass(NamedTuple):
    """A function that is applied to every group.

    Attributes:
        function: of `Work`, the rows of the group of each of `columns`, and what is `given`. It may
            run on a worker.
        columns: numbers for the rows of every segment, ``(M, ...)`` each.
        given: further arguments.
        wide: whether the function uses the rows of the model, not only the samples.
    """

    function: Callable[..., Any]
    columns: Sequence[Sequence[NDArray[Any]]] = ()
    given: Sequence[object] = ()
    wide: bool = True

    def of(self, group: RowGroup) -> list[NDArray[Any]]:
        """Return the rows of a group of all columns."""
        return [column[group.segment][group.rows] for column in self.columns]


class Rows:
    """The filtered rows of all segments, in groups of blocks; can be worked on many times.

    They stay in memory up to a size, unless `once` says that they are used once. Workers of a
    cluster compute them for every pass: they hold samples in files or of small logs, and no rows.
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
        self._size = np.inf if once else self.count * model.width * 8
        self._keep = self._size <= MOST_BYTES_IN_MEMORY
        self._kept: list[list[Array]] = []
        self._cluster, self._owner = cluster, self

    def of(self, model: Model, *, once: bool = False) -> Rows:
        """Return the rows of another model for the same samples."""
        rows = Rows(model, self.parts, once=once, cluster=self._cluster)
        rows._owner = self._owner
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
        cluster = self._cluster
        results = self._here(over) if cluster is None else self._on_workers(cluster, over)
        yield from zip(self.groups, results, strict=True)
        self.made = self.made or (wide and self._keep)

    def torques(self, values: Array) -> list[Array]:
        """Return the filtered torques ``(M, n)`` of values of the columns, of every segment."""
        if not self.made:
            return self.collected(_predicted, (values,))
        made = [np.empty((len(part.centres), self.model.n)) for part in self.parts]
        for group, ours in self.each(_group_torques, given=(values,)):
            made[group.segment][group.rows] = ours
        return made

    def collected(self, function: Callable[..., Array], given: Sequence[object]) -> list[Array]:
        """Return what a function makes of the samples of all groups, for the rows of segments."""
        made: list[list[Array]] = [[] for _ in self.parts]
        for group, rows in self.each(function, given=given, wide=False):
            made[group.segment].append(rows)
        return [np.concatenate(listed) for listed in made]

    def samples(self, group: RowGroup) -> Samples:
        """Return the samples of a group."""
        return self.parts[group.segment].samples(*group.samples)

    def _here(self, over: Pass) -> Iterator[Any]:
        kept, collected = self._kept, list[list[Array]]()
        for number, group in enumerate(self.groups):
            made = kept[number] if over.wide and kept else None
            work = Work(self.model, group, self.samples(group), made)
            if over.wide and self._keep and made is None:
                collected.append([A for _, A, _ in work.rows()])
                work = Work(self.model, group, work.samples, collected[-1])
            yield over.function(work, *over.of(group), *over.given)
        if over.wide and self._keep and not kept:
            self._kept = collected

    def _on_workers(self, cluster: Cluster, over: Pass) -> Iterator[Any]:
        model, each = self._model_there, zip(self.groups, self._samples_there, strict=True)
        given = ((over.function, model, *one, *over.of(one[0]), *over.given) for one in each)
        return cluster.each(_worked, given)

    @cached_property
    def _samples_there(self) -> list[Any]:
        """The samples of every group on workers, or in files that these read.

        Models of all kinds share them.
        """
        if self._owner is not self:
            return self._owner._samples_there
        assert self._cluster is not None
        submit = self._cluster.submit
        return [
            part.unread(*one.samples) if part.is_shared else submit(_sent, *self.samples(one))
            for one, part in ((group, self.parts[group.segment]) for group in self.groups)
        ]

    @cached_property
    def _model_there(self) -> Future:
        """The model on workers."""
        assert self._cluster is not None
        return self._cluster.submit(_same, self.model)


def _group_torques(work: Work, values: Array) -> Array:
    """Return the torques of a model ``(m, n)`` for the rows of a group."""
    return np.concatenate([work.model.torques(values, A) for _, A, _ in work.rows()])


def _predicted(work: Work, values: Array) -> Array:
    """Return the same from samples: of rows that are used only once, this is faster."""
    model = work.model
    return work.filtered(model.predicted(values, x.q, x.qd, x.qdd) for _, x in work.blocks())


def _same(model: Model) -> Model:
    return model


def _sent(*samples: Array) -> Samples:
    return Samples(*samples)


def _worked(
    function: Callable[..., Any],
    model: Model,
    group: RowGroup,
    samples: Samples,
    *given: object,
) -> Any:
    return function(Work(model, group, samples.part(0, len(samples.q))), *given)
