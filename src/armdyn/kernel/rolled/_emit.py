"""A rolled program as LLVM IR, with the same functions as a straight-line program; see `emit`."""

from __future__ import annotations

from armdyn.graph import Rolled
from armdyn.kernel._symbols import BLOCK, LOOP, ONE
from armdyn.kernel.batch._strided_loop import loop_function
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.ir._finite_check import NOT_ORDINARY, ordinary_function
from armdyn.kernel.ir._heap import aligned, allocated, release
from armdyn.kernel.ir._intrinsics import declarations
from armdyn.kernel.ir._mirror import mirror_function, zero_function
from armdyn.kernel.ir._sincos import slow_function
from armdyn.kernel.ir._writer import Writer
from armdyn.kernel.rolled._body import BELOW, MOST_ON_STACK, RolledBody
from armdyn.kernel.rolled._memory import Table

INNER = "armdyn_inner"


def emit_rolled(rolled: Rolled, codegen: Codegen) -> str:
    """Return the module of a rolled program, whose function `LOOP` is the inner loop of a gufunc.

    Scratch memory that is too large for the stack is allocated once for a whole batch.
    """
    parts = [declarations(codegen), slow_function(codegen), Table(rolled, codegen).text()]
    for j, slot in enumerate(rolled.outputs):
        if len(slot.shape) == 2:
            below = mirror_function if slot.name in rolled.symmetric else zero_function
            parts.append(below(f"{BELOW}{j}", rolled.n, codegen))
    block = RolledBody(rolled, codegen, codegen.width)
    large = block.memory.bytes > MOST_ON_STACK
    parts.append(RolledBody(rolled, codegen, 1).function(ONE, given=False))
    parts.append(block.function(BLOCK, given=large))
    loop = INNER if large else LOOP
    extra = ", ptr %data" if large else ""
    parts.append(loop_function(rolled, codegen, loop, ONE, BLOCK, extra))
    if large:
        parts.append(_with_memory(block.memory.bytes, codegen))
    parts.append(ordinary_function(codegen, NOT_ORDINARY))
    return "\n".join(parts)


def _with_memory(size: int, codegen: Codegen) -> str:
    """Return `LOOP`: the loop, which allocates memory if there are enough states for a block."""
    w = Writer(1, codegen)
    w.begin("entry")
    count = w.new("load i64, ptr %dims, align 8")
    few = w.new(f"icmp slt i64 {count}, {codegen.width}")
    w.branch(few, "without", "with")
    w.begin("without")
    given = "ptr %args, ptr %dims, ptr %steps, ptr"
    w.do(f"call void @{INNER}({given} null)")
    w.do("ret void")
    w.begin("with")
    memory = allocated(w, size)
    w.do(f"call void @{INNER}({given} {aligned(w, memory)})")
    release(w, memory)
    w.do("ret void")
    return w.text(f"void @{LOOP}(ptr %args, ptr %dims, ptr %steps, ptr %data) nounwind")
