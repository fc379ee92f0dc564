"""The inner loop of a gufunc: from NumPy's pointers and strides to calls of the kernels.

Kernels read and write contiguous arrays directly. Other arrays, and inputs that states share (outer
stride 0), are copied to and from scratch rows. If the batch is not a multiple of the width, its
last block overlaps the previous one; a batch smaller than the width is computed state by state.

NumPy copies overlapping operands, except if an output is identical to an input. Such an input is
copied block by block, and its last states are computed one by one, since they cannot be read again.

Scratch rows are on the stack. If they would be too large for it, the loop has none and accepts only
dense arrays.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from armdyn.graph.program import Program, Slot
from armdyn.graph.rolled import Rolled
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.writer import RARE

# Maximum bytes of scratch rows; thread stacks have half a megabyte or more.
MOST_SCRATCH = 2**17

# Copy rows between scratch and an array of any strides: `outer` times its last axis. One function
# serves all operands, since LLVM takes long to compile each.
_COPY = """\
define internal void @armdyn_copy(ptr %scratch, ptr %array, i64 %count, i64 %step, ptr %core,
                                  ptr %shape, i64 %axes, i64 %size, i1 %inward) noinline nounwind {
entry:
  %none = icmp eq i64 %axes, 0
  %before = sub i64 %axes, 1
  %last = select i1 %none, i64 0, i64 %before
  %length.p = getelementptr i64, ptr %shape, i64 %last
  %length = load i64, ptr %length.p
  %strides = select i1 %none, ptr %shape, ptr %core
  %stride.p = getelementptr i64, ptr %strides, i64 %last
  %stride = load i64, ptr %stride.p
  %outer = udiv i64 %size, %length
  br label %rows
rows:
  %r = phi i64 [ 0, %entry ], [ %r2, %row.done ]
  %row = mul i64 %r, %step
  %first = mul i64 %r, %size
  br label %parts
parts:
  %o = phi i64 [ 0, %rows ], [ %o2, %part.done ]
  %part = mul i64 %o, %length
  %begin = add i64 %first, %part
  br label %axis
axis:
  %k = phi i64 [ %last, %parts ], [ %k2, %along ]
  %left = phi i64 [ %o, %parts ], [ %left2, %along ]
  %at = phi i64 [ %row, %parts ], [ %at2, %along ]
  %more.axes = icmp sgt i64 %k, 0
  br i1 %more.axes, label %along, label %items
along:
  %k2 = sub i64 %k, 1
  %k.length.p = getelementptr i64, ptr %shape, i64 %k2
  %k.length = load i64, ptr %k.length.p
  %k.stride.p = getelementptr i64, ptr %strides, i64 %k2
  %k.stride = load i64, ptr %k.stride.p
  %index = urem i64 %left, %k.length
  %left2 = udiv i64 %left, %k.length
  %k.bytes = mul i64 %index, %k.stride
  %at2 = add i64 %at, %k.bytes
  br label %axis
items:
  %j = phi i64 [ 0, %axis ], [ %j2, %items ]
  %bytes = mul i64 %j, %stride
  %there = add i64 %at, %bytes
  %theirs = getelementptr i8, ptr %array, i64 %there
  %place = add i64 %begin, %j
  %ours = getelementptr $element, ptr %scratch, i64 %place
  %from = select i1 %inward, ptr %theirs, ptr %ours
  %to = select i1 %inward, ptr %ours, ptr %theirs
  %value = load $element, ptr %from, align $bytes
  store $element %value, ptr %to, align $bytes
  %j2 = add i64 %j, 1
  %more = icmp ult i64 %j2, %length
  br i1 %more, label %items, label %part.done
part.done:
  %o2 = add i64 %o, 1
  %parts.more = icmp ult i64 %o2, %outer
  br i1 %parts.more, label %parts, label %row.done
row.done:
  %r2 = add i64 %r, 1
  %again = icmp ult i64 %r2, %count
  br i1 %again, label %rows, label %done
done:
  ret void
}
"""


def takes_any_strides(program: Program | Rolled, codegen: Codegen) -> bool:
    """Return whether the loop of a program has scratch rows."""
    size = sum(slot.size for slot in (*program.inputs, *program.outputs))
    return codegen.bytes_of(codegen.width * size) <= MOST_SCRATCH


def loop_function(
    program: Program | Rolled,
    codegen: Codegen,
    name: str,
    one: str,
    block: str,
    extra: str = "",
) -> str:
    """Return `name`, a PyUFuncGenericFunction, and the copying function that it calls.

    Args:
        program: the program that the kernels compute.
        codegen: the target and the element type.
        name: of the loop.
        one: name of the kernel for one state.
        block: name of the kernel for a block.
        extra: additional arguments of `block`; the loop's last parameter is %data.
    """
    slots = (*program.inputs, *program.outputs)
    n_inputs = len(program.inputs)
    width = codegen.width
    any_strides = takes_any_strides(program, codegen)
    copies: list[str] = []
    if any_strides:
        copies = [codegen.filled(_COPY), *(_shape(k, slot) for k, slot in enumerate(slots))]
    lines = [
        f"define void @{name}(ptr %args, ptr %dims, ptr %steps, ptr %data) nounwind {{",
        "entry:",
        "  %count = load i64, ptr %dims, align 8",
        "  %single = icmp eq i64 %count, 1",
    ]
    at = len(slots)  # the outer strides come first, then the strides of the core axes
    for k, slot in enumerate(slots):
        lines += _operand(codegen, k, slot, at, width if any_strides else 0)
        at += len(slot.shape)
    shared = "false"
    for k in range(len(slots)):
        lines += _dense(k, range(n_inputs, len(slots)) if k < n_inputs else ())
        if k < n_inputs:
            lines.append(f"  %shared{k} = or i1 {shared}, %same{k}")
            shared = f"%shared{k}"
    lines += [
        "  %empty = icmp slt i64 %count, 1",
        f"  %enough = icmp sge i64 %count, {width}",
        f"  %apart = xor i1 {shared}, true",
        "  %overlaps = and i1 %enough, %apart",
        f"  %last = sub i64 %count, {width}",
        "  br i1 %empty, label %done, label %some",
        "some:",
        *_plain_blocks(len(slots), width, block, extra),
        "head:",
        "  %at = phi i64 [ 0, %some ], [ %next, %tail ]",
        "  %fits = icmp sle i64 %at, %last",
        "  %block = or i1 %fits, %overlaps",
        f"  %n = select i1 %block, i64 {width}, i64 1",
        "  %beyond = xor i1 %fits, true",
        "  %back = and i1 %beyond, %overlaps",
        "  %i = select i1 %back, i64 %last, i64 %at",
    ]
    for k in range(len(slots)):
        lines += [
            f"  %d{k} = mul i64 %i, %s{k}",
            f"  %p{k} = getelementptr i8, ptr %a{k}, i64 %d{k}",
            f"  %u{k} = select i1 %c{k}, ptr %p{k}, ptr %x{k}",
        ]
    for k in range(n_inputs if any_strides else 0):
        lines += _conditional_copy(k, slots[k], inward=True)
    given = ", ".join(f"ptr %u{k}" for k in range(len(slots)))
    lines += [
        "  br i1 %block, label %together, label %alone",
        "alone:",
        f"  call void @{one}({given})",
        "  br label %called",
        "together:",
        f"  call void @{block}({given}{extra})",
        "  br label %called",
        "called:",
    ]
    for k in range(n_inputs if any_strides else len(slots), len(slots)):
        lines += _conditional_copy(k, slots[k], inward=False)
    lines += [
        "  br label %tail",
        "tail:",
        "  %next = add i64 %i, %n",
        "  %finished = icmp sge i64 %next, %count",
        "  br i1 %finished, label %done, label %head",
        "done:",
        "  ret void",
        "}",
        RARE,
    ]
    return "\n".join([*copies, *lines]) + "\n"


def _plain_blocks(n: int, width: int, block: str, extra: str) -> list[str]:
    """Compute all states in blocks if every operand is dense, without a check per block."""
    lines: list[str] = []
    plain = "%enough"
    for k in range(n):
        lines.append(f"  %plain{k} = and i1 {plain}, %c{k}")
        plain = f"%plain{k}"
    lines += [
        f"  br i1 {plain}, label %plain, label %head",
        "plain:",
        "  %row = phi i64 [ 0, %some ], [ %row3, %plain ]",
    ]
    for k in range(n):
        lines += [
            f"  %g{k} = mul i64 %row, %s{k}",
            f"  %h{k} = getelementptr i8, ptr %a{k}, i64 %g{k}",
        ]
    given = ", ".join(f"ptr %h{k}" for k in range(n))
    return [
        *lines,
        f"  call void @{block}({given}{extra})",
        f"  %row2 = add i64 %row, {width}",
        "  %over = icmp sgt i64 %row2, %last",
        "  %row3 = select i1 %over, i64 %last, i64 %row2",
        "  %through = icmp eq i64 %row, %last",
        "  br i1 %through, label %done, label %plain",
    ]


def _operand(codegen: Codegen, k: int, slot: Slot, at: int, rows: int) -> list[str]:
    """Read an operand's pointer and strides; %r says that its rows are dense."""
    lines = [
        f"  %x{k} = {codegen.array(rows * slot.size)}",
        f"  %ap{k} = getelementptr ptr, ptr %args, i64 {k}",
        f"  %a{k} = load ptr, ptr %ap{k}, align 8",
        f"  %sp{k} = getelementptr i64, ptr %steps, i64 {k}",
        f"  %s{k} = load i64, ptr %sp{k}, align 8",
        f"  %core{k} = getelementptr i64, ptr %steps, i64 {at}",
        f"  %next{k} = icmp eq i64 %s{k}, {codegen.bytes_of(slot.size)}",
        f"  %c{k}.0 = or i1 %next{k}, %single",
    ]
    for axis, length in enumerate(slot.shape):
        contiguous = codegen.bytes_of(prod(slot.shape[axis + 1 :]))
        lines += [
            f"  %t{k}.{axis} = getelementptr i64, ptr %core{k}, i64 {axis}",
            f"  %v{k}.{axis} = load i64, ptr %t{k}.{axis}, align 8",
            f"  %e{k}.{axis} = icmp eq i64 %v{k}.{axis}, {contiguous}",
            # the stride of an axis of length one is arbitrary
            f"  %f{k}.{axis} = or i1 %e{k}.{axis}, {'true' if length == 1 else 'false'}",
            f"  %c{k}.{axis + 1} = and i1 %c{k}.{axis}, %f{k}.{axis}",
        ]
    return [*lines, f"  %r{k} = and i1 %c{k}.{len(slot.shape)}, true"]


def _dense(k: int, others: Iterable[int]) -> list[str]:
    """Emit whether kernels may use the operand directly; not if another has the same address."""
    lines: list[str] = []
    same = "false"
    for j in others:
        lines += [
            f"  %b{k}.{j} = icmp eq ptr %a{k}, %a{j}",
            f"  %w{k}.{j} = or i1 {same}, %b{k}.{j}",
        ]
        same = f"%w{k}.{j}"
    return [
        *lines,
        f"  %same{k} = or i1 {same}, false",
        f"  %other{k} = xor i1 %same{k}, true",
        f"  %c{k} = and i1 %r{k}, %other{k}",
    ]


def _conditional_copy(k: int, slot: Slot, inward: bool) -> list[str]:
    shape = f"ptr @armdyn_shape{k}, i64 {len(slot.shape)}, i64 {slot.size}"
    given = (
        f"ptr %x{k}, ptr %p{k}, i64 %n, i64 %s{k}, ptr %core{k}, {shape}, i1 {str(inward).lower()}"
    )
    return [
        f"  br i1 %c{k}, label %dense{k}, label %copy{k}",
        f"copy{k}:",
        f"  call void @armdyn_copy({given})",
        f"  br label %dense{k}",
        f"dense{k}:",
    ]


def _shape(k: int, slot: Slot) -> str:
    """Return the lengths of an operand's axes, one if it has none."""
    lengths = slot.shape or (1,)
    listed = ", ".join(f"i64 {length}" for length in lengths)
    return f"@armdyn_shape{k} = internal constant [{len(lengths)} x i64] [ {listed} ]\n"
