"""Machine code that looks at numbers: whether all of them are finite, and how large they are."""

from __future__ import annotations

from armdyn.kernel._element import vector_type
from armdyn.kernel.ir._codegen import Codegen

LARGEST = "armdyn_largest"

# Vectors that are loaded in one round.
LOADS = 4

# The greatest of the bits. Where there are at least eight numbers the last eight are looked at
# once more, whatever is left of them.
_LARGEST = """\
declare $vector $smax($vector, $vector)
declare $integer @llvm.smax.$integer($integer, $integer)
declare $integer @llvm.vector.reduce.smax.v$lanes$integer($vector)

define $integer @armdyn_largest(ptr %x, i64 %n) nounwind {
entry:
  %last = sub i64 %n, $lanes
  %few = icmp slt i64 %last, 0
  br i1 %few, label %rest, label %many
many:
  %far = sub i64 %n, $block
  %enough = icmp sge i64 %far, 0
  br i1 %enough, label %block, label %eight
block:
  %i = phi i64 [ 0, %many ], [ %i2, %block ]
  %m = phi $vector [ zeroinitializer, %many ], [ %m3, %block ]
  %p = getelementptr $integer, ptr %x, i64 %i
$loads  %i2 = add i64 %i, $block
  %more = icmp sle i64 %i2, %far
  br i1 %more, label %block, label %eight
eight:
  %j = phi i64 [ 0, %many ], [ %i2, %block ], [ %j3, %eight ]
  %o = phi $vector [ zeroinitializer, %many ], [ %m3, %block ], [ %o2, %eight ]
  %over = icmp sgt i64 %j, %last
  %j2 = select i1 %over, i64 %last, i64 %j
  %q = getelementptr $integer, ptr %x, i64 %j2
  %v = load $vector, ptr %q, align $bytes
  %a = and $vector %v, splat ($integer $magnitude)
  %o2 = call $vector $smax($vector %o, $vector %a)
  %j3 = add i64 %j2, $lanes
  %again = icmp slt i64 %j3, %n
  br i1 %again, label %eight, label %reduce
reduce:
  %greatest = call $integer @llvm.vector.reduce.smax.v$lanes$integer($vector %o2)
  ret $integer %greatest
rest:
  %k = phi i64 [ 0, %entry ], [ %k2, %one ]
  %g = phi $integer [ 0, %entry ], [ %g2, %one ]
  %done = icmp sge i64 %k, %n
  br i1 %done, label %end, label %one
one:
  %r = getelementptr $integer, ptr %x, i64 %k
  %w = load $integer, ptr %r, align $bytes
  %b = and $integer %w, $magnitude
  %g2 = call $integer @llvm.smax.$integer($integer %g, $integer %b)
  %k2 = add i64 %k, 1
  br label %rest
end:
  ret $integer %g
}
"""
_LANE = """\
  %p$k = getelementptr $integer, ptr %p, i64 $at
  %v$k = load $vector, ptr %p$k, align $bytes
  %a$k = and $vector %v$k, splat ($integer $magnitude)
  %m$k = call $vector $smax($vector $before, $vector %a$k)
"""

# The greatest bits of some operands; what all states share was looked at before.
_LOOK = """\
define internal $integer @armdyn_look(ptr %args, ptr %sizes, i64 %from, i64 %to, i64 %n) nounwind {
entry:
  br label %next
next:
  %k = phi i64 [ %from, %entry ], [ %k2, %next ]
  %large = phi $integer [ 0, %entry ], [ %large2, %next ]
  %x.p = getelementptr ptr, ptr %args, i64 %k
  %x = load ptr, ptr %x.p
  %size.p = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.p
  %numbers = mul i64 %size, %n
  %seen = call $integer @armdyn_largest(ptr %x, i64 %numbers)
  %shared = icmp eq i64 %size, 0
  %counts = select i1 %shared, $integer $finite, $integer %seen
  %large2 = call $integer @llvm.smax.$integer($integer %large, $integer %counts)
  %k2 = add i64 %k, 1
  %more = icmp slt i64 %k2, %to
  br i1 %more, label %next, label %done
done:
  ret $integer %large2
}
"""


def finite_check(codegen: Codegen) -> str:
    """Return the functions."""
    lanes, integer = codegen.line_width, codegen.element.integer
    words = {"vector": vector_type(integer, lanes), "smax": f"@llvm.smax.v{lanes}{integer}"}
    loads = ""
    for k, before in enumerate(("%m", "%m0", "%m1", "%m2")):
        loads += codegen.filled(_LANE, k=k, at=k * lanes, before=before, **words)
    finite = codegen.element.infinity - 1
    words |= {"loads": loads, "block": str(LOADS * lanes), "finite": str(finite)}
    return codegen.filled(_LARGEST + _LOOK, **words)
