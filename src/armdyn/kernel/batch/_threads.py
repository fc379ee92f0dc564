"""Large batches on several cores; the result does not depend on how many."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from operator import index
from threading import Lock
from typing import Any

from armdyn.errors import InputError, shown

VARIABLE = "ARMDYN_THREADS"

# A thread for fewer states does not pay: its start takes as long as some thousand states.
LEAST_STATES = 16_384


def wanted_threads(threads: int | None = None) -> int:
    """Return how many threads to use: as asked, or by the environment, or one for each core."""
    if threads is None:
        told = os.environ.get(VARIABLE)
        return _checked(told, VARIABLE, int) if told else _cores()
    return _checked(threads, "`threads`", index)


def in_threads(work: Callable[[int, int], object], length: int, part: int, threads: int) -> None:
    """Call ``work(i, j)`` for all parts of ``range(length)``.

    Every thread takes the next part when it has finished one, so a slow thread does not hold up the
    others.

    Args:
        work: releases Python's lock most of the time.
        length: of the whole.
        part: length of a part.
        threads: how many at the most.
    """
    if 0 < length <= part:
        work(0, length)
        return
    begins = iter(range(0, length, part))
    lock = Lock()

    def worker() -> None:
        while True:
            with lock:
                i = next(begins, None)
            if i is None:
                return
            try:
                work(i, min(i + part, length))
            except BaseException:
                with lock:
                    deque(begins, maxlen=0)  # the rest is not needed
                raise

    helpers = min(threads, -(-length // part)) - 1
    if helpers < 1:
        worker()
        return
    from concurrent.futures import ThreadPoolExecutor

    # A pool of its own for each call: the threads of an older one are missing after a fork.
    with ThreadPoolExecutor(helpers) as pool:
        jobs = [pool.submit(worker) for _ in range(helpers)]
        worker()
    for job in jobs:
        job.result()


def _checked(told: object, name: str, whole: Callable[[Any], int]) -> int:
    with suppress(TypeError, ValueError, OverflowError):
        if not isinstance(told, bool) and (number := whole(told)) >= 1:
            return number
    raise InputError(
        f"{name} is {shown(told)}, expected a whole number of at least one.",
        argument=None if name == VARIABLE else "threads",
    )


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1
