"""Whether numbers are finite: of an array, or of a batch while it is computed.

A batch is computed some states at a time, and what was read and written is looked at while it is
in the nearest cache. To look at all of it before or after would read memory once more, which takes
as long as the dynamics of some arms.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.graph import Program, Rolled
from armdyn.kernel._common_code import common_code
from armdyn.kernel._jit import Code

Array = NDArray[np.float64]

# Numbers for which machine code of our own is worth loading; NumPy makes an array of truths first.
MANY = 4096
# Bytes of the states that are computed before they are looked at: well within the nearest cache.
NEAR = 2**13

BAD_INPUT = 1
BAD_RESULT = 2

# Zero times a number is zero if it is finite, and else not a number, which stays in the sum.
_FINITE = """\
declare double @llvm.vector.reduce.fadd.v8f64(double, <8 x double>)

define zeroext i1 @armdyn_finite(ptr %x, i64 %n) nounwind {
entry:
  %blocks = sdiv i64 %n, 32
  %inner = mul i64 %blocks, 32
  %few = icmp eq i64 %inner, 0
  br i1 %few, label %rest, label %block
block:
  %i = phi i64 [ 0, %entry ], [ %i2, %block ]
LANES
  %i2 = add i64 %i, 32
  %more = icmp slt i64 %i2, %inner
  br i1 %more, label %block, label %together
together:
  %ab = fadd <8 x double> %t0, %t1
  %cd = fadd <8 x double> %t2, %t3
  %abcd = fadd <8 x double> %ab, %cd
  %sum = call reassoc double @llvm.vector.reduce.fadd.v8f64(double 0.0, <8 x double> %abcd)
  br label %rest
rest:
  %j = phi i64 [ 0, %entry ], [ %inner, %together ], [ %j2, %one ]
  %s = phi double [ 0.0, %entry ], [ %sum, %together ], [ %next, %one ]
  %done = icmp eq i64 %j, %n
  br i1 %done, label %end, label %one
one:
  %q = getelementptr double, ptr %x, i64 %j
  %w = load double, ptr %q, align 8
  %z = fmul double %w, 0.0
  %next = fadd double %s, %z
  %j2 = add i64 %j, 1
  br label %rest
end:
  %good = fcmp oeq double %s, 0.0
  ret i1 %good
}
"""
_SUM = "  %s{k} = phi <8 x double> [ zeroinitializer, %entry ], [ %t{k}, %block ]\n"
_LANE = """\
  %a{k} = add i64 %i, {at}
  %p{k} = getelementptr double, ptr %x, i64 %a{k}
  %v{k} = load <8 x double>, ptr %p{k}, align 8
  %z{k} = fmul contract <8 x double> %v{k}, zeroinitializer
  %t{k} = fadd contract <8 x double> %s{k}, %z{k}
"""

# Operands are inputs, then outputs; `sizes` are their numbers per state, 0 for one that all share.
# Inputs are looked at after they were read, too: then the reading waits for memory while computing.
_BATCH = """\
define i32 @armdyn_batch(ptr %loop, ptr %bases, ptr %sizes, ptr %steps, i64 %inputs, i64 %operands,
                         i64 %first, i64 %past, i64 %near, i32 %watch) nounwind {
entry:
  %args = alloca ptr, i64 %operands
  %count = alloca i64
  %all = icmp ne i32 %watch, 0
  %begin = select i1 %all, i64 0, i64 %inputs
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
  %k = phi i64 [ 0, %body ], [ %k2, %place ]
  %base.p = getelementptr ptr, ptr %bases, i64 %k
  %base = load ptr, ptr %base.p
  %size.p = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.p
  %at = mul i64 %size, %i
  %x = getelementptr double, ptr %base, i64 %at
  %arg = getelementptr ptr, ptr %args, i64 %k
  store ptr %x, ptr %arg
  %k2 = add i64 %k, 1
  %again = icmp slt i64 %k2, %operands
  br i1 %again, label %place, label %call
call:
  call void %loop(ptr %args, ptr %count, ptr %steps, ptr null)
  br label %look
look:
  %o = phi i64 [ %begin, %call ], [ %o2, %good ]
  %marked = phi i32 [ %bad, %call ], [ %mark, %good ]
  %y.p = getelementptr ptr, ptr %args, i64 %o
  %y = load ptr, ptr %y.p
  %y.size.p = getelementptr i64, ptr %sizes, i64 %o
  %y.size = load i64, ptr %y.size.p
  %numbers = mul i64 %y.size, %n
  %fine = call zeroext i1 @armdyn_finite(ptr %y, i64 %numbers)
  %input = icmp slt i64 %o, %inputs
  %wrong = xor i1 %fine, true
  %stop = and i1 %input, %wrong
  br i1 %stop, label %refused, label %good
refused:
  ret i32 BAD_INPUT
good:
  %mark = select i1 %fine, i32 %marked, i32 BAD_RESULT
  %o2 = add i64 %o, 1
  %o.more = icmp slt i64 %o2, %operands
  br i1 %o.more, label %look, label %tail
tail:
  %next = add i64 %i, %n
  br label %head
done:
  ret i32 %bad
}
"""


def all_finite(array: Array) -> bool:
    """Say whether there is nothing but finite numbers; lets other threads run meanwhile."""
    if array.size < MANY or not array.flags.c_contiguous:
        return bool(np.isfinite(array).all())
    return _functions()[0](array.ctypes.data, array.size)


class WatchedLoop:
    """The inner loop of a gufunc on dense arrays, which looks at the numbers as it goes.

    Attributes:
        loop: its address.
        sizes: the numbers per state of every input and output.
        near: how many states are computed before they are looked at.
    """

    def __init__(self, program: Program | Rolled, loop: int) -> None:
        """Prepare the loop of a program.

        Args:
            program: what the loop computes.
            loop: its address; who calls keeps it in memory.
        """
        slots = (*program.inputs, *program.outputs)
        self.loop = loop
        self._n_inputs = len(program.inputs)
        self.sizes = [slot.size for slot in slots]
        self._axes = [len(slot.shape) for slot in slots]
        self._core = [
            8 * prod(slot.shape[k + 1 :]) for slot in slots for k in range(len(slot.shape))
        ]
        # whole blocks of any width
        self.near = max(8, NEAR // (8 * max(1, sum(self.sizes))) // 8 * 8)

    @property
    def steps(self) -> list[int]:
        """The strides that the loop is given for arrays of as many states each."""
        return [*(8 * size for size in self.sizes), *self._core]

    def of(self, arrays: Sequence[Array]) -> Callable[[int, int, bool], int]:
        """Return a function that computes some states of a batch.

        It is called with the first state, the one past the last, and whether to look at inputs; it
        returns 0, or `BAD_INPUT` if it stopped there, or `BAD_RESULT`. It lets other threads run.

        Args:
            arrays: dense and aligned, of shape ``(B, ...)`` for each input and output; an input
                without the first axis is the same for all states, and not looked at.
        """
        sizes = [
            size if array.ndim > axes else 0
            for size, axes, array in zip(self.sizes, self._axes, arrays, strict=True)
        ]
        steps = [*(8 * size for size in sizes), *self._core]
        bases = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
        given = (
            self.loop, bases, (ctypes.c_int64 * len(sizes))(*sizes),
            (ctypes.c_int64 * len(steps))(*steps), self._n_inputs, len(sizes),
        )  # fmt: skip
        call = _functions()[1]

        def compute(first: int, past: int, look: bool) -> int:
            return call(*given, first, past, self.near, look)

        return compute


@lru_cache(maxsize=1)
def _functions() -> tuple[Callable[..., Any], Callable[..., Any]]:
    at_finite, at_batch = machine_code()
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    finite = ctypes.CFUNCTYPE(ctypes.c_bool, pointer, number)(at_finite)
    batch = ctypes.CFUNCTYPE(ctypes.c_int, *[pointer] * 4, *[number] * 5, ctypes.c_int)(at_batch)
    return finite, batch


def machine_code() -> tuple[int, int]:
    """Return the addresses of the functions that look at an array, and that compute a batch."""
    return _code().address("armdyn_finite"), _code().address("armdyn_batch")


@lru_cache(maxsize=1)
def _code() -> Code:
    lanes = "".join(_SUM.format(k=k) for k in range(4))
    lanes += "".join(_LANE.format(k=k, at=8 * k) for k in range(4))
    text = _FINITE.replace("LANES\n", lanes) + _BATCH
    text = text.replace("BAD_INPUT", str(BAD_INPUT)).replace("BAD_RESULT", str(BAD_RESULT))
    return common_code(text)
