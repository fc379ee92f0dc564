"""Print a program as Python."""

from __future__ import annotations

from collections.abc import Mapping

from armdyn.graph.program import Instruction, Program, Slot
from armdyn.scalar import Op

INFIX = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/"}
PYTHON = {
    Op.SIGN: "copysign(1.0, {0}) if {0} else 0.0",
    Op.MAX: "{0} if {0} > {1} else {1}",
    Op.SELECT: "{1} if {0} > 0.0 else {2}",
}


def show(program: Program) -> str:
    """Return a Python function, one line per operation, that needs only `math`.

    It takes each input as a flat sequence of floats and returns each output as a flat list.
    """
    lines, values = statements(program, PYTHON)
    parts = [_bracket(slot, part) for slot, part in zip(program.outputs, values, strict=True)]
    return "\n".join([
        "from math import cos, copysign, sin, sqrt", "", "",
        f"def {program.name}({', '.join(slot.name for slot in program.inputs)}):",
        *(f"    {line}" for line in lines),
        f"    return {', '.join(parts)}",
        "",
    ])  # fmt: skip


def statements(program: Program, templates: Mapping[Op, str]) -> tuple[list[str], list[list[str]]]:
    """Return a program as Python: one assignment per operation, and the numbers of each output.

    Element k of an input is written `name[k]`. Functions without a template have their own names:
    `sin`, `cos`, `sqrt` and so on.

    Args:
        program: the traced code.
        templates: the expressions of operations on "{0}", "{1}" and "{2}" that need one.
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
            lines.append(f"v{k} = {_expression(step, [text[arg] for arg in step.args], templates)}")
    results = iter(program.results)
    return lines, [[text[next(results)] for _ in range(s.size)] for s in program.outputs]


def _expression(step: Instruction, args: list[str], templates: Mapping[Op, str]) -> str:
    if step.op in INFIX:
        return f"{args[0]} {INFIX[step.op]} {args[1]}"
    if step.op is Op.NEG:
        return f"-{args[0]}"
    if step.op in templates:
        return templates[step.op].format(*args)
    return f"{step.op.value}({', '.join(args)})"


def _bracket(slot: Slot, values: list[str]) -> str:
    return values[0] if slot.shape == () else f"[{', '.join(values)}]"
