"""A program as the source of a Python function that needs only JAX, or only CasADi."""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.export._libraries import matrix_shape
from armdyn.graph import Program, statements
from armdyn.scalar import Op

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
    lines, outputs = statements(program, IN_JAX)
    made = [
        f"_stacked(lead, {slot.shape}, [{', '.join(values)}])"
        for slot, values in zip(program.outputs, outputs, strict=True)
    ]
    given = [f"{slot.name} (..., {slot.size})" for slot in program.inputs]
    wanted = [f"{s.name} ({', '.join(['...', *map(str, s.shape)])})" for s in program.outputs]
    about = f"Return {', '.join(wanted)} from JAX arrays {', '.join(given)}."
    return JAX + _function(program, about, [*heads, *lines], made)


def casadi_source(program: Program) -> str:
    """Return the source of a function of CasADi columns (SX, MX or DM); `to_casadi` uses SX."""
    heads = [f'{s.name} = _elements("{s.name}", {s.name}, {s.size})' for s in program.inputs]
    lines, outputs = statements(program, IN_CASADI)
    made = [
        f"_matrix({', '.join(map(str, matrix_shape(slot)))}, [{', '.join(values)}])"
        for slot, values in zip(program.outputs, outputs, strict=True)
    ]
    given = [f"{slot.name} ({slot.size}, 1)" for slot in program.inputs]
    wanted = [f"{slot.name} {matrix_shape(slot)}" for slot in program.outputs]
    about = f"Return {', '.join(wanted)} from SX, MX or DM {', '.join(given)}."
    return CASADI + _function(program, about, [*heads, *lines], made)


def _function(program: Program, about: str, lines: Sequence[str], made: Sequence[str]) -> str:
    listed = ", ".join(slot.name for slot in program.inputs)
    body = [f'"""{about}"""', *lines, f"return {', '.join(made)}"]
    return "\n".join([f"def {program.name}({listed}):", *(f"    {x}" for x in body), ""])
