"""Machine code for batches of any strides: rows are made dense a few at a time, in the L1 cache.

Inputs may be columns of a larger array, in Fortran order, or the same for all states. Rows that are
dense already are read where they are.
"""

from __future__ import annotations

from armdyn.kernel.cached import common_code
from armdyn.kernel.element import BAD_INPUT, ElementType
from armdyn.kernel.ir.codegen import Codegen

GATHERED = "armdyn_gathered_batch"

# The modules that emit this code.
GATHER_MODULES = (
    "element",
    "jit",
    "gather",
    "ir.codegen",
)

# Copy `count` rows of n numbers to dense rows; `down` and `right` are the bytes between rows and
# columns. Columns without gaps are read in vectors, four or two columns at a time.
_ROWS = """\
define internal void @armdyn_rows(ptr %to, ptr %from, i64 %count, i64 %n, i64 %down, i64 %right) \
nounwind {
entry:
  %row = mul i64 %n, $bytes
  %columns = icmp eq i64 %down, $bytes
  %whole = and i64 %count, -$width
  %by.vectors = select i1 %columns, i64 %whole, i64 0
  %in.pairs = and i64 %n, -2
$row_offsets
  br label %vectors
vectors:
  %i = phi i64 [ 0, %entry ], [ %i2, %columns.2 ]
  %i2 = add i64 %i, $width
  %fits = icmp sle i64 %i2, %by.vectors
  br i1 %fits, label %columns.of, label %rest
columns.of:
  %i.bytes = mul i64 %i, $bytes
  %i.from = getelementptr i8, ptr %from, i64 %i.bytes
  %i.row = mul i64 %i, %row
  %i.to = getelementptr i8, ptr %to, i64 %i.row
  br label %columns.4
$columns
rest:
  %k = phi i64 [ 0, %vectors ], [ %k2, %row.done ]
  %some = icmp slt i64 %k, %count
  br i1 %some, label %row.of, label %done
row.of:
  %copied = icmp slt i64 %k, %by.vectors
  %first = select i1 %copied, i64 %in.pairs, i64 0
  %k.down = mul i64 %k, %down
  %k.from = getelementptr i8, ptr %from, i64 %k.down
  %k.row = mul i64 %k, %row
  %k.to = getelementptr i8, ptr %to, i64 %k.row
  br label %number
number:
  %l = phi i64 [ %first, %row.of ], [ %l2, %copy ]
  %inside = icmp slt i64 %l, %n
  br i1 %inside, label %copy, label %row.done
copy:
  %l.right = mul i64 %l, %right
  %x.p = getelementptr i8, ptr %k.from, i64 %l.right
  %x = load $element, ptr %x.p, align $bytes
  %y.p = getelementptr $element, ptr %k.to, i64 %l
  store $element %x, ptr %y.p, align $bytes
  %l2 = add i64 %l, 1
  br label %number
row.done:
  %k2 = add i64 %k, 1
  br label %rest
done:
  ret void
}
"""

# The arguments after `rights` are those of `batch`, which computes dense rows; see `batch_ir`.
# `numbers` is how many numbers the inputs of a state have. An input whose rows are 0 bytes apart is
# the same for all states: its rows are made once.
_GATHERED = """\
define $linkage i32 @armdyn_gathered_batch(
    ptr %batch, i64 %numbers, ptr %downs, ptr %rights, ptr %loop, ptr %bases, ptr %sizes,
    ptr %steps, i64 %inputs, i64 %operands, i64 %first, i64 %past, i64 %near, $integer %ordinary,
    i64 %room, $integer %largest) nounwind {
entry:
  %args = alloca ptr, i64 %operands
  %most = shl i64 %near, 1
  %scratch.numbers = mul i64 %numbers, %most
  %scratch = alloca $element, i64 %scratch.numbers, align $line
  br label %next
next:
  %i = phi i64 [ %first, %entry ], [ %i2, %computed ]
  %bad = phi i32 [ 0, %entry ], [ %bad2, %computed ]
  %left = sub i64 %past, %i
  %fits = icmp slt i64 %most, %left
  %n = select i1 %fits, i64 %most, i64 %left
  %i2 = add i64 %i, %n
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %operand, label %done
operand:
  %k = phi i64 [ 0, %next ], [ %k2, %placed ]
  %at = phi ptr [ %scratch, %next ], [ %at2, %placed ]
  %last = icmp eq i64 %k, %operands
  br i1 %last, label %compute, label %place
place:
  %size.p = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.p
  %row = mul i64 %size, $bytes
  %base.p = getelementptr ptr, ptr %bases, i64 %k
  %base = load ptr, ptr %base.p
  %is.input = icmp slt i64 %k, %inputs
  br i1 %is.input, label %input, label %output
output:
  %result.at = mul i64 %i, %row
  %result = getelementptr i8, ptr %base, i64 %result.at
  br label %placed
input:
  %down.p = getelementptr i64, ptr %downs, i64 %k
  %down = load i64, ptr %down.p
  %right.p = getelementptr i64, ptr %rights, i64 %k
  %right = load i64, ptr %right.p
  %from.at = mul i64 %i, %down
  %from = getelementptr i8, ptr %base, i64 %from.at
  %rows.dense = icmp eq i64 %down, %row
  %columns.dense = icmp eq i64 %right, $bytes
  %dense = and i1 %rows.dense, %columns.dense
  br i1 %dense, label %placed, label %scattered
scattered:
  %differ = icmp ne i64 %down, 0
  %begins = icmp eq i64 %i, %first
  %fill = or i1 %differ, %begins
  br i1 %fill, label %gather, label %there
gather:
  call void @armdyn_rows(ptr %at, ptr %from, i64 %n, i64 %size, i64 %down, i64 %right)
  br label %there
there:
  br label %placed
placed:
  %x = phi ptr [ %result, %output ], [ %from, %input ], [ %at, %there ]
  %arg = getelementptr ptr, ptr %args, i64 %k
  store ptr %x, ptr %arg
  %used = mul i64 %size, %most
  %at2 = getelementptr $element, ptr %at, i64 %used
  %k2 = add i64 %k, 1
  br label %operand
compute:
  %seen = call i32 %batch(ptr %loop, ptr %args, ptr %sizes, ptr %steps, i64 %inputs, i64 %operands,
                          i64 0, i64 %n, i64 %near, $integer %ordinary, i64 %room,
                          $integer %largest)
  %refused = icmp eq i32 %seen, $bad_input
  br i1 %refused, label %refuse, label %computed
computed:
  %bad2 = or i32 %bad, %seen
  br label %next
refuse:
  ret i32 $bad_input
done:
  ret i32 %bad
}
"""


def gather_code(codegen: Codegen, *, public: bool = True) -> str:
    """Return the functions; `public`: as a module of its own."""
    offsets = [f"  %row.{r} = mul i64 %row, {r}" for r in range(codegen.width)]
    first = ("0", "%i.from", "%i.to", "%columns.of")
    four = _columns(codegen, 4, first, "columns.2")
    two = _columns(codegen, 2, ("%j.4", "%from.4", "%to.4", "%columns.4"), "vectors")
    return codegen.filled(
        _ROWS + _GATHERED,
        row_offsets="\n".join(offsets),
        columns="\n".join(four + two),
        bad_input=BAD_INPUT,
        linkage="" if public else "internal",
        width=codegen.width,
    )


def _columns(codegen: Codegen, m: int, first: tuple[str, ...], after: str) -> list[str]:
    """Return the loop that copies m columns of a vector of rows at a time.

    Args:
        codegen: the code generator.
        m: 2 or 4.
        first: column, source, destination at the beginning, and the block that they come from.
        after: the block that follows.
    """
    width, element, size = codegen.width, codegen.element.name, codegen.element.bytes
    vector = f"<{width} x {element}>"
    column, source, to, before = first
    lines = [
        f"columns.{m}:",
        f"  %j.{m} = phi i64 [ {column}, {before} ], [ %next.{m}, %copy.{m} ]",
        f"  %from.{m} = phi ptr [ {source}, {before} ], [ %from.{m}.{m}, %copy.{m} ]",
        f"  %to.{m} = phi ptr [ {to}, {before} ], [ %more.{m}, %copy.{m} ]",
        f"  %next.{m} = add i64 %j.{m}, {m}",
        f"  %fits.{m} = icmp sle i64 %next.{m}, %n",
        f"  br i1 %fits.{m}, label %copy.{m}, label %{after}",
        f"copy.{m}:",
        f"  %more.{m} = getelementptr {element}, ptr %to.{m}, i64 {m}",
        f"  %from.{m}.0 = getelementptr i8, ptr %from.{m}, i64 0",
    ]
    for k in range(m):
        lines += [
            f"  %x.{m}.{k} = load {vector}, ptr %from.{m}.{k}, align {size}",
            f"  %from.{m}.{k + 1} = getelementptr i8, ptr %from.{m}.{k}, i64 %right",
        ]
    for k in range(0, m, 2):  # two columns: pairs of even rows, then of odd ones
        for odd in (0, 1):
            lanes = [lane for r in range(odd, width, 2) for lane in (r, width + r)]
            both = f"{vector} %x.{m}.{k}, {vector} %x.{m}.{k + 1}"
            lines.append(f"  %p.{m}.{k}.{odd} = shufflevector {both}, {_mask(lanes)}")
    for r in range(width):
        at, odd = r - r % 2, r % 2
        both = f"{vector} %p.{m}.0.{odd}, {vector} %p.{m}.{m - 2}.{odd}"
        lanes = [at, at + 1, width + at, width + at + 1][:m]
        lines += [
            f"  %row.{m}.{r} = shufflevector {both}, {_mask(lanes)}",
            f"  %to.{m}.{r} = getelementptr i8, ptr %to.{m}, i64 %row.{r}",
            f"  store <{m} x {element}> %row.{m}.{r}, ptr %to.{m}.{r}, align {size}",
        ]
    return [*lines, f"  br label %columns.{m}"]


def _mask(lanes: list[int]) -> str:
    return f"<{len(lanes)} x i32> <{', '.join(f'i32 {lane}' for lane in lanes)}>"


def gathered_address(element: ElementType) -> int:
    """Return the address of the function that computes a batch of any strides."""
    return common_code(element, "gather:gather_code", GATHER_MODULES).address(GATHERED)
