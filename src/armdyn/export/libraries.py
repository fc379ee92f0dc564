"""Programs in other languages: SymPy, CasADi and JAX objects, their source, and JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from armdyn.errors import InputError
from armdyn.files import imported
from armdyn.graph.interpret import ARITHMETIC, Rules, evaluate
from armdyn.graph.program import Program, Slot
from armdyn.graph.show import statements
from armdyn.scalar import Op

# The same function in SymPy, CasADi and JAX: the program, interpreted on their types.

# A formula with more operations is not readable.
LARGEST_FORMULA = 400


def to_sympy(program: Program) -> Callable[..., Any]:
    """Return a function of sequences of SymPy expressions, one for each input.

    It returns a SymPy expression for a scalar output, a Matrix for a vector or a matrix, and a
    tuple of these if there are several outputs.
    """
    sympy: Any = imported("sympy", "the function in SymPy")

    def select(x: Any, a: Any, b: Any) -> Any:
        return sympy.Piecewise((a, x > 0), (b, True))

    def copysign(a: Any, x: Any) -> Any:
        return sympy.Abs(a) * select(-x, -1, 1)

    rules: Rules = {
        **ARITHMETIC,
        Op.SIN: sympy.sin, Op.COS: sympy.cos, Op.SQRT: sympy.sqrt, Op.SIGN: sympy.sign,
        Op.ABS: sympy.Abs, Op.MAX: sympy.Max, Op.SELECT: select,
        Op.COPYSIGN: copysign,
    }  # fmt: skip

    def function(*states: Sequence[Any]) -> Any:
        values = evaluate(program, _flattened(program, states), rules)
        parts = [_shaped(sympy, slot, part) for slot, part in _by_slot(program, values)]
        return parts[0] if len(parts) == 1 else tuple(parts)

    return function


def to_latex(program: Program) -> str:
    """Return the outputs as LaTeX formulas, one line each."""
    n_operations = sum(bool(step.args) for step in program.code)
    if n_operations > LARGEST_FORMULA:
        raise InputError(
            f"{program.name} takes {n_operations} operations: as formulas it could not be read "
            f"(LaTeX is for small arms, up to {LARGEST_FORMULA} operations)."
        )
    sympy: Any = imported("sympy", "LaTeX")
    names = {"q": "q", "qd": r"\dot{q}", "qdd": r"\ddot{q}", "tau": r"\tau"}
    symbols = [
        [sympy.Symbol(f"{names.get(s.name, s.name)}_{{{k + 1}}}") for k in range(s.size)]
        for s in program.inputs
    ]
    values: Any = to_sympy(program)(*symbols)
    if len(program.outputs) == 1:
        values = (values,)
    lines = [f"{s.name} = {sympy.latex(x)}" for s, x in zip(program.outputs, values, strict=True)]
    return "\n".join(lines)


def to_casadi(program: Program) -> Any:
    """Return a `casadi.Function` of column vectors, with the names of the program's slots."""
    casadi: Any = imported("casadi", "the function in CasADi")

    def select(x: Any, a: Any, b: Any) -> Any:
        return casadi.if_else(x > 0.0, a, b)

    rules: Rules = {
        **ARITHMETIC,
        Op.SIN: casadi.sin, Op.COS: casadi.cos, Op.SQRT: casadi.sqrt, Op.SIGN: casadi.sign,
        Op.ABS: casadi.fabs, Op.MAX: casadi.fmax, Op.COPYSIGN: casadi.copysign,
        Op.SELECT: select,
    }  # fmt: skip
    inputs = [casadi.SX.sym(slot.name, slot.size) for slot in program.inputs]
    scalars = [x[k] for x, s in zip(inputs, program.inputs, strict=True) for k in range(s.size)]
    values = evaluate(program, scalars, rules)
    outputs: list[Any] = []
    for slot, part in _by_slot(program, values):
        rows, columns = matrix_shape(slot)
        # CasADi is column-major
        outputs.append(casadi.reshape(casadi.vertcat(*part), columns, rows).T)
    names = [slot.name for slot in program.inputs], [slot.name for slot in program.outputs]
    return casadi.Function(program.name, inputs, outputs, *names)


def to_jax(program: Program) -> Callable[..., Any]:
    """Return a function of JAX arrays ``(..., n)`` that can be compiled, mapped and differentiated.

    It computes in the precision of its arguments: 64 bits need JAX's ``jax_enable_x64``.
    """
    jnp: Any = imported("jax.numpy", "the function in JAX")

    def larger(a: Any, b: Any) -> Any:
        return jnp.where(a > b, a, b)

    def select(x: Any, a: Any, b: Any) -> Any:
        return jnp.where(x > 0.0, a, b)

    rules: Rules = {
        **ARITHMETIC, Op.SIN: jnp.sin, Op.COS: jnp.cos, Op.SQRT: jnp.sqrt, Op.SIGN: jnp.sign,
        Op.ABS: jnp.abs, Op.MAX: larger, Op.SELECT: select, Op.COPYSIGN: jnp.copysign,
    }  # fmt: skip

    def function(*states: Any) -> Any:
        arrays = [jnp.asarray(state) for state in states]
        check_sizes(program, [a.shape[-1] if a.ndim else 0 for a in arrays])
        lead = jnp.broadcast_shapes(*(a.shape[:-1] for a in arrays))
        columns = [a[..., k] for a in arrays for k in range(a.shape[-1])]
        values = evaluate(program, columns, rules)
        parts: list[Any] = []
        for slot, part in _by_slot(program, values):
            stacked = jnp.stack([jnp.broadcast_to(x, lead) for x in part], axis=-1)
            parts.append(stacked.reshape((*lead, *slot.shape)))
        return parts[0] if len(parts) == 1 else tuple(parts)

    return function


def _flattened(program: Program, states: Sequence[Sequence[Any]]) -> list[Any]:
    check_sizes(program, [len(state) for state in states])
    return [x for state in states for x in state]


def check_sizes(program: Program, sizes: list[int]) -> None:
    """Raise an error if there are not as many inputs as the program takes, of these sizes."""
    if sizes != [slot.size for slot in program.inputs]:
        wanted = ", ".join(f"{slot.name} ({slot.size})" for slot in program.inputs)
        raise InputError(f"{program.name} takes these inputs, with their sizes: {wanted}.")


def _by_slot(program: Program, values: list[Any]) -> list[tuple[Slot, list[Any]]]:
    rest = iter(values)
    return [(slot, list(islice(rest, slot.size))) for slot in program.outputs]


def _shaped(sympy: Any, slot: Slot, part: list[Any]) -> Any:
    if slot.shape == ():
        return part[0]
    return sympy.Matrix(*matrix_shape(slot), part)


def matrix_shape(slot: Slot) -> tuple[int, int]:
    """Return the numbers of rows and columns: a vector is a column, a scalar is 1 x 1."""
    return (slot.shape[0], slot.shape[1]) if len(slot.shape) == 2 else (slot.size, 1)


# A program as the source of a Python function that needs only JAX, or only CasADi.

JAX = '''\
import jax.numpy as jnp
from jax.numpy import cos, sign, sin, sqrt


def _columns(name, array, n):
    """Return the columns of an array (..., n)."""
    array = jnp.asarray(array)
    if array.ndim == 0 or array.shape[-1] != n:  # JAX would read beyond the end without a word
        raise ValueError(f"{name} has shape {array.shape}, expected (..., {n})")
    return [array[..., k] for k in range(n)]


def _stacked(lead, shape, values):
    """Return numbers, some of which may be constants, as an array (*lead, *shape)."""
    columns = [jnp.broadcast_to(value, lead) for value in values]
    return jnp.stack(columns, axis=-1).reshape((*lead, *shape))


'''

CASADI = '''\
import casadi
from casadi import cos, sign, sin, sqrt


def _elements(name, column, n):
    """Return the elements of a column of n."""
    if column.shape != (n, 1):
        raise ValueError(f"{name} has shape {column.shape}, expected ({n}, 1)")
    return casadi.vertsplit(column)


def _matrix(rows, columns, values):
    """Return the matrix of these numbers, given row by row: CasADi counts by columns."""
    return casadi.reshape(casadi.vertcat(*values), columns, rows).T


'''

IN_JAX = {
    Op.MAX: "jnp.where({0} > {1}, {0}, {1})",
    Op.SELECT: "jnp.where({0} > 0.0, {1}, {2})",
    Op.COPYSIGN: "jnp.copysign({0}, {1})",
}
IN_CASADI = {
    Op.ABS: "casadi.fabs({0})",
    Op.MAX: "casadi.fmax({0}, {1})",
    Op.SELECT: "casadi.if_else({0} > 0.0, {1}, {2})",
    Op.COPYSIGN: "casadi.copysign({0}, {1})",
}


def jax_source(program: Program) -> str:
    """Return the source of a function of JAX arrays ``(..., n)``, like that of `to_jax`."""
    heads = [f'{s.name} = _columns("{s.name}", {s.name}, {s.size})' for s in program.inputs]
    leads = ", ".join(f"{slot.name}[0].shape" for slot in program.inputs)
    heads.append(f"lead = jnp.broadcast_shapes({leads})")
    given = [f"{slot.name} (..., {slot.size})" for slot in program.inputs]
    wanted = [f"{s.name} ({', '.join(['...', *map(str, s.shape)])})" for s in program.outputs]
    about = f"Return {', '.join(wanted)} from JAX arrays {', '.join(given)}."
    makers = [f"_stacked(lead, {slot.shape}, " for slot in program.outputs]
    return JAX + _function(program, about, heads, IN_JAX, makers)


def casadi_source(program: Program) -> str:
    """Return the source of a function of CasADi columns (SX, MX or DM); `to_casadi` uses SX."""
    heads = [f'{s.name} = _elements("{s.name}", {s.name}, {s.size})' for s in program.inputs]
    given = [f"{slot.name} ({slot.size}, 1)" for slot in program.inputs]
    wanted = [f"{slot.name} {matrix_shape(slot)}" for slot in program.outputs]
    about = f"Return {', '.join(wanted)} from SX, MX or DM {', '.join(given)}."
    makers = [f"_matrix({', '.join(map(str, matrix_shape(slot)))}, " for slot in program.outputs]
    return CASADI + _function(program, about, heads, IN_CASADI, makers)


def _function(
    program: Program,
    about: str,
    heads: Sequence[str],
    templates: Mapping[Op, str],
    makers: Sequence[str],
) -> str:
    """Return a function: its docstring, first lines, statements, and calls that make outputs."""
    lines, outputs = statements(program, templates)
    calls = [f"{call}[{', '.join(x)}])" for call, x in zip(makers, outputs, strict=True)]
    listed = ", ".join(slot.name for slot in program.inputs)
    body = [f'"""{about}"""', *heads, *lines, f"return {', '.join(calls)}"]
    return "\n".join([f"def {program.name}({listed}):", *(f"    {x}" for x in body), ""])


# Programs as a module of JavaScript (ES2015) without dependencies.

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
    functions = [
        _javascript_function(program, name, "export function") for name, program in programs
    ]
    return "\n".join([_head(), *functions])


def javascript_object(programs: Sequence[tuple[str, Program]]) -> str:
    """Return an expression whose value has programs as functions, under the given names."""
    functions = [_javascript_function(program, name, "function") for name, program in programs]
    names = ", ".join(name for name, _ in programs)
    return "\n".join(["(() => {", _head(), *functions, f"return {{ {names} }};", "})()"])


def _head() -> str:
    return HEAD.format(functions=", ".join(FUNCTIONS))


def _javascript_function(program: Program, name: str, keyword: str) -> str:
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
