"""Large batches on several cores; the result does not depend on how many."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from armdyn._checks import checked_whole
from armdyn.errors import InputError, shown

if TYPE_CHECKING:
    from concurrent.futures import Future

VARIABLE = "ARMDYN_THREADS"
WHOLE = "a whole number of at least one"

# A thread for fewer states does not pay off: starting it takes as long as some thousand states.
LEAST_STATES = 16_384


def wanted_threads(threads: int | None = None) -> int:
    """Return how many threads to use: the argument, else the environment, else one per core."""
    if threads is not None:
        return checked_whole(threads, "threads", 1, what=WHOLE)
    told = os.environ.get(VARIABLE)
    if not told:
        return _cores()
    with suppress(ValueError):
        if (number := int(told)) >= 1:
            return number
    raise InputError(f"{VARIABLE} is {shown(told)}, expected {WHOLE}.")


def in_threads(work: Callable[[int, int], object], length: int, part: int, threads: int) -> None:
    """Call ``work(i, j)`` for all parts of ``range(length)``.

    Each thread takes the next part when it finishes one, so a slow thread does not delay others.

    Args:
        work: the function to call; it should release the GIL most of the time.
        length: total length.
        part: length of a part.
        threads: maximum number of threads.
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

    # A new pool for each call: after a fork the threads of an older pool do not exist.
    with ThreadPoolExecutor(helpers) as pool:
        jobs: list[Future[None]] = []
        with suppress(RuntimeError):  # the system allows no more threads: there is less help
            for _ in range(helpers):
                jobs.append(pool.submit(worker))
        worker()
    for job in jobs:
        job.result()


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # not on every platform
        return os.cpu_count() or 1
