"""Machine code that computes a batch and checks its numbers: the same for all programs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.checks import LARGEST_FLOAT
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.kernel.cached import common_code
from armdyn.kernel.element import BAD_INPUT, BAD_RESULT, ELEMENTS, ElementType
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.finite_check import (
    LARGEST,
    finite_magnitude,
    largest_function,
    largest_of_function,
)
from armdyn.kernel.llvm import Engine
from armdyn.kernel.streaming import STREAMED_BATCH, STREAMED_CODE, StreamSlots, scratch_size
from armdyn.kernel.strided_loop import MOST_SCRATCH

BATCH = "armdyn_batch"

# The modules that emit this code.
BATCH_MODULES = (
    "element",
    "jit",
    "batch_ir",
    "streaming",
    "strided_loop",
    "ir.codegen",
    "ir.finite_check",
    "ir.writer",
)

# Copy numbers with non-temporal stores, in whole cache lines of the destination.
_STREAM = """\
define internal void @armdyn_stream(ptr %to, ptr %from, i64 %n) nounwind {
entry:
  %begin = ptrtoint ptr %to to i64
  %under = sub i64 0, %begin
  %before = and i64 %under, $in_line
  %ahead = lshr i64 %before, $log2_bytes
  %short = icmp slt i64 %n, %ahead
  %first = select i1 %short, i64 %n, i64 %ahead
  br label %one
one:
  %i = phi i64 [ 0, %entry ], [ %i2, %single ], [ %j, %lines ]
  %end = phi i64 [ %first, %entry ], [ %end, %single ], [ %n, %lines ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %single, label %through
single:
  %i.from = getelementptr $element, ptr %from, i64 %i
  %i.to = getelementptr $element, ptr %to, i64 %i
  %x = load $element, ptr %i.from, align $bytes
  store $element %x, ptr %i.to, align $bytes
  %i2 = add i64 %i, 1
  br label %one
through:
  %last = icmp eq i64 %i, %n
  br i1 %last, label %done, label %lines
lines:
  %j = phi i64 [ %i, %through ], [ %j2, %line ]
  %j2 = add i64 %j, $lanes
  %fits = icmp sle i64 %j2, %n
  br i1 %fits, label %line, label %one
line:
  %j.from = getelementptr $element, ptr %from, i64 %j
  %j.to = getelementptr $element, ptr %to, i64 %j
  %v = load <$lanes x $element>, ptr %j.from, align $bytes
  store <$lanes x $element> %v, ptr %j.to, align $line, !nontemporal !1
  br label %lines
done:
  ret void
}
!1 = !{i32 1}
"""

# Find state i of all operands.
_PLACE = """\
define internal void @armdyn_place(ptr %args, ptr %bases, ptr %sizes, i64 %operands, i64 %i) \
nounwind {
entry:
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %k2, %next ]
  %base.p = getelementptr ptr, ptr %bases, i64 %k
  %base = load ptr, ptr %base.p
  %size.p = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.p
  %at = mul i64 %size, %i
  %x = getelementptr $element, ptr %base, i64 %at
  %arg = getelementptr ptr, ptr %args, i64 %k
  store ptr %x, ptr %arg
  %k2 = add i64 %k, 1
  %more = icmp slt i64 %k2, %operands
  br i1 %more, label %next, label %done
done:
  ret void
}
"""

# Operands are inputs, then outputs. `sizes` are their numbers per state, 0 for an operand that all
# states share. Inputs are checked after the loop has read them, so that waiting for memory overlaps
# with computation. If no magnitude exceeds `ordinary`, all results are finite and need no check. If
# one exceeds `largest`, the batch is refused. `room` is the bytes of scratch for the results of
# `near` states, 0 if results are not streamed.
_BATCH = """\
define i32 @armdyn_batch(ptr %loop, ptr %bases, ptr %sizes, ptr %steps, i64 %inputs, i64 %operands,
                         i64 %first, i64 %past, i64 %near, $integer %ordinary, i64 %room,
                         $integer %largest) nounwind {
entry:
  %args = alloca ptr, i64 %operands
  %count = alloca i64
  %scratch = alloca i8, i64 %room, align $page
  %streams = icmp ne i64 %room, 0
  br label %head
head:
  %i = phi i64 [ %first, %entry ], [ %next, %tail ]
  %bad = phi i32 [ 0, %entry ], [ %mark, %tail ]
  %left = sub i64 %past, %i
  %some = icmp sgt i64 %left, 0
  br i1 %some, label %body, label %done
body:
  %fits = icmp slt i64 %near, %left
  %n = select i1 %fits, i64 %near, i64 %left
  store i64 %n, ptr %count
  br label %place
place:
  call void @armdyn_place(ptr %args, ptr %bases, ptr %sizes, i64 %operands, i64 %i)
  br i1 %streams, label %aside, label %call
aside:
  %k = phi i64 [ %inputs, %place ], [ %k2, %aside ]
  %used = phi i64 [ 0, %place ], [ %used2, %aside ]
  %arg = getelementptr ptr, ptr %args, i64 %k
  %x = load ptr, ptr %arg
  %x.number = ptrtoint ptr %x to i64
  %in.line = and i64 %x.number, $in_line
  %row.at = add i64 %used, %in.line
  %row = getelementptr i8, ptr %scratch, i64 %row.at
  store ptr %row, ptr %arg
  %size.p = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.p
  %numbers.near = mul i64 %size, %near
  %bytes = shl i64 %numbers.near, $log2_bytes
  %rounded = add i64 %bytes, $almost_two_lines
  %whole = and i64 %rounded, -$line
  %used2 = add i64 %used, %whole
  %k2 = add i64 %k, 1
  %again = icmp slt i64 %k2, %operands
  br i1 %again, label %aside, label %call
call:
  call void %loop(ptr %args, ptr %count, ptr %steps, ptr null)
  %large = call $integer @armdyn_largest_of(ptr %args, ptr %sizes, i64 0, i64 %inputs, i64 %n)
  %refused = icmp sgt $integer %large, %largest
  br i1 %refused, label %done, label %good
good:
  %sure = icmp sle $integer %large, %ordinary
  br i1 %sure, label %judged, label %judge
judge:
  %seen = call $integer @armdyn_largest_of(ptr %args, ptr %sizes, i64 %inputs, i64 %operands, \
i64 %n)
  %fine = icmp sle $integer %seen, $finite
  %mark2 = select i1 %fine, i32 %bad, i32 $bad_result
  br label %judged
judged:
  %mark = phi i32 [ %bad, %good ], [ %mark2, %judge ]
  br i1 %streams, label %write, label %tail
write:
  %r = phi i64 [ %inputs, %judged ], [ %r2, %write ]
  %from.p = getelementptr ptr, ptr %args, i64 %r
  %from = load ptr, ptr %from.p
  %to.p = getelementptr ptr, ptr %bases, i64 %r
  %to.base = load ptr, ptr %to.p
  %r.size.p = getelementptr i64, ptr %sizes, i64 %r
  %r.size = load i64, ptr %r.size.p
  %to.at = mul i64 %r.size, %i
  %to = getelementptr $element, ptr %to.base, i64 %to.at
  %r.numbers = mul i64 %r.size, %n
  call void @armdyn_stream(ptr %to, ptr %from, i64 %r.numbers)
  %r2 = add i64 %r, 1
  %r.more = icmp slt i64 %r2, %operands
  br i1 %r.more, label %write, label %tail
tail:
  %next = add i64 %i, %n
  br label %head
done:
  %verdict = phi i32 [ %bad, %head ], [ $bad_input, %call ]
  br i1 %streams, label %settle, label %leave
settle:
  fence seq_cst
  br label %leave
leave:
  ret i32 %verdict
}
"""


def largest_address(element: ElementType) -> int:
    """Return the address of the function that returns the greatest magnitude of an array."""
    return _code(element).address(LARGEST)


def batch_address(element: ElementType) -> int:
    """Return the address of the function that computes a batch."""
    return _code(element).address(BATCH)


def streamed_batch_address(element: ElementType) -> int:
    """Return the address of the function that computes a batch and streams its results."""
    return _code(element).address(STREAMED_BATCH)


def _code(element: ElementType) -> Engine:
    return common_code(element, "batch_ir:batch_code", BATCH_MODULES)


def batch_code(codegen: Codegen) -> str:
    """Return the module."""
    line = codegen.target.line_bytes
    tests = largest_function(codegen, public=True) + largest_of_function(codegen)
    return tests + codegen.filled(
        _STREAM + _PLACE + _BATCH + STREAMED_CODE,
        in_line=line - 1,
        almost_two_lines=2 * line - 1,
        lines_in_page=codegen.target.page_bytes // line,
        bad_input=BAD_INPUT,
        bad_result=BAD_RESULT,
        finite=finite_magnitude(codegen.element),
        **{word.name.lower(): word.value for word in StreamSlots},
    )


# A batch of states, computed a few states at a time and checked while they are in the cache.
#
# Inputs and results are checked for non-finite numbers while they are in the L1 cache. Checking all
# of them before or after would read memory once more, which takes as long as the dynamics of some
# arms.
#
# Results that fit no cache are streamed: the kernel writes them to scratch rows, and from there
# they go to memory in whole cache lines, bypassing the caches. An ordinary store would first wait
# for the line that it overwrites to be read from memory. If the program's kernel can, it streams
# results while it computes the next ones, see `streaming`; otherwise they are copied in between.

Array = NDArray[Any]

POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int64

# Bytes of the states that are computed before they are checked: well within the L1 cache.
CHECK_BLOCK_BYTES = 2**13
# Results of more bytes are streamed. Smaller results stay in the last-level cache: stores to it are
# faster, and the next reader finds them there.
STREAMING_THRESHOLD_BYTES = 3 * 2**22


class CheckedBatchLoop:
    """The inner loop of a gufunc on dense arrays, which checks the numbers as it goes.

    Attributes:
        loop: its address.
        sizes: the numbers per state of every input and output.
        safe_magnitude: the largest magnitude of inputs whose results need no check.
        near: how many states are computed before they are checked.
        gathers: whether inputs of any strides are made dense a few states at a time.
        most_unstreamed: the results of larger batches are streamed.
    """

    def __init__(
        self,
        program: Program | Rolled,
        codegen: Codegen,
        loop: int,
        safe_magnitude: int,
        streaming: int | None = None,
    ) -> None:
        """Prepare the loop of a program.

        Args:
            program: the program that the loop computes.
            codegen: the code generator that the loop was compiled with.
            loop: its address; the caller keeps it in memory.
            safe_magnitude: a magnitude; if no input exceeds it, all results are finite.
            streaming: address of the function that computes and streams, if there is one.
        """
        slots = (*program.inputs, *program.outputs)
        self._codegen = codegen
        self.loop = loop
        self.safe_magnitude = safe_magnitude
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
        most = STREAMING_THRESHOLD_BYTES // codegen.bytes_of(max(1, sum(results)))
        self.most_unstreamed = most if self._room <= MOST_SCRATCH else 2**62

    @property
    def steps(self) -> list[int]:
        """The strides of dense arrays that all have the batch axis."""
        return [*self._row_bytes, *self._core]

    def _states_in(self, size: int) -> int:
        """Return how many states to compute before a check: whole blocks of any width."""
        most, block = (
            CHECK_BLOCK_BYTES // self._codegen.bytes_of(max(1, size)),
            self._codegen.line_width,
        )
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
            from armdyn.kernel.gather import gathered_address  # dense arrays do without it

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
            return call(*operands, first, past, near, self.safe_magnitude, room, most)

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
