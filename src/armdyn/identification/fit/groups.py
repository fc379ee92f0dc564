"""Numbered groups of blocks: the pieces in which rows are made, here or on a cluster.

Groups are of fixed size, and their results are put together in the order of their numbers. So a
result has the same bits wherever the groups were computed, and in whatever order they came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.data.decimation import DecimationFilter
from armdyn.identification.fit.columns import Model

# Blocks of a group, and its samples: 17 MB of six joints.
GROUP, MOST_SAMPLES = 16, 90_000


class Samples(NamedTuple):
    """Some samples: q, qd, qdd and torques, ``(N, n)`` each."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def part(self, a: int, b: int) -> Samples:
        """Return samples a to b."""
        return Samples(*(x[a:b] for x in self))


class Segment(Protocol):
    """Samples that give rows, block by block."""

    @property
    def band(self) -> DecimationFilter:
        """The filter of the rows."""
        ...

    def blocks(self) -> Iterator[tuple[int, int, slice]]:
        """Yield samples a to b, and the rows that they give."""
        ...


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Some consecutive blocks of a segment.

    Attributes:
        segment: number of the segment.
        samples: (start, stop) of the samples of all its blocks, in the segment.
        rows: the rows that they give, in the segment.
        start: number of the first row, counted over all segments.
        blocks: samples a to b of every block, and its rows, both counted within the group.
        band: the filter of the rows.
    """

    segment: int
    samples: tuple[int, int]
    rows: slice
    start: int
    blocks: tuple[tuple[int, int, slice], ...]
    band: DecimationFilter

    @property
    def count(self) -> int:
        """Number of rows."""
        return int(self.rows.stop - self.rows.start)


@dataclass(frozen=True, eq=False)
class Work:
    """A group to work on: its samples, and its rows if they are there already.

    Attributes:
        model: the columns of the rows.
        group: which blocks.
        samples: of the group; None if only rows are needed, and they are there.
        made: the columns of each block's rows ``(m, width)``.
    """

    model: Model
    group: RowGroup
    samples: Samples | None
    made: Sequence[Array] | None = None

    def blocks(self) -> Iterator[tuple[slice, Samples]]:
        """Yield the rows of every block, counted within the group, and its samples."""
        assert self.samples is not None
        for a, b, at in self.group.blocks:
            yield at, self.samples.part(a, b)

    def rows(self) -> Iterator[tuple[slice, Array]]:
        """Yield the rows of every block, counted within the group, and their columns."""
        if self.made is not None:
            yield from zip((at for _, _, at in self.group.blocks), self.made, strict=True)
            return
        for at, x in self.blocks():
            yield at, self.model.rows(x.q, x.qd, x.qdd, self.group.band)

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
        wide: whether the function uses the rows of the model, not the samples.
    """

    function: Callable[..., Any]
    columns: Sequence[Sequence[NDArray[Any]]] = ()
    given: Sequence[object] = ()
    wide: bool = True

    def of(self, group: RowGroup) -> list[NDArray[Any]]:
        """Return the rows of a group of all columns."""
        return [column[group.segment][group.rows] for column in self.columns]


def row_groups(segments: Sequence[Segment]) -> list[RowGroup]:
    """Return the groups of all segments, in order."""
    made: list[RowGroup] = []
    total = 0
    for number, segment in enumerate(segments):
        blocks = list(segment.blocks())
        # blocks of a filter with a long reach are long
        longest = max((b - a for a, b, _ in blocks), default=1)
        size = max(min(GROUP, MOST_SAMPLES // longest), 1)
        for k in range(0, len(blocks), size):
            some = blocks[k : k + size]
            first, row = some[0][0], int(some[0][2].start)
            inner = tuple(
                (a - first, b - first, slice(at.start - row, at.stop - row)) for a, b, at in some
            )
            rows = slice(row, int(some[-1][2].stop))
            span = first, some[-1][1]
            made.append(RowGroup(number, span, rows, total + row, inner, segment.band))
        total += int(blocks[-1][2].stop) if blocks else 0
    return made
