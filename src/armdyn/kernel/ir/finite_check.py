"""The check for finite numbers, wherever code needs one.

The magnitude of a number is its bits without the sign, read as an integer. Magnitudes are ordered
like absolute values; the magnitude of infinity is greater than that of every finite number, and
NaNs are greater still. So one function, `LARGEST`, returns the greatest magnitude of an array;
another, `EXCEEDS`, only compares all magnitudes with a threshold, which is faster for the few
numbers of one state. There are two thresholds:

- `finite_magnitude`: no finite number exceeds it. A caller can set a lower one; larger inputs are
  then refused.
- the *ordinary* magnitude of a program, which its function `ORDINARY` returns: if no input exceeds
  it, no step can overflow and the results need no check.
"""

from __future__ import annotations

from armdyn.kernel.element import ORDINARY, ElementType, vector_type
from armdyn.kernel.ir.codegen import Codegen

LARGEST = "armdyn_largest"
LARGEST_OF = "armdyn_largest_of"
EXCEEDS = "armdyn_exceeds"

# The threshold if results must always be checked: every magnitude exceeds it.
NOT_ORDINARY = -1.0

# Vectors that are loaded in one iteration. Each has its own maximum: none waits for another.
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
$maxima  %p = getelementptr $integer, ptr %x, i64 %i
$loads  %i2 = add i64 %i, $block
  %more = icmp sle i64 %i2, %far
  br i1 %more, label %block, label %merge
merge:
$merged  br label %vector
vector:
  %j = phi i64 [ 0, %many ], [ %i2, %merge ], [ %j3, %vector ]
  %o = phi $vector [ zeroinitializer, %many ], [ $greatest, %merge ], [ %o2, %vector ]
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
_MAXIMUM = "  %m$k = phi $vector [ zeroinitializer, %many ], [ %n$k, %block ]\n"
_LOAD = """\
  %p$k = getelementptr $integer, ptr %p, i64 $at
  %v$k = load $vector, ptr %p$k, align $bytes
  %a$k = and $vector %v$k, splat ($integer $magnitude)
  %n$k = call $vector $smax($vector %m$k, $vector %a$k)
"""
_MERGE = "  %s$k = call $vector $smax($vector $before, $vector %n$k)\n"

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

# Vectors hold half a cache line, or a quarter if there are fewer numbers. The last vector overlaps
# the one before it. The threshold is not negative, so the sign of threshold
# minus magnitude tells which is greater, and signs are gathered by "or".
_EXCEEDS = f"""\
declare i1 $any_half(<$half_lanes x i1>)
declare i1 $any_quarter(<$quarter_lanes x i1>)

define internal i1 @{EXCEEDS}(ptr %x, i64 %n, $integer %most) nounwind {{
entry:
  %last = sub i64 %n, $half_lanes
  %few = icmp slt i64 %last, 0
  br i1 %few, label %fewer, label %many
many:
  %most.one = insertelement $half poison, $integer %most, i64 0
  %most.all = shufflevector $half %most.one, $half poison, <$half_lanes x i32> zeroinitializer
  %first.v = load $half, ptr %x, align $bytes
  %last.p = getelementptr $integer, ptr %x, i64 %last
  %last.v = load $half, ptr %last.p, align $bytes
  %first.a = and $half %first.v, splat ($integer $magnitude)
  %last.a = and $half %last.v, splat ($integer $magnitude)
  %first.d = sub $half %most.all, %first.a
  %last.d = sub $half %most.all, %last.a
  %ends.d = or $half %first.d, %last.d
  br label %next
next:
  %i = phi i64 [ $half_lanes, %many ], [ %i2, %vector ]
  %d = phi $half [ %ends.d, %many ], [ %d3, %vector ]
  %between = icmp slt i64 %i, %last
  br i1 %between, label %vector, label %reduce
vector:
  %p = getelementptr $integer, ptr %x, i64 %i
  %v = load $half, ptr %p, align $bytes
  %a = and $half %v, splat ($integer $magnitude)
  %d2 = sub $half %most.all, %a
  %d3 = or $half %d, %d2
  %i2 = add i64 %i, $half_lanes
  br label %next
reduce:
  %bad = icmp slt $half %d, zeroinitializer
  %some = call i1 $any_half(<$half_lanes x i1> %bad)
  ret i1 %some
fewer:
  %second.at = sub i64 %n, $quarter_lanes
  %fewest = icmp slt i64 %second.at, 0
  br i1 %fewest, label %rest, label %quarters
quarters:
  %most.first = insertelement $quarter poison, $integer %most, i64 0
  %most.few = shufflevector $quarter %most.first, $quarter poison, \
<$quarter_lanes x i32> zeroinitializer
  %begin.v = load $quarter, ptr %x, align $bytes
  %second.p = getelementptr $integer, ptr %x, i64 %second.at
  %second.v = load $quarter, ptr %second.p, align $bytes
  %begin.a = and $quarter %begin.v, splat ($integer $magnitude)
  %second.a = and $quarter %second.v, splat ($integer $magnitude)
  %begin.d = sub $quarter %most.few, %begin.a
  %second.d = sub $quarter %most.few, %second.a
  %both.d = or $quarter %begin.d, %second.d
  %both = icmp slt $quarter %both.d, zeroinitializer
  %either = call i1 $any_quarter(<$quarter_lanes x i1> %both)
  ret i1 %either
rest:
  %k = phi i64 [ 0, %fewer ], [ %k2, %one ]
  %done = icmp sge i64 %k, %n
  br i1 %done, label %none, label %one
one:
  %r = getelementptr $integer, ptr %x, i64 %k
  %w = load $integer, ptr %r, align $bytes
  %b = and $integer %w, $magnitude
  %k2 = add i64 %k, 1
  %large = icmp sgt $integer %b, %most
  br i1 %large, label %found, label %rest
none:
  ret i1 false
found:
  ret i1 true
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
    texts, greatest = {"maxima": "", "loads": "", "merged": ""}, "%n0"
    for k in range(LOADS):
        texts["maxima"] += codegen.filled(_MAXIMUM, k=k, **words)
        texts["loads"] += codegen.filled(_LOAD, k=k, at=k * lanes, **words)
        if k:
            texts["merged"] += codegen.filled(_MERGE, k=k, before=greatest, **words)
            greatest = f"%s{k}"
    words |= {**texts, "greatest": greatest, "block": LOADS * lanes, "half_lanes": lanes // 2}
    return codegen.filled(_LARGEST, **words)


def exceeds_function(codegen: Codegen) -> str:
    """Return `EXCEEDS`, a function of a pointer to numbers, their count and a threshold.

    It returns whether the magnitude of a number is greater than the threshold.
    """
    integer, words = codegen.element.integer, dict[str, object]()
    for name, width in (("half", codegen.line_width // 2), ("quarter", codegen.line_width // 4)):
        words[name] = vector_type(integer, width)
        words[f"{name}_lanes"] = width
        words[f"any_{name}"] = f"@llvm.vector.reduce.or.v{width}i1"
    return codegen.filled(_EXCEEDS, **words)


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
