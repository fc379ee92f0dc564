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

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import LARGEST_FLOAT
from armdyn.graph import Program, Rolled
from armdyn.kernel._element import ELEMENTS, ElementType
from armdyn.kernel.batch._batch_code import batch_address, streamed_batch_address
from armdyn.kernel.batch._streams import scratch_size
from armdyn.kernel.batch._strided_loop import MOST_SCRATCH
from armdyn.kernel.ir._codegen import Codegen

Array = NDArray[Any]

POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int64

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
        gathers: whether inputs of any strides are made dense a few states at a time.
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
        self._axes = [len(slot.shape) for slot in slots]
        self._core = [
            codegen.bytes_of(prod(slot.shape[k + 1 :]))
            for slot in slots
            for k in range(len(slot.shape))
        ]
        self._sizes, self._steps = _numbers(self.sizes), _numbers(self.steps)
        self.near = self._states_in(sum(self.sizes))
        scratch = codegen.bytes_of(2 * self.near * sum(self.sizes[: self._n_inputs]))
        self.gathers = scratch <= MOST_SCRATCH and max(self._axes[: self._n_inputs], default=0) <= 1
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
            arrays: aligned, of shape ``(B, ...)`` for each input and output; outputs are dense. An
                input without the first axis is the same for all states.
            largest: larger inputs are refused, like non-finite ones.
        """
        element, n, count = self._codegen.element, self._n_inputs, len(arrays[-1])
        shared = [array.ndim == axes for axes, array in zip(self._axes, arrays, strict=True)]
        dense = not any(shared) and all(array.flags.c_contiguous for array in arrays)
        if not dense and not self.gathers:
            inputs = [
                np.ascontiguousarray(np.broadcast_to(a, (count, *a.shape[a.ndim - axes :])))
                for axes, a in zip(self._axes, arrays[:n], strict=False)
            ]
            arrays, dense = [*inputs, *arrays[n:]], True
        bases = (POINTER * len(arrays))(*[array.ctypes.data for array in arrays])
        large = count > self.most_unstreamed
        near, room = self.near, self._room if large else 0
        operands = self.loop, bases, self._sizes, self._steps, n, len(arrays)
        call = _function(element, batch_address)
        if not dense:
            from armdyn.kernel.batch._gather import gathered_address

            each = [*zip(arrays, self._axes, shared, strict=True)]
            downs = _numbers([0 if alone else a.strides[0] for a, _, alone in each])
            rights = _numbers([a.strides[-1] if axes else 0 for a, axes, _ in each])
            operands = batch_address(element), sum(self.sizes[:n]), downs, rights, *operands
            room = 0
            call = _function(element, gathered_address, POINTER, NUMBER, POINTER, POINTER)
        elif large and self._streaming:
            operands = self._streaming, *operands
            near, room = self._streamed_near, self._streamed_room
            call = _function(element, streamed_batch_address, POINTER)
        most = _bound(element, largest)

        def compute(first: int, past: int, _kept: object = arrays) -> int:
            return call(*operands, first, past, near, self.ordinary, room, most)

        return compute


def _numbers(values: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * len(values))(*values)


_bound = lru_cache(maxsize=16)(ElementType.bound)


@lru_cache(maxsize=3 * len(ELEMENTS))
def _function(
    element: ElementType, address: Callable[[ElementType], int], *first: Any
) -> Callable[..., Any]:
    """Return a function that computes a batch; `first` are the types of its own arguments."""
    magnitude = element.c_integer
    kinds = [*first, *[POINTER] * 4, *[NUMBER] * 5, magnitude, NUMBER, magnitude]
    return ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(address(element))
