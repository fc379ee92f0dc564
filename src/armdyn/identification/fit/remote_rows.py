"""Rows on the workers of a cluster: samples go there once, and rows stay there.

Samples are arguments of tasks, and rows are results. If a worker is lost, the cluster computes
again what it held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from armdyn.arrays import Array
from armdyn.cluster import Cluster, Future
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.groups import Pass, RowGroup, Samples, Work


class RemoteSamples:
    """The samples of groups as results on workers; models of all kinds use them."""

    def __init__(
        self, cluster: Cluster, groups: Sequence[RowGroup], samples: Callable[[RowGroup], Samples]
    ) -> None:
        """Prepare to send samples.

        Args:
            cluster: where to.
            groups: which.
            samples: reads those of a group.
        """
        self.cluster, self.groups, self._samples = cluster, groups, samples

    @cached_property
    def futures(self) -> list[Future]:
        """The samples of every group, on workers."""
        submit = self.cluster.submit
        return [submit(_sent, *self._samples(group)) for group in self.groups]


class RemoteRows:
    """The rows of one model on workers."""

    def __init__(self, samples: RemoteSamples, model: Model, keep: bool) -> None:
        """Prepare rows.

        Args:
            samples: of the groups.
            model: the columns of the rows.
            keep: whether workers keep the rows, or make them again each time.
        """
        self._samples, self._cluster, self._keep = samples, samples.cluster, keep
        self._model = self._cluster.submit(_same, model)

    @cached_property
    def _made(self) -> list[Future]:
        submit, pairs = self._cluster.submit, self._pairs()
        return [submit(_made, self._model, group, samples) for group, samples in pairs]

    def _pairs(self) -> Iterator[tuple[RowGroup, Future]]:
        return zip(self._samples.groups, self._samples.futures, strict=True)

    def each(self, over: Pass) -> Iterator[Any]:
        """Yield what a function makes of every group."""
        kept = over.wide and self._keep
        made = self._made if kept else [None] * len(self._samples.groups)
        futures = [
            self._cluster.submit(
                _worked, over.function, self._model, group, None if kept else samples, rows,
                *over.of(group), *over.given,
            )
            for (group, samples), rows in zip(self._pairs(), made, strict=True)
        ]  # fmt: skip
        return self._cluster.results(futures)


def _same(model: Model) -> Model:
    return model


def _sent(*samples: Array) -> Samples:
    return Samples(*samples)


def _made(model: Model, group: RowGroup, samples: Samples) -> list[Array]:
    return [A for _, A in Work(model, group, samples).rows()]


def _worked(
    function: Callable[..., Any],
    model: Model,
    group: RowGroup,
    samples: Samples | None,
    made: Sequence[Array] | None,
    *given: object,
) -> Any:
    return function(Work(model, group, samples, made), *given)
