"""`Cluster`: a client of `distributed` that was checked, and what is asked of it.

Tasks are given as functions and arguments, data included. So what a worker held when it was lost is
computed again on another. Results are read in the order in which tasks were given.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from armdyn.checks import checked_whole
from armdyn.errors import ArmdynError, InputError, MissingExtraError, shown

PACKAGE = "distributed"
WHY = "work on a cluster"

# Time [s] to wait for the first worker of a cluster, and for one whose connection was lost; and the
# pause before the latter is asked again, which doubles each time.
PATIENCE = 30.0
FIRST_PAUSE = 0.1

# Local processes: a larger number is taken to be a mistake.
MOST_WORKERS = 1024

# Tasks with data of their own that are started ahead, for each worker.
AHEAD = 2

# A result on a worker. The package has no types of its own.
Future: TypeAlias = Any


class Cluster:
    """The workers of a client."""

    def __init__(self, client: Any) -> None:
        self.client = client

    @property
    def count(self) -> int:
        """Number of workers at this moment."""
        return len(self.client.scheduler_info(n_workers=-1)["workers"])

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Start a function on a worker; futures among the arguments are waited for there."""
        dask = importlib.import_module("dask")
        # data go with the task, so that it can be repeated elsewhere
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            return self.client.submit(_called, function, *arguments, pure=False)

    def each(self, function: Callable[..., Any], given: Iterable[Sequence[Any]]) -> Iterator[Any]:
        """Yield what a function makes of each list of arguments, in order.

        Tasks are started as results are read, some for each worker, so that data do not pile up.
        """
        waiting: deque[Future] = deque()
        for arguments in given:
            waiting.append(self.submit(function, *arguments))
            if len(waiting) >= AHEAD * max(self.count, 1):
                yield self.result(waiting.popleft())
        while waiting:
            yield self.result(waiting.popleft())

    def results(self, futures: Iterable[Future]) -> Iterator[Any]:
        """Yield the results of tasks in their order; the errors of tasks are raised."""
        for future in futures:
            yield self.result(future)

    def result(self, future: Future) -> Any:
        """Return the result of a task."""
        distributed = importlib.import_module(PACKAGE)
        try:
            return aligned(future.result())
        except distributed.scheduler.KilledWorker as error:
            raise ArmdynError(
                f"the cluster gave up a task: {error.allowed_failures + 1} workers died while they "
                "worked on it. Do they have enough memory? Their logs say more."
            ) from error
        except (distributed.client.FutureCancelledError, distributed.comm.CommClosedError) as error:
            raise ArmdynError(
                f"the cluster went away during the work ({type(error).__name__}): the client was "
                "closed, or the scheduler stopped."
            ) from error


@contextmanager
def local_client(workers: int) -> Generator[Any]:
    """Yield a client of worker processes on this machine, which end with it.

    Args:
        workers: number of processes.

    Raises:
        MissingExtraError: the package `distributed` is not installed.
    """
    if importlib.util.find_spec(PACKAGE) is None:
        raise MissingExtraError(PACKAGE, "cluster", WHY)
    distributed = importlib.import_module(PACKAGE)
    made = distributed.LocalCluster(
        n_workers=checked_whole(workers, "workers", 1, MOST_WORKERS),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )
    with made, distributed.Client(made) as client:
        yield client


def _called(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*map(aligned, arguments))


def aligned(value: Any) -> Any:
    """Return a value that came from another process with all its arrays aligned in memory.

    Messages put arrays at any byte. NumPy multiplies matrices that are not aligned by a loop of its
    own, whose results have other bits than those of the linear algebra library.
    """
    if isinstance(value, np.ndarray):
        array = cast("np.ndarray[Any, Any]", value)
        return array if array.flags.aligned else array.copy(order="K")
    if isinstance(value, list):
        return [aligned(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: aligned(one) for key, one in cast("dict[Any, Any]", value).items()}
    if isinstance(value, tuple):
        parts = [aligned(one) for one in cast("tuple[Any, ...]", value)]
        kind: Any = cast(Any, type)(value)
        return kind(*parts) if hasattr(kind, "_fields") else tuple(parts)
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            one = getattr(value, field.name)
            if (same := aligned(one)) is not one:
                object.__setattr__(value, field.name, same)
    return value


def checked_client(client: object) -> Cluster | None:
    """Return the cluster of the argument `client`, whose workers have this armdyn; None if None.

    Raises:
        MissingExtraError: the package `distributed` is not installed.
        InputError: it is no client, it is closed, or its workers cannot do the work.
    """
    if client is None:
        return None
    if importlib.util.find_spec(PACKAGE) is None:
        raise MissingExtraError(PACKAGE, "cluster", WHY)
    kind: Any = importlib.import_module(PACKAGE).Client
    if not isinstance(client, kind):
        raise InputError(
            f"`client` is {shown(client)}, expected a distributed.Client, such as "
            "distributed.Client('tcp://scheduler:8786').",
            argument="client",
        )
    given: Any = client
    if given.asynchronous:
        raise InputError(
            "`client` is asynchronous, expected one made with asynchronous=False.",
            argument="client",
        )
    if given.status != "running":
        raise InputError(
            f"`client` is {given.status}, expected a running distributed.Client: make a new one.",
            argument="client",
        )
    cluster = Cluster(given)
    _check_workers(cluster)
    return cluster


def _check_workers(cluster: Cluster) -> None:
    """Refuse workers that are not there, or that have no armdyn or another version of it."""
    if not cluster.count:
        # a cluster that grows on demand starts a worker now
        first = cluster.client.submit(int, pure=False)
        try:
            first.result(timeout=PATIENCE)
        except TimeoutError:
            raise InputError(
                f"`client` has no workers, and none came within {PATIENCE:g} s; start some.",
                argument="client",
            ) from None
    here = importlib.metadata.version("armdyn")
    for worker, version in _versions(cluster).items():
        if isinstance(version, OSError):
            raise InputError(
                f"worker {worker} of `client` did not answer within {PATIENCE:g} s: {version}. "
                "Restart it, or remove it from the cluster.",
                argument="client",
            )
        if isinstance(version, BaseException):
            raise InputError(
                f"worker {worker} of `client` has no armdyn (here it is {here}): {version}. "
                "Install the same version on all workers.",
                argument="client",
            )
        if version != here:
            raise InputError(
                f"worker {worker} of `client` has armdyn {version}, but here it is {here}: results "
                "could differ. Install the same version on all workers.",
                argument="client",
            )


def _versions(cluster: Cluster) -> dict[str, Any]:
    """Return the version of armdyn of every worker, or why there is none.

    Workers whose connection is lost are asked again, until `PATIENCE` ends: the scheduler needs
    some time to remove them, or to reach them anew.
    """
    pause, end = FIRST_PAUSE, time.monotonic() + PATIENCE
    while True:
        # the function has to be one that workers without armdyn know, too
        answers = cluster.client.run(importlib.metadata.version, "armdyn", on_error="return")
        lost = any(isinstance(answer, OSError) for answer in answers.values())
        if not lost or time.monotonic() + pause > end:
            return answers
        time.sleep(pause)
        pause *= 2.0
