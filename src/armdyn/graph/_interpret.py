"""Interpret a program, slowly, on any type that supports arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.graph._program import Program
from armdyn.scalar import Op, copysign, cos, max, select, sign, sin, sqrt

Rules = Mapping[Op, Callable[..., Any]]
"""The function for each operation that has arguments."""

_python: Any = operator  # its overloads are wider than the rules need
ARITHMETIC: Rules = {
    Op.ADD: _python.add, Op.SUB: _python.sub, Op.MUL: _python.mul,
    Op.DIV: _python.truediv, Op.NEG: _python.neg,
}  # fmt: skip


_where: Any = np.where


def _larger(a: Any, b: Any) -> Any:
    return _where(a > b, a, b)


def _selected(x: Any, a: Any, b: Any) -> Any:
    return _where(x > 0.0, a, b)


NODES: Rules = {
    **ARITHMETIC, Op.SIN: sin, Op.COS: cos, Op.SQRT: sqrt, Op.SIGN: sign,
    Op.ABS: abs, Op.MAX: max, Op.SELECT: select, Op.COPYSIGN: copysign,
}  # fmt: skip
"""The rules of algorithms: on nodes, a program becomes part of another."""
FLOATS: Rules = {**NODES, Op.SIN: math.sin, Op.COS: math.cos, Op.SQRT: math.sqrt}
ARRAYS: Rules = {
    **ARITHMETIC, Op.SIN: np.sin, Op.COS: np.cos, Op.SQRT: np.sqrt, Op.SIGN: np.sign,
    Op.ABS: np.abs, Op.MAX: _larger, Op.SELECT: _selected, Op.COPYSIGN: np.copysign,
}  # fmt: skip

# States evaluated together: every intermediate value of a block stays in the cache.
BLOCK = 1024


def evaluate(program: Program, inputs: Sequence[Any], rules: Rules = FLOATS) -> list[Any]:
    """Evaluate a program on flattened inputs by the given rules; return its flattened outputs."""
    last_use = program.last_use
    values: list[Any] = [None] * len(program.code)
    for k, step in enumerate(program.code):
        if step.op is Op.INPUT:
            values[k] = inputs[int(step.value)]
        elif step.op is Op.CONST:
            values[k] = step.value
        else:
            values[k] = rules[step.op](*(values[arg] for arg in step.args))
            for arg in step.args:
                if last_use[arg] == k:
                    values[arg] = None  # free arrays that are no longer needed
    return [values[k] for k in program.results]


def interpret(program: Program, *arrays: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Evaluate a program on arrays.

    Args:
        program: the program.
        arrays: one for each input, of shape ``(..., *slot.shape)`` with the same leading axes.

    Returns:
        One array of shape ``(..., *slot.shape)`` for each output.
    """
    lead = arrays[0].shape[: arrays[0].ndim - len(program.inputs[0].shape)]
    n_states = math.prod(lead)
    flat = [a.reshape(n_states, s.size) for a, s in zip(arrays, program.inputs, strict=True)]
    out = np.empty((n_states, len(program.results)))
    if n_states == 1:  # floats are ten times faster than arrays of length one
        row = [float(x) for a in flat for x in a[0]]
        out[0] = evaluate(program, row, FLOATS)
    else:
        for start in range(0, n_states, BLOCK):
            part = slice(start, start + BLOCK)
            columns = [column for a in flat for column in np.ascontiguousarray(a[part].T)]
            for k, column in enumerate(evaluate(program, columns, ARRAYS)):
                out[part, k] = column
    results: list[NDArray[np.float64]] = []
    at = 0
    for slot in program.outputs:
        results.append(out[:, at : at + slot.size].reshape((*lead, *slot.shape)))
        at += slot.size
    return results
