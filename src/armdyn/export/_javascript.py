"""Programs as a module of JavaScript (ES2015) without dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from armdyn.graph import Program, statements
from armdyn.scalar import Op

# Functions of programs have the names of `Math`.
HEAD = """\
const {{ {functions} }} = Math;

function check(name, array, size) {{
  if (array.length !== size) {{
    throw new RangeError(`${{name}} has ${{array.length}} numbers, expected ${{size}}`);
  }}
}}
"""
FUNCTIONS = ("abs", "cos", "sign", "sin", "sqrt")
IN_JAVASCRIPT = {
    Op.MAX: "{0} > {1} ? {0} : {1}",
    Op.SELECT: "{0} > 0 ? {1} : {2}",
    Op.COPYSIGN: "{1} < 0 ? -abs({0}) : abs({0})",
}


def javascript_source(program: Program) -> str:
    """Return an ES module that exports the program as a function."""
    return javascript_module([(program.name, program)])


def javascript_module(programs: Iterable[tuple[str, Program]]) -> str:
    """Return an ES module that exports programs as functions of the given names.

    A function takes one array (or typed array) of numbers for each input. It returns a number, an
    array, or an array of rows; an array of these if there are several outputs.
    """
    functions = [_function(program, name, "export function") for name, program in programs]
    return "\n".join([_head(), *functions])


def javascript_object(programs: Sequence[tuple[str, Program]]) -> str:
    """Return an expression whose value has programs as functions, under the given names."""
    functions = [_function(program, name, "function") for name, program in programs]
    names = ", ".join(name for name, _ in programs)
    return "\n".join(["(() => {", _head(), *functions, f"return {{ {names} }};", "})()"])


def _head() -> str:
    return HEAD.format(functions=", ".join(FUNCTIONS))


def _function(program: Program, name: str, keyword: str) -> str:
    lines, outputs = statements(program, IN_JAVASCRIPT)
    made = [_nested(slot.shape, part) for slot, part in zip(program.outputs, outputs, strict=True)]
    given = [f"{slot.name} ({slot.size})" for slot in program.inputs]
    wanted = [f"{slot.name} ({', '.join(map(str, slot.shape))})" for slot in program.outputs]
    body = [
        *(f'check("{slot.name}", {slot.name}, {slot.size});' for slot in program.inputs),
        *(f"const {line};" for line in lines),
        f"return {made[0] if len(made) == 1 else _array(made)};",
    ]
    return "\n".join([
        f"/** Return {', '.join(wanted)} from {', '.join(given)}. */",
        f"{keyword} {name}({', '.join(slot.name for slot in program.inputs)}) {{",
        *(f"  {line}" for line in body),
        "}",
        "",
    ])  # fmt: skip


def _nested(shape: tuple[int, ...], values: list[str]) -> str:
    """Return numbers in row-major order as nested arrays."""
    if not shape:
        return values[0]
    size = len(values) // shape[0]
    parts = [values[k : k + size] for k in range(0, len(values), size)]
    return _array(_nested(shape[1:], part) for part in parts)


def _array(parts: Iterable[str]) -> str:
    return f"[{', '.join(parts)}]"
