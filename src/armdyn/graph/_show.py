"""Print a program as Python."""

from __future__ import annotations

from armdyn.graph._program import Instruction, Program, Slot
from armdyn.scalar import Op

INFIX = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/"}


def show(program: Program) -> str:
    """Return a Python function, one line an operation, that needs only `math`.

    It takes each input as a flat sequence of floats and returns each output as a flat list.
    """
    names = [f"{slot.name}[{k}]" for slot in program.inputs for k in range(slot.size)]
    lines = ["from math import cos, copysign, sin, sqrt", "", ""]
    lines.append(f"def {program.name}({', '.join(slot.name for slot in program.inputs)}):")
    text: list[str] = []
    for k, step in enumerate(program.code):
        if step.op is Op.INPUT:
            text.append(names[int(step.value)])
        elif step.op is Op.CONST:
            text.append(repr(step.value))
        else:
            text.append(f"v{k}")
            lines.append(f"    v{k} = {_expression(step, [text[arg] for arg in step.args])}")
    values = [text[k] for k in program.results]
    parts: list[str] = []
    at = 0
    for slot in program.outputs:
        parts.append(_bracket(slot, values[at : at + slot.size]))
        at += slot.size
    lines.append(f"    return {', '.join(parts)}")
    return "\n".join(lines) + "\n"


def _expression(step: Instruction, args: list[str]) -> str:
    if step.op in INFIX:
        return f"{args[0]} {INFIX[step.op]} {args[1]}"
    if step.op is Op.NEG:
        return f"-{args[0]}"
    if step.op is Op.SIGN:
        return f"copysign(1.0, {args[0]}) if {args[0]} else 0.0"
    return f"{step.op.value}({args[0]})"


def _bracket(slot: Slot, values: list[str]) -> str:
    return values[0] if slot.shape == () else f"[{', '.join(values)}]"
