"""A batch of states, computed a few states at a time and checked while they are in the cache.

Inputs and results are checked for non-finite numbers while they are in the L1 cache. Checking all
of them before or after would read memory once more, which takes as long as the dynamics of some
arms.

Results that fit no cache are streamed: the kernel writes them to scratch rows, and from there they
go to memory in whole cache lines, bypassing the caches. An ordinary store would first wait for the
line that it overwrites to be read from memory. If the program's kernel can, it streams results
while it computes the next ones, see `_streams`; otherwise they are copied in between.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

from numpy.typing import NDArray

from armdyn._checks import LARGEST_FLOAT
from armdyn.graph import Program, Rolled
from armdyn.kernel._element import ELEMENTS, ElementType
from armdyn.kernel.batch._batch_code import batch_address, streamed_batch_address
from armdyn.kernel.batch._streams import scratch_size
from armdyn.kernel.batch._strided_loop import MOST_SCRATCH
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.ir._finite_check import finite_magnitude

Array = NDArray[Any]

# Bytes of the states that are computed before they are checked: well within the L1 cache.
NEAR = 2**13
# Results of more bytes are streamed. Smaller results stay in the last-level cache: stores to it are
# faster, and the next reader finds them there.
STREAMED = 3 * 2**22


class CheckedBatchLoop:
    """The inner loop of a gufunc on dense arrays, which checks the numbers as it goes.

    Attributes:
        loop: its address.
        sizes: the numbers per state of every input and output.
        ordinary: the largest magnitude of inputs whose results need no check.
        near: how many states are computed before they are checked.
        most_unstreamed: the results of larger batches are streamed.
    """

    def __init__(
        self,
        program: Program | Rolled,
        codegen: Codegen,
        loop: int,
        ordinary: int,
        streaming: int | None = None,
    ) -> None:
        """Prepare the loop of a program.

        Args:
            program: the program that the loop computes.
            codegen: the code generator that the loop was compiled with.
            loop: its address; the caller keeps it in memory.
            ordinary: a magnitude; if no input exceeds it, all results are finite.
            streaming: address of the function that computes and streams, if there is one.
        """
        slots = (*program.inputs, *program.outputs)
        self._codegen = codegen
        self.loop = loop
        self.ordinary = ordinary
        self._n_inputs = len(program.inputs)
        self.sizes = [slot.size for slot in slots]
        self._row_bytes = [codegen.bytes_of(size) for size in self.sizes]
        self._most = finite_magnitude(codegen.element)
        self._axes = [len(slot.shape) for slot in slots]
        self._core = [
            codegen.bytes_of(prod(slot.shape[k + 1 :]))
            for slot in slots
            for k in range(len(slot.shape))
        ]
        self.near = self._states_in(sum(self.sizes))
        self._streaming = streaming
        self._streamed_near = self._states_in(sum(self.sizes[: self._n_inputs]))
        self._streamed_room = scratch_size(program, codegen)
        results = self.sizes[self._n_inputs :]
        line = codegen.target.line_bytes
        sizes = (codegen.bytes_of(size * self.near) for size in results)
        self._room = sum((size + 2 * line - 1) // line * line for size in sizes)
        most = STREAMED // codegen.bytes_of(max(1, sum(results)))
        self.most_unstreamed = most if self._room <= MOST_SCRATCH else 2**62

    @property
    def steps(self) -> list[int]:
        """The strides of dense arrays that all have the batch axis."""
        return [*self._row_bytes, *self._core]

    def _states_in(self, size: int) -> int:
        """Return how many states to compute before a check: whole blocks of any width."""
        most, block = NEAR // self._codegen.bytes_of(max(1, size)), self._codegen.line_width
        return max(block, most // block * block)

    def of(
        self, arrays: Sequence[Array], largest: float = LARGEST_FLOAT
    ) -> Callable[[int, int], int]:
        """Return a function that computes a range of states of a batch.

        Its arguments are the first state and the one past the last. It returns 0, or `BAD_INPUT` if
        it stopped at a bad input, or `BAD_RESULT`. It releases the GIL.

        Args:
            arrays: dense and aligned, of shape ``(B, ...)`` for each input and output; an input
                without the first axis is the same for all states, and not checked.
            largest: larger inputs are refused, like non-finite ones. This applies only if every
                input has the first axis; otherwise only non-finite inputs are refused.
        """
        sizes, steps = self.sizes, self.steps
        batched = [array.ndim > axes for axes, array in zip(self._axes, arrays, strict=True)]
        if not all(batched):
            sizes = [size * has for size, has in zip(sizes, batched, strict=True)]
            rows = [step * has for step, has in zip(self._row_bytes, batched, strict=True)]
            steps = [*rows, *self._core]
        bases = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
        given = (
            self.loop, bases, (ctypes.c_int64 * len(sizes))(*sizes),
            (ctypes.c_int64 * len(steps))(*steps), self._n_inputs, len(sizes),
        )  # fmt: skip
        large = len(arrays[-1]) > self.most_unstreamed
        most = self._most
        if largest < LARGEST_FLOAT and all(sizes[: self._n_inputs]):
            most = self._codegen.element.bound(largest)
        if large and self._streaming and all(sizes):
            call = _streamed_function(self._codegen.element)

            def streamed(first: int, past: int) -> int:
                return call(
                    self._streaming, *given, first, past,
                    self._streamed_near, self.ordinary, self._streamed_room, most,
                )  # fmt: skip

            return streamed
        room = self._room if large else 0
        call = _function(self._codegen.element)

        def compute(first: int, past: int) -> int:
            return call(*given, first, past, self.near, self.ordinary, room, most)

        return compute


@lru_cache(maxsize=len(ELEMENTS))
def _function(element: ElementType) -> Callable[..., Any]:
    return ctypes.CFUNCTYPE(ctypes.c_int, *_kinds(element))(batch_address(element))


@lru_cache(maxsize=len(ELEMENTS))
def _streamed_function(element: ElementType) -> Callable[..., Any]:
    kinds = ctypes.c_void_p, *_kinds(element)
    return ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(streamed_batch_address(element))


def _kinds(element: ElementType) -> list[Any]:
    """Return the types of the arguments of the function that computes a batch."""
    number, magnitude = ctypes.c_int64, element.c_integer
    return [*[ctypes.c_void_p] * 4, *[number] * 5, magnitude, number, magnitude]
