"""Large batches on several cores; the result does not depend on how many."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError, shown

Array = NDArray[np.float64]

VARIABLE = "ARMDYN_THREADS"
# Starting a thread takes as long as some thousand states: fewer than this are not worth one.
LEAST_STATES = 16_384


def wanted_threads(threads: int | None = None) -> int:
    """Return how many threads to use: as asked, or by the environment, or one for each core."""
    told: object = threads if threads is not None else os.environ.get(VARIABLE) or None
    if told is None:
        return _cores()
    number = int(told) if isinstance(told, str) and told.isdecimal() else told
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        name = "`threads`" if threads is not None else VARIABLE
        raise InputError(f"{name} is {shown(told)}, expected a whole number of at least one.")
    return number


def in_threads(
    evaluate: Callable[[Sequence[Array], Sequence[Array]], object],
    arrays: Sequence[Array],
    outs: Sequence[Array],
    n_states: int,
    threads: int,
) -> None:
    """Call ``evaluate(arrays, outs)`` on parts of a batch, cut along its first axis.

    Args:
        evaluate: fills the outs; lets go of Python's lock while it works.
        arrays: inputs with the same leading axes.
        outs: results with the same leading axes.
        n_states: product of the leading axes.
        threads: how many at the most.
    """
    length = outs[0].shape[0] if n_states >= LEAST_STATES else 1
    parts = min(threads, length, n_states // LEAST_STATES)
    if parts < 2:
        evaluate(arrays, outs)
        return
    cuts = [length * k // parts for k in range(parts + 1)]
    # A pool of its own for each call: one that is kept would be dead in a process forked later.
    with ThreadPoolExecutor(parts) as pool:
        jobs = [
            pool.submit(evaluate, [a[i:j] for a in arrays], [o[i:j] for o in outs])
            for i, j in pairwise(cuts)
        ]
    for job in jobs:
        job.result()


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1
