"""The type of numbers is a property of what is emitted: other types need no other writers."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from importlib.resources import files
from math import inf, nan, prod
from pathlib import Path

import numpy as np
import pytest

from armdyn.graph.interpret import interpret
from armdyn.graph.program import Program, Slot
from armdyn.graph.rolled import Rolled
from armdyn.graph.trace import trace
from armdyn.kernel.element import DOUBLE, FLOAT, LOOP, ElementType
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.sincos import SLOW
from armdyn.kernel.jit import compile_object, load_object
from armdyn.kernel.kernel import program_ir
from armdyn.kernel.targets.target import Target
from armdyn.scalar import cos, sign, sin, sqrt
from support.kernels import TARGETS, target_name
from support.rolled import all_places, evaluate_rolled

RNG = np.random.default_rng(4)
# How doubles look in IR.
DOUBLES = r"\bdouble\b|f64\b|i64>"
# Results of a state: tiles of every size that vectors of floats have, and wide rows.
SIZES = (1, 2, 3, 4, 6, 7, 8, 9, 15, 16, 17, 23, 33, 130)


def _without_far_angles(ir: str) -> str:
    """Leave out the function for large angles, which calls the C library with doubles."""
    return re.sub(rf"define internal void @{SLOW}\(.*?^}}", "", ir, flags=re.DOTALL | re.MULTILINE)


def _many(n: int) -> Program:
    def f(x: list, y: list) -> tuple:  # type: ignore[type-arg]
        z = sqrt(x[0] * x[0] + 1.0) / (y[1] * y[1] + 0.5)
        return [x[k % 5] * y[k % 3] - z * k if k % 7 else z for k in range(n)], sign(x[1]) * z

    slots = [Slot("many", (n,)), Slot("one", ())]
    return trace(f, [Slot("x", (5,)), Slot("y", (3,))], slots)


def _call(program: Program | Rolled, codegen: Codegen, states: Sequence[np.ndarray]) -> list:  # type: ignore[type-arg]
    """Call the inner loop on arrays of float32."""
    machine = codegen.target
    code = load_object(compile_object(program_ir(program, codegen), machine), machine)
    count = len(states[0])
    outs = [np.full((count, *slot.shape), 7.0, np.float32) for slot in program.outputs]
    arrays = [*states, *outs]
    shapes = [slot.shape for slot in (*program.inputs, *program.outputs)]
    core = [a.strides[1 + k] for a, s in zip(arrays, shapes, strict=True) for k in range(len(s))]
    steps = [a.strides[0] for a in arrays] + core
    loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(code.address(LOOP))
    loop(
        (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays]),
        (ctypes.c_ssize_t * 1)(count),
        (ctypes.c_ssize_t * len(steps))(*steps),
        None,
    )
    return outs


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("n", SIZES)
def test_floats_are_computed_by_the_same_writers(n: int, machine: Target) -> None:
    codegen = Codegen(machine, FLOAT)
    assert codegen.width == 2 * Codegen(machine, DOUBLE).width
    program = _many(n)
    assert not re.search(DOUBLES, _without_far_angles(program_ir(program, codegen)))
    for count in (1, codegen.width - 1, codegen.width, 3 * codegen.width + 1):
        states = [
            RNG.uniform(-2, 2, (count, 2 * prod(slot.shape))).astype(np.float32)[:, ::stride]
            for slot, stride in zip(program.inputs, (2, 2), strict=True)
        ]
        dense = [np.ascontiguousarray(x) for x in states]
        expected = interpret(program, *[x.astype(float) for x in dense])
        for given in (states, dense):
            for out, exact in zip(_call(program, codegen, given), expected, strict=True):
                assert out.dtype == np.float32
                np.testing.assert_allclose(out, exact, rtol=3e-5, atol=3e-5)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_sines_of_floats_are_computed_by_the_same_writers(machine: Target) -> None:
    program = trace(
        lambda x: [sin(x[0]) * cos(x[1]), sin(cos(x[2]) + x[0])],
        [Slot("x", (3,))],
        [Slot("y", (2,))],
    )
    codegen = Codegen(machine, FLOAT)
    x = RNG.uniform(-6, 6, (3 * codegen.width + 2, 3)).astype(np.float32)
    (expected,) = interpret(program, x.astype(float))
    (got,) = _call(program, codegen, [x])
    np.testing.assert_allclose(got, expected, atol=1e-6)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("n", [2, 5, 17])
def test_sweeps_of_floats_are_computed_by_the_same_writers(n: int, machine: Target) -> None:
    rolled, codegen = all_places(n), Codegen(machine, FLOAT)
    if machine.fma:  # without, angles are reduced as doubles
        assert not re.search(DOUBLES, _without_far_angles(program_ir(rolled, codegen)))
    states = [RNG.uniform(-2, 2, (2 * codegen.width + 1, n)).astype(np.float32) for _ in range(2)]
    expected = evaluate_rolled(rolled, *[x.astype(float) for x in states])
    for got, exact in zip(_call(rolled, codegen, states), expected, strict=True):
        np.testing.assert_allclose(got, exact, atol=1e-5 * max(1.0, np.abs(exact).max()))


@pytest.mark.parametrize("element", [DOUBLE, FLOAT], ids=lambda e: e.name)
def test_constants_and_patterns_are_exact(element: ElementType) -> None:
    dtype = np.dtype(f"f{element.bytes}")
    for value in (0.0, -0.0, 1.0, -1.0, 0.1, np.pi, 1e30, -1e-30, inf, -inf):
        rounded = dtype.type(value)
        assert element.pattern(value) == rounded.view(f"i{element.bytes}")
        assert int(element.constant(value), 16) == np.float64(rounded).view(np.uint64)
    assert element.largest == np.finfo(dtype).max
    assert element.pattern(element.largest) == element.infinity - 1
    assert element.pattern(nan) > element.infinity
    assert element.rounded(-0.1) == dtype.type(-0.1) and FLOAT.rounded(-1e39) == -inf
    for bound in (0.1, 1e5, 100.1, 3e38, 1e300, inf):  # the largest number that is not beyond it
        bits = np.array([element.bound(bound)], f"i{element.bytes}")
        here, next_one = (float(x.view(dtype)[0]) for x in (bits, bits + 1))
        assert here <= bound and (next_one > bound or next_one == inf)


def test_no_writer_names_a_type_of_numbers() -> None:
    """Except for the table of the constants of sines, which has a row for each type."""
    folder = Path(str(files("armdyn.kernel")))
    named = {
        f"{room}/{path.name}: {line}"
        for room in ("straight", "rolled", "ir", "batch")
        for path in (folder / room).glob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\bdouble\b|\bf64\b|\bfloat\b\"", line.partition("#")[0])
    }
    assert named == {f'ir/sincos.py:     "{name}": Constants(' for name in ("double", "float")}
