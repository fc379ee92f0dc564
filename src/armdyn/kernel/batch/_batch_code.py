"""Machine code that computes a batch and checks its numbers: the same for all programs."""

from __future__ import annotations

from armdyn.kernel._element import ElementType
from armdyn.kernel._llvm import Engine
from armdyn.kernel._symbols import BAD_INPUT, BAD_RESULT
from armdyn.kernel.batch._streamed_code import STREAMED_BATCH, STREAMED_CODE
from armdyn.kernel.batch._streams import StreamSlots
from armdyn.kernel.cache._common_code import common_code
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.ir._finite_check import (
    LARGEST,
    finite_magnitude,
    largest_function,
    largest_of_function,
)

BATCH = "armdyn_batch"

# The modules that emit this code.
BATCH_MODULES = (
    "_element", "_jit", "_symbols", "batch._batch_code", "batch._streamed_code", "batch._streams",
    "batch._strided_loop", "ir._codegen", "ir._finite_check", "ir._function_writer", "ir._writer",
)  # fmt: skip

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
    return common_code(element, "batch._batch_code:batch_code", BATCH_MODULES)


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
