"""Rolled programs that do all that such programs may do, in plain loops too; an interpreter."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from armdyn.arrays import Array
from armdyn.graph.interpret import ARRAYS, FLOATS, Values
from armdyn.graph.program import Instruction, Program, Slot
from armdyn.graph.rolled import Rolled, Sweep, verify_rolled
from armdyn.graph.trace import record, trace
from armdyn.scalar import Op, cos, sin, sqrt

# States that `evaluate_rolled` evaluates together.
BLOCK = 1024


def _one(*names: str) -> list[Slot]:
    return [Slot(name, (1,)) for name in names]


def _step() -> Program:
    """Inward: an early angle and a late one, and everywhere that a step writes to."""

    def f(c: list, q: list, u: list, v: list) -> tuple:  # type: ignore[type-arg]
        s = sin(q[0] + c[1])
        late = cos(v[0])
        onward = [c[0] * s + late, 0.5 * v[1] + q[0] * u[0]]
        return onward, [c[0] * u[0] + v[1]], [v[0] * late, q[0]], [s, sqrt(1.5 + s)]

    inputs = [Slot("constant:a", (2,)), *_one("input:q", "input:u"), Slot("carry:v", (2,))]
    outputs = [Slot("carry:v", (2,)), *_one("output:y")]
    return trace(f, inputs, [*outputs, Slot("column:c", (2,)), Slot("kept:s", (2,))])


def _column() -> Program:
    """Angles of columns, at first those of the input itself."""

    def f(a: list, c: list, s: list) -> tuple:  # type: ignore[type-arg]
        turned = cos(c[1] + a[1])
        return [a[0] * c[0] + s[0] / s[1] * turned], [c[0] * 0.5 + turned, c[1] * s[0] * 0.25 - 1.0]

    inputs = [Slot("constant:a", (2,)), Slot("column:c", (2,)), Slot("kept:s", (2,))]
    return trace(f, inputs, [*_one("output:M"), Slot("column:c", (2,))])


def _second() -> tuple[Program, Program]:
    """Outward: reads what the first sweep left, and a matrix; angles in a column step."""

    def f(s: list, w: list) -> tuple:  # type: ignore[type-arg]
        return [s[0] * 2.0 + w[0]], [w[0] * 0.5 + s[1]]

    def g(m: list, t: list, c: list) -> tuple:  # type: ignore[type-arg]
        return [m[0] * t[0] + sin(c[1])], [m[0] - 1.0], [c[0] + m[0], c[1]]

    step = trace(f, [Slot("kept:s", (2,)), *_one("carry:w")], _one("kept:t", "carry:w"))
    inputs = [*_one("output:M", "kept:t"), Slot("column:c", (2,))]
    return step, trace(g, inputs, [*_one("output:U", "output:M"), Slot("column:c", (2,))])


@lru_cache(maxsize=32)
def all_places(n: int) -> Rolled:
    constants = np.random.default_rng(n).normal(size=(n, 2)).tolist()
    sweeps = (
        Sweep(False, _step(), {"v": (0.5, -0.25)}, _column()),
        Sweep(True, _second()[0], {"w": (1.0,)}, _second()[1]),
    )
    outputs = (Slot("y", (n,)), Slot("M", (n, n)), Slot("U", (n, n)))
    table = {"a": tuple((a, b) for a, b in constants)}
    inputs = (Slot("q", (n,)), Slot("u", (n,)))
    return verify_rolled(Rolled("all_places", inputs, outputs, table, sweeps, ("M",)))


def in_plain_loops(rolled: Rolled, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return what `all_places` is for one state."""
    n, a = rolled.n, rolled.constants["a"]
    y, M, U = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    c, s = np.zeros((n, 2)), np.zeros((n, 2))
    v = (0.5, -0.25)
    for i in reversed(range(n)):
        sine = math.sin(q[i] + a[i][1])
        late = math.cos(v[0])
        y[i] = a[i][0] * u[i] + v[1]
        c[i] = v[0] * late, q[i]
        s[i] = sine, math.sqrt(1.5 + sine)
        v = (a[i][0] * sine + late, 0.5 * v[1] + q[i] * u[i])
        for k in range(i, n):
            turned = math.cos(c[k, 1] + a[i][1])
            M[i, k] = a[i][0] * c[k, 0] + s[i, 0] / s[i, 1] * turned
            c[k] = c[k, 0] * 0.5 + turned, c[k, 1] * s[i, 0] * 0.25 - 1.0
    w = 1.0
    for i in range(n):
        t = s[i, 0] * 2.0 + w
        w = w * 0.5 + s[i, 1]
        for k in range(i, n):
            U[i, k] = M[i, k] * t + math.sin(c[k, 1])
            c[k, 0] += M[i, k]
            M[i, k] = M[k, i] = M[i, k] - 1.0
    return y, M, U


@lru_cache(maxsize=32)
def vectors_only(n: int) -> Rolled:
    """The same without matrices, which are large: the first sweep as far as it goes."""
    whole = all_places(n)
    sweep = replace(whole.sweeps[0], columns=None)
    return verify_rolled(
        replace(whole, name="vectors", outputs=whole.outputs[:1], sweeps=(sweep,), symmetric=())
    )


@lru_cache(maxsize=32)
def swaps(n: int) -> Rolled:
    """Exchanges what is kept and what columns hold; dead code; an output named as the input."""

    def first(q: list) -> tuple:  # type: ignore[type-arg]
        return [q[0], 2.0 * q[0]], [q[0], 1.0 + q[0]]

    def second(kept: list, q: list) -> tuple:  # type: ignore[type-arg]
        return [kept[1], kept[0]], [kept[0] - q[0]]

    def columns(c: list, kept: list) -> tuple:  # type: ignore[type-arg]
        return [c[1], c[0]], [c[0] - 3.0 * kept[0]]

    kept, column, entry = Slot("kept:k", (2,)), Slot("column:c", (2,)), Slot("output:M", (1,))
    (q,), nothing = _one("input:q"), Program("nothing", (), (), (), ())
    sweeps = (
        Sweep(True, record(first, [q], [kept, column]), {}),
        Sweep(True, _with_dead_code(record(second, [kept, q], [kept, *_one("output:q")])), {}),
        Sweep(
            False, nothing, {}, _with_dead_code(record(columns, [column, kept], [column, entry]))
        ),
    )
    outputs = (Slot("q", (n,)), Slot("M", (n, n)))
    return verify_rolled(Rolled("swaps", (Slot("q", (n,)),), outputs, {}, sweeps, ("M",)))


def _with_dead_code(step: Program) -> Program:
    """Add the sine of a product of which nothing becomes."""
    at = len(step.code)
    dead = (Instruction(Op.MUL, (0, 0)), Instruction(Op.SIN, (at,)))
    return replace(step, code=(*step.code, *dead))


def states(n: int, count: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-3.0, 3.0, (count, n)) for _ in range(2)]


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
