"""The check for finite numbers, wherever code needs one.

The magnitude of a number is its bits without the sign, read as an integer. Magnitudes are ordered
like absolute values; the magnitude of infinity is greater than that of every finite number, and
NaNs are greater still. So one function, `LARGEST`, returns the greatest magnitude of an array, and
there are two thresholds:

- `finite_magnitude`: no finite number exceeds it. A caller can set a lower one; larger inputs are
  then refused.
- the *ordinary* magnitude of a program, which its function `ORDINARY` returns: if no input exceeds
  it, no step can overflow and the results need no check.
"""

from __future__ import annotations

from armdyn.kernel._element import ElementType, vector_type
from armdyn.kernel._symbols import ORDINARY
from armdyn.kernel.ir._codegen import Codegen

LARGEST = "armdyn_largest"
LARGEST_OF = "armdyn_largest_of"

# Larger inputs (SI units) do not occur in practice.
LARGEST_ORDINARY = 1e15
# The threshold if results must always be checked: every magnitude exceeds it.
NOT_ORDINARY = -1.0

# Vectors that are loaded in one iteration.
LOADS = 4

# Vectors hold a cache line, or half a line if there are fewer numbers. The last vector overlaps the
# previous one: numbers may be checked twice.
_LARGEST = f"""\
declare $vector $smax($vector, $vector)
declare $half $smax_half($half, $half)
declare $integer @llvm.smax.$integer($integer, $integer)
declare $integer $reduce($vector)
declare $integer $reduce_half($half)

define $linkage$integer @{LARGEST}(ptr %x, i64 %n) nounwind {{
entry:
  %last = sub i64 %n, $lanes
  %few = icmp slt i64 %last, 0
  br i1 %few, label %fewer, label %many
many:
  %far = sub i64 %n, $block
  %enough = icmp sge i64 %far, 0
  br i1 %enough, label %block, label %vector
block:
  %i = phi i64 [ 0, %many ], [ %i2, %block ]
  %m = phi $vector [ zeroinitializer, %many ], [ %m3, %block ]
  %p = getelementptr $integer, ptr %x, i64 %i
$loads  %i2 = add i64 %i, $block
  %more = icmp sle i64 %i2, %far
  br i1 %more, label %block, label %vector
vector:
  %j = phi i64 [ 0, %many ], [ %i2, %block ], [ %j3, %vector ]
  %o = phi $vector [ zeroinitializer, %many ], [ %m3, %block ], [ %o2, %vector ]
  %over = icmp sgt i64 %j, %last
  %j2 = select i1 %over, i64 %last, i64 %j
  %q = getelementptr $integer, ptr %x, i64 %j2
  %v = load $vector, ptr %q, align $bytes
  %a = and $vector %v, splat ($integer $magnitude)
  %o2 = call $vector $smax($vector %o, $vector %a)
  %j3 = add i64 %j2, $lanes
  %again = icmp slt i64 %j3, %n
  br i1 %again, label %vector, label %reduce
reduce:
  %greatest = call $integer $reduce($vector %o2)
  ret $integer %greatest
fewer:
  %second.at = sub i64 %n, $half_lanes
  %fewest = icmp slt i64 %second.at, 0
  br i1 %fewest, label %rest, label %halves
halves:
  %first.v = load $half, ptr %x, align $bytes
  %second.p = getelementptr $integer, ptr %x, i64 %second.at
  %second.v = load $half, ptr %second.p, align $bytes
  %first = and $half %first.v, splat ($integer $magnitude)
  %second = and $half %second.v, splat ($integer $magnitude)
  %both = call $half $smax_half($half %first, $half %second)
  %greater = call $integer $reduce_half($half %both)
  ret $integer %greater
rest:
  %k = phi i64 [ 0, %fewer ], [ %k2, %one ]
  %g = phi $integer [ 0, %fewer ], [ %g2, %one ]
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
}}
"""
_LOAD = """\
  %p$k = getelementptr $integer, ptr %p, i64 $at
  %v$k = load $vector, ptr %p$k, align $bytes
  %a$k = and $vector %v$k, splat ($integer $magnitude)
  %m$k = call $vector $smax($vector $before, $vector %a$k)
"""

# The greatest magnitude of some operands of n states each. Operands that all states share have size
# 0 and were checked before; they are known to be finite, but not how large they are.
_LARGEST_OF = f"""\
define internal $integer @{LARGEST_OF}(ptr %args, ptr %sizes, i64 %from, i64 %to, i64 %n) \
nounwind {{
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
  %seen = call $integer @{LARGEST}(ptr %x, i64 %numbers)
  %shared = icmp eq i64 %size, 0
  %counts = select i1 %shared, $integer $finite, $integer %seen
  %large2 = call $integer @llvm.smax.$integer($integer %large, $integer %counts)
  %k2 = add i64 %k, 1
  %more = icmp slt i64 %k2, %to
  br i1 %more, label %next, label %done
done:
  ret $integer %large2
}}
"""


def finite_magnitude(element: ElementType) -> int:
    """Return the magnitude of the largest finite number."""
    return element.infinity - 1


def largest_function(codegen: Codegen, *, public: bool) -> str:
    """Return `LARGEST`, a function of a pointer to numbers and their count.

    Args:
        codegen: the target and the element type.
        public: whether its name is visible outside the module.
    """
    lanes, integer = codegen.line_width, codegen.element.integer
    words: dict[str, object] = {"linkage": "" if public else "internal "}
    for suffix, width in (("", lanes), ("_half", lanes // 2)):
        words[f"smax{suffix}"] = f"@llvm.smax.v{width}{integer}"
        words[f"reduce{suffix}"] = f"@llvm.vector.reduce.smax.v{width}{integer}"
    words |= {"vector": vector_type(integer, lanes), "half": vector_type(integer, lanes // 2)}
    loads = ""
    for k in range(LOADS):
        before = f"%m{k - 1}" if k else "%m"
        loads += codegen.filled(_LOAD, k=k, at=k * lanes, before=before, **words)
    words |= {"loads": loads, "block": LOADS * lanes, "half_lanes": lanes // 2}
    return codegen.filled(_LARGEST, **words)


def largest_of_function(codegen: Codegen) -> str:
    """Return `LARGEST_OF`, which calls `LARGEST`."""
    return codegen.filled(_LARGEST_OF, finite=finite_magnitude(codegen.element))


def ordinary_function(codegen: Codegen, largest: float) -> str:
    """Return `ORDINARY`, which returns the ordinary magnitude of a program.

    Args:
        codegen: the target and the element type.
        largest: all results are finite for inputs up to this; `NOT_ORDINARY` if there is no bound.
    """
    magnitude = codegen.element.pattern(largest)
    return f"define i64 @{ORDINARY}() nounwind {{\n  ret i64 {magnitude}\n}}\n"
