"""Print a program as Python."""

from __future__ import annotations

from armdyn.graph._program import Instruction, Program, Slot
from armdyn.scalar import Op

INFIX = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/"}


def show(program: Program) -> str:
    """Return a Python function, one line per operation, that needs only `math`.

    It takes each input as a flat sequence of floats and returns each output as a flat list.
    """
    lines, values = statements(program, "copysign(1.0, {0}) if {0} else 0.0")
    parts = [_bracket(slot, part) for slot, part in zip(program.outputs, values, strict=True)]
    return "\n".join([
        "from math import cos, copysign, sin, sqrt", "", "",
        f"def {program.name}({', '.join(slot.name for slot in program.inputs)}):",
        *(f"    {line}" for line in lines),
        f"    return {', '.join(parts)}",
        "",
    ])  # fmt: skip


def statements(program: Program, sign: str) -> tuple[list[str], list[list[str]]]:
    """Return a program as Python: one assignment per operation, and the numbers of each output.

    Element k of an input is written `name[k]`; the functions are `sin`, `cos` and `sqrt`.

    Args:
        program: the traced code.
        sign: template of the expression for the sign of "{0}".
    """
    names = [f"{slot.name}[{k}]" for slot in program.inputs for k in range(slot.size)]
    lines: list[str] = []
    text: list[str] = []
    for k, step in enumerate(program.code):
        if step.op is Op.INPUT:
            text.append(names[int(step.value)])
        elif step.op is Op.CONST:
            text.append(repr(step.value))
        else:
            text.append(f"v{k}")
            lines.append(f"v{k} = {_expression(step, [text[arg] for arg in step.args], sign)}")
    results = iter(program.results)
    return lines, [[text[next(results)] for _ in range(s.size)] for s in program.outputs]


def _expression(step: Instruction, args: list[str], sign: str) -> str:
    if step.op in INFIX:
        return f"{args[0]} {INFIX[step.op]} {args[1]}"
    if step.op is Op.NEG:
        return f"-{args[0]}"
    if step.op is Op.SIGN:
        return sign.format(args[0])
    return f"{step.op.value}({args[0]})"


def _bracket(slot: Slot, values: list[str]) -> str:
    return values[0] if slot.shape == () else f"[{', '.join(values)}]"
