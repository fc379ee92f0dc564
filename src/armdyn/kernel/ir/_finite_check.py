"""Machine code that looks at numbers: whether all of them are finite, and how large they are."""

from __future__ import annotations

LARGEST = "armdyn_largest"

# The bits of a float without its sign grow with it; those of infinity are greater than of any
# number, and of what is no number greater still.
INFINITE = 0x7FF0_0000_0000_0000

# The greatest of the bits. Where there are at least eight numbers the last eight are looked at
# once more, whatever is left of them.
_LARGEST = """\
declare <8 x i64> @llvm.smax.v8i64(<8 x i64>, <8 x i64>)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.vector.reduce.smax.v8i64(<8 x i64>)

define i64 @armdyn_largest(ptr %x, i64 %n) nounwind {
entry:
  %last = sub i64 %n, 8
  %few = icmp slt i64 %last, 0
  br i1 %few, label %rest, label %many
many:
  %far = sub i64 %n, 32
  %enough = icmp sge i64 %far, 0
  br i1 %enough, label %block, label %eight
block:
  %i = phi i64 [ 0, %many ], [ %i2, %block ]
  %m = phi <8 x i64> [ zeroinitializer, %many ], [ %m3, %block ]
  %p = getelementptr i64, ptr %x, i64 %i
LANES
  %i2 = add i64 %i, 32
  %more = icmp sle i64 %i2, %far
  br i1 %more, label %block, label %eight
eight:
  %j = phi i64 [ 0, %many ], [ %i2, %block ], [ %j3, %eight ]
  %o = phi <8 x i64> [ zeroinitializer, %many ], [ %m3, %block ], [ %o2, %eight ]
  %over = icmp sgt i64 %j, %last
  %j2 = select i1 %over, i64 %last, i64 %j
  %q = getelementptr i64, ptr %x, i64 %j2
  %v = load <8 x i64>, ptr %q, align 8
  %a = and <8 x i64> %v, splat (i64 9223372036854775807)
  %o2 = call <8 x i64> @llvm.smax.v8i64(<8 x i64> %o, <8 x i64> %a)
  %j3 = add i64 %j2, 8
  %again = icmp slt i64 %j3, %n
  br i1 %again, label %eight, label %reduce
reduce:
  %greatest = call i64 @llvm.vector.reduce.smax.v8i64(<8 x i64> %o2)
  ret i64 %greatest
rest:
  %k = phi i64 [ 0, %entry ], [ %k2, %one ]
  %g = phi i64 [ 0, %entry ], [ %g2, %one ]
  %done = icmp sge i64 %k, %n
  br i1 %done, label %end, label %one
one:
  %r = getelementptr i64, ptr %x, i64 %k
  %w = load i64, ptr %r, align 8
  %b = and i64 %w, 9223372036854775807
  %g2 = call i64 @llvm.smax.i64(i64 %g, i64 %b)
  %k2 = add i64 %k, 1
  br label %rest
end:
  ret i64 %g
}
"""
_LANE = """\
  %p{k} = getelementptr i64, ptr %p, i64 {at}
  %v{k} = load <8 x i64>, ptr %p{k}, align 8
  %a{k} = and <8 x i64> %v{k}, splat (i64 9223372036854775807)
  %m{k} = call <8 x i64> @llvm.smax.v8i64(<8 x i64> {before}, <8 x i64> %a{k})
"""

# The greatest bits of some operands; what all states share was looked at before.
_LOOK = """\
define internal i64 @armdyn_look(ptr %args, ptr %sizes, i64 %from, i64 %to, i64 %n) nounwind {
entry:
  br label %next
next:
  %k = phi i64 [ %from, %entry ], [ %k2, %next ]
  %large = phi i64 [ 0, %entry ], [ %large2, %next ]
  %x.p = getelementptr ptr, ptr %args, i64 %k
  %x = load ptr, ptr %x.p
  %size.p = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.p
  %numbers = mul i64 %size, %n
  %seen = call i64 @armdyn_largest(ptr %x, i64 %numbers)
  %shared = icmp eq i64 %size, 0
  %counts = select i1 %shared, i64 FINITE, i64 %seen
  %large2 = call i64 @llvm.smax.i64(i64 %large, i64 %counts)
  %k2 = add i64 %k, 1
  %more = icmp slt i64 %k2, %to
  br i1 %more, label %next, label %done
done:
  ret i64 %large2
}
"""


def finite_check() -> str:
    """Return the functions; `FINITE` in them stands for the bits of the largest number."""
    befores = ("%m", "%m0", "%m1", "%m2")
    lanes = "".join(_LANE.format(k=k, at=8 * k, before=x) for k, x in enumerate(befores))
    return _LARGEST.replace("LANES\n", lanes) + _LOOK
