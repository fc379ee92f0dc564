"""Interpret a rolled program, slowly, joint by joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.graph._interpret import ARRAYS, BLOCK, FLOATS, Rules, evaluate
from armdyn.graph._program import Program
from armdyn.graph.rolled._rolled import Rolled, Sweep, place_and_name

Array = NDArray[np.float64]


def evaluate_rolled(rolled: Rolled, *arrays: Array) -> list[Array]:
    """Evaluate a rolled program on arrays.

    Args:
        rolled: the program.
        arrays: one for each input, of shape ``(..., n)`` with the same leading axes.

    Returns:
        One array of shape ``(..., *slot.shape)`` for each output.
    """
    lead = arrays[0].shape[:-1]
    n_states = math.prod(lead)
    flat = [a.reshape(n_states, s.size) for a, s in zip(arrays, rolled.inputs, strict=True)]
    outs = [np.zeros((n_states, *slot.shape)) for slot in rolled.outputs]
    for start in range(0, n_states, BLOCK):
        part = slice(start, start + BLOCK)
        rows = {
            slot.name: a[0].tolist() if n_states == 1 else np.ascontiguousarray(a[part].T)
            for slot, a in zip(rolled.inputs, flat, strict=True)
        }
        values = Values(rolled, rows, FLOATS if n_states == 1 else ARRAYS)
        for sweep in rolled.sweeps:
            values.sweep(sweep)
        for slot, out in zip(rolled.outputs, outs, strict=True):
            for entry, value in values.written[slot.name].items():
                out[part, *entry] = value
                if slot.name in rolled.symmetric:
                    out[part, *reversed(entry)] = value
    return [
        out.reshape((*lead, *slot.shape)) for slot, out in zip(rolled.outputs, outs, strict=True)
    ]


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
