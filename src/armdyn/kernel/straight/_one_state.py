"""A kernel for one state that calls the kernel for a block, with the state in every row.

It takes about twice the time of a separate kernel, but hardly any time to compile.
"""

from __future__ import annotations

from armdyn.graph import Program
from armdyn.kernel.ir._codegen import Codegen

# Copy a row several times, back to back.
_REPEAT = """\
define internal void @armdyn_repeat(ptr noalias %to, ptr noalias %row, i64 %size, i64 %times) \
noinline nounwind {
entry:
  br label %rows
rows:
  %r = phi i64 [ 0, %entry ], [ %r2, %done ]
  %first = mul i64 %r, %size
  br label %items
items:
  %e = phi i64 [ 0, %rows ], [ %e2, %items ]
  %from = getelementptr $element, ptr %row, i64 %e
  %value = load $element, ptr %from, align $bytes
  %at = add i64 %first, %e
  %place = getelementptr $element, ptr %to, i64 %at
  store $element %value, ptr %place, align $bytes
  %e2 = add i64 %e, 1
  %more = icmp ult i64 %e2, %size
  br i1 %more, label %items, label %done
done:
  %r2 = add i64 %r, 1
  %again = icmp ult i64 %r2, %times
  br i1 %again, label %rows, label %end
end:
  ret void
}
"""


def one_by_block(program: Program, codegen: Codegen, name: str, block: str, extra: str = "") -> str:
    """Return the function `name` for one state, which calls the function `block`.

    `extra` are additional arguments of `block`.
    """
    slots = (*program.inputs, *program.outputs)
    n_inputs = len(program.inputs)
    rows = [f"%x{k}" for k in range(len(slots))]
    given = ", ".join(f"ptr noalias nocapture %a{k}" for k in range(len(slots)))
    lines = [f"define dso_local void @{name}({given}) noinline nounwind {{", "entry:"]
    for row, slot in zip(rows, slots, strict=True):
        lines.append(f"  {row} = {codegen.array(codegen.width * slot.size)}")
    for k, slot in enumerate(slots[:n_inputs]):
        lines.append(_copied(rows[k], f"%a{k}", slot.size, codegen.width))
    lines.append(f"  call void @{block}({', '.join(f'ptr {row}' for row in rows)}{extra})")
    for k, slot in enumerate(slots[n_inputs:], n_inputs):
        lines.append(_copied(f"%a{k}", rows[k], slot.size, 1))
    return codegen.filled(_REPEAT) + "\n".join([*lines, "  ret void", "}"]) + "\n"


def _copied(to: str, row: str, size: int, times: int) -> str:
    return f"  call void @armdyn_repeat(ptr {to}, ptr {row}, i64 {size}, i64 {times})"
