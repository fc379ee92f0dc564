"""A batch of states, evaluated part by part, in threads if it is large.

The loop checks inputs and results for non-finite numbers while it computes, which costs little.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from math import prod
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armdyn.checks import LARGEST_FLOAT, checked_whole
from armdyn.errors import InputError, shown
from armdyn.kernel.batch_ir import largest_address
from armdyn.kernel.element import BAD_INPUT, BAD_RESULT, DOUBLE, ELEMENTS, ElementType
from armdyn.kernel.ir.finite_check import finite_magnitude
from armdyn.kernel.targets.choice import target

if TYPE_CHECKING:
    from concurrent.futures import Future

    from armdyn.kernel.kernel import Kernel

# Many states as rows: memory for their results, and arrays of any axes.

# Bytes of a large page. NumPy asks Linux for such pages for arrays of `LARGE` bytes or more; at
# their ends there are small ones, hundreds of them, unless the array has room for whole large ones.
LARGE_PAGE, LARGE = 2**21, 2**22


def new_rows(
    lead: tuple[int, ...], row: tuple[int, ...], element: ElementType = DOUBLE
) -> NDArray[Any]:
    """Return a new array that is aligned to a cache line, a large one to a large page.

    Otherwise every vector store would touch two cache lines, and some stores two pages.

    Args:
        lead: the leading axes, over states.
        row: the axes of one state's result.
        element: the type of the numbers.
    """
    shape = (*lead, *row)
    line, size = target().line_bytes, element.bytes
    if prod(lead) < line // size:
        return np.empty(shape, element.code)
    count = prod(shape)
    large = count * size >= LARGE
    boundary, more = (LARGE_PAGE, 2 * LARGE_PAGE) if large else (line, line)
    room = np.empty(count + more // size - 1, element.code)
    first = -room.__array_interface__["data"][0] % boundary // size
    return room[first : first + count].reshape(shape)


def as_rows(array: NDArray[Any], lead: tuple[int, ...]) -> NDArray[Any]:
    """Return states ``(..., n)`` as rows ``(B, n)``, copied only if there is no other way.

    Args:
        array: the states; if one serves for all, it is returned as ``(n,)``.
        lead: the leading axes to which they are broadcast.
    """
    n = array.shape[-1]
    if array.size == n and prod(lead) > 1:
        rows = array.reshape(n)
    elif array.shape[:-1] == lead:
        rows = array.reshape(-1, n) if array.size else array.reshape(0, n)
    else:
        rows = np.broadcast_to(array, (*lead, n)).reshape(prod(lead), n)
    return rows if rows.flags.aligned and min(rows.strides) >= 0 else rows.copy()


# Large batches on several cores; the result does not depend on how many.

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


Array = NDArray[Any]

# Bytes of a part: enough that starting it costs little.
PART = 2**22
# A part has a multiple of this many states: only the last part ends within a block of states.
WHOLE_BLOCKS = 64
# To copy more rows than this takes longer than to start a loop over them.
MAX_COPIED_ROWS = 512


class Batch:
    """States, and arrays for their results.

    Attributes:
        inputs_within: False once an input is found to be too large or not finite.
        results_finite: False once a result is found not to be finite.
    """

    def __init__(
        self,
        kernel: Kernel,
        arrays: Sequence[Array],
        outs: Sequence[Array],
        lead: tuple[int, ...],
        threads: int,
        largest: float = LARGEST_FLOAT,
    ) -> None:
        """Prepare the loop over the states.

        Args:
            kernel: the machine code.
            arrays: one for each input, of shape ``(..., n)``.
            outs: receive the outputs; dense, and apart from the inputs.
            lead: common broadcast shape of the leading axes of the inputs.
            threads: largest number of threads.
            largest: a batch with a larger or non-finite input is refused.
        """
        n_states, shape = prod(lead), (lead if lead else (1,))
        slots = (*kernel.program.inputs, *kernel.program.outputs)
        self.inputs_within = self.results_finite = True
        self._kernel, self._largest = kernel, largest
        self._threads = min(threads, max(1, n_states // LEAST_STATES))
        size = kernel.element.bytes * sum(slot.size for slot in slots)
        part = max(1, PART // max(1, size) // WHOLE_BLOCKS) * WHOLE_BLOCKS
        if n_states <= part or all(_are_rows(a, shape) for a in arrays):
            self._inputs = [as_rows(a, lead) for a in arrays]
            self._outs = [o.reshape(n_states, *o.shape[len(lead) :]) for o in outs]
            self._loop = kernel.checked_loop.of([*self._inputs, *self._outs], largest)
            self._length, self._part = n_states, part
        else:  # rows are made part by part: all of them may be much larger than the arrays
            self._inputs = [np.broadcast_to(a, (*shape, a.shape[-1])) for a in arrays]
            self._outs, self._loop = list(outs), None
            each = n_states // shape[0]
            self._length = shape[0]
            self._part = max(1, part // each) if each < MAX_COPIED_ROWS else 1

    def compute(self) -> None:
        """Fill the output arrays; stop when an input is refused."""
        in_threads(self._compute, self._length, self._part, self._threads)

    def _compute(self, i: int, j: int) -> None:
        if not self.inputs_within:
            return
        bad = self._loop(i, j) if self._loop else self._compute_rows(i, j)
        if bad == BAD_INPUT:  # only False is written: other threads write too
            self.inputs_within = False
        elif bad == BAD_RESULT:
            self.results_finite = False

    def _compute_rows(self, i: int, j: int) -> int:
        # of two axes, the rows of one index need no copy
        at = i if self._part == 1 and self._inputs[0].ndim > 2 else slice(i, j)
        inputs, outs = ([x[at] for x in arrays] for arrays in (self._inputs, self._outs))
        batch = Batch(self._kernel, inputs, outs, inputs[0].shape[:-1], 1, self._largest)
        batch.compute()
        if not batch.inputs_within:
            return BAD_INPUT
        return 0 if batch.results_finite else BAD_RESULT


def _are_rows(a: Array, lead: tuple[int, ...]) -> bool:
    """Return whether rows of the states need no copy."""
    plain = len(lead) == 1 or a.flags.c_contiguous
    dense = a.flags.aligned and min(a.strides) >= 0
    return dense and (a.size == a.shape[-1] or (plain and a.shape[:-1] == lead))


# Check whether all numbers of an array are finite or bounded, without a temporary mask.

FloatArray = NDArray[np.float64] | NDArray[np.float32]

# From this many numbers on, loading machine code pays off; NumPy would build a mask first.
MIN_COMPILED_NUMBERS = 4096


def all_finite(array: FloatArray) -> bool:
    """Return whether all numbers are finite; other threads may run meanwhile."""
    if array.size < MIN_COMPILED_NUMBERS or not array.flags.c_contiguous:
        return bool(np.isfinite(array).all())
    element = ELEMENTS[array.dtype.char]
    return _largest(element)(array.ctypes.data, array.size) <= finite_magnitude(element)


def all_within(array: FloatArray, largest: float) -> bool:
    """Return whether all numbers are finite and at most this large in magnitude."""
    element = ELEMENTS[array.dtype.char]
    if array.size < MIN_COMPILED_NUMBERS or not array.flags.c_contiguous:
        return bool((np.abs(array) <= min(largest, element.largest)).all())
    return _largest(element)(array.ctypes.data, array.size) <= element.bound(largest)


@lru_cache(maxsize=len(ELEMENTS))
def _largest(element: ElementType) -> Callable[..., Any]:
    kinds = element.c_integer, ctypes.c_void_p, ctypes.c_int64
    return ctypes.CFUNCTYPE(*kinds)(largest_address(element))
