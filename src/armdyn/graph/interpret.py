"""Interpret programs, slowly, on any type that supports arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled, Sweep, place_and_name
from armdyn.scalar import Op, copysign, cos, max, select, sign, sin, sqrt

# Interpret a program, slowly, on any type that supports arithmetic.

# The function for each operation that has arguments.
Rules = Mapping[Op, Callable[..., Any]]

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


# The rules of algorithms: on nodes, a program becomes part of another.
NODES: Rules = {
    **ARITHMETIC, Op.SIN: sin, Op.COS: cos, Op.SQRT: sqrt, Op.SIGN: sign,
    Op.ABS: abs, Op.MAX: max, Op.SELECT: select, Op.COPYSIGN: copysign,
}  # fmt: skip
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
    parts = np.split(out, np.cumsum([slot.size for slot in program.outputs])[:-1], axis=1)
    each = zip(parts, program.outputs, strict=True)
    return [part.reshape((*lead, *slot.shape)) for part, slot in each]


# A rolled program, joint by joint.


class Values:
    """The values that the sweeps read and write, for one block of states."""

    def __init__(self, rolled: Rolled, inputs: dict[str, Any], rules: Rules) -> None:
        self.written: dict[str, dict[tuple[int, ...], Any]] = {s.name: {} for s in rolled.outputs}
        self._n = rolled.n
        self._rules = rules
        self._inputs = inputs
        self._constants = rolled.constants
        self._carried: dict[str, Sequence[Any]] = {}
        self._kept: dict[tuple[str, int], Sequence[Any]] = {}
        self._columns: dict[tuple[str, int], Sequence[Any]] = {}

    def sweep(self, sweep: Sweep) -> None:
        """Run a sweep over all joints."""
        self._carried = dict(sweep.start)
        for i in range(self._n) if sweep.outward else reversed(range(self._n)):
            self._run(sweep.step, i, i, (i,))
            if sweep.columns is not None:
                for k in range(i, self._n):
                    self._run(sweep.columns, i, k, (i, k))

    def _run(self, step: Program, i: int, k: int, entry: tuple[int, ...]) -> None:
        given: list[Any] = []
        for slot in step.inputs:
            given += self._read(slot.name, i, k)
        results = evaluate(step, given, self._rules)
        at = 0
        for slot in step.outputs:
            self._write(slot.name, i, k, entry, results[at : at + slot.size])
            at += slot.size

    def _read(self, slot: str, i: int, k: int) -> Sequence[Any]:
        place, name = place_and_name(slot)
        if place == "constant":
            return self._constants[name][i]
        if place == "input":
            return [self._inputs[name][i]]
        if place == "carry":
            return self._carried[name]
        if place == "kept":
            return self._kept[name, i]
        if place == "column":
            return self._columns[name, k]
        return [self.written[name][i, k]]

    def _write(
        self, slot: str, i: int, k: int, entry: tuple[int, ...], values: Sequence[Any]
    ) -> None:
        place, name = place_and_name(slot)
        if place == "carry":
            self._carried[name] = values
        elif place == "kept":
            self._kept[name, i] = values
        elif place == "column":
            self._columns[name, k] = values
        else:
            self.written[name][entry] = values[0]
