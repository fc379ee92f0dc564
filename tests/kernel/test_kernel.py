"""Kernels: machine code equals the graph, in the same bits alone and in any batch."""

from __future__ import annotations

import random
from functools import lru_cache

import mpmath
import numpy as np
import pytest

from armdyn import load
from armdyn.graph.interpret import FLOATS, evaluate, interpret
from armdyn.graph.program import Instruction, Program, Slot, verify
from armdyn.graph.trace import record, trace
from armdyn.kernel.ir.operations import Fused, fused
from armdyn.kernel.kernel import compile_program
from armdyn.kernel.targets.target import Target
from armdyn.robot.library import generic
from armdyn.robot.model import Robot
from armdyn.scalar import Op, sign, sin
from support.kernels import (
    TARGETS,
    as_tuple,
    odd_kernel,
    program_of,
    sincos_kernel,
    states_of,
    target_name,
    width_of,
)
from support.robots import FAMILIES, random_robot

QUANTITIES = ("mass_matrix", "inverse_dynamics", "forward_dynamics", "gravity")


def _ulps(got: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference in units of the last place of the largest entry."""
    scale = np.abs(expected).max() or 1.0
    return float(np.abs(got - expected).max() / np.spacing(scale))


@lru_cache(maxsize=64)
def _case(robot: Robot, quantity: str) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """States, what the graph makes of them, and what exact arithmetic makes of them."""
    given = program_of(robot, quantity)
    states = states_of(given, 45)
    (expected,) = interpret(given, *states)
    rules = {**FLOATS, Op.SIN: mpmath.sin, Op.COS: mpmath.cos, Op.SQRT: mpmath.sqrt}
    exact = np.zeros((45, expected[0].size))
    with mpmath.workprec(120):
        for i in range(45):
            row = [mpmath.mpf(float(v)) for x in states for v in x[i]]
            exact[i] = [float(v) for v in evaluate(given, row, rules)]
    return states, expected, exact.reshape(expected.shape)


def _close_to_graph(robot: Robot, quantity: str, machine: Target) -> None:
    states, expected, exact = _case(robot, quantity)
    got = np.asarray(compile_program(program_of(robot, quantity), target=machine)(*states))
    bound = 4.0
    if quantity == "forward_dynamics":  # solves equations, which enlarges rounding: by how much?
        bound = max(4.0, 3.0 * _ulps(expected, exact))
    assert _ulps(got, expected) <= bound, robot.name
    # as a whole as accurate as the graph
    assert np.linalg.norm(got - exact) <= 1.5 * np.linalg.norm(expected - exact) + 1e-300, (
        robot.name
    )


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_kernel_equals_graph(quantity: str, machine: Target) -> None:
    for robot in (load("puma560").robot, generic(6), generic(7)):
        _close_to_graph(robot, quantity, machine)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_kernel_of_random_arms_equals_graph(quantity: str) -> None:
    for family in FAMILIES:
        for n in (1, 4):
            _close_to_graph(random_robot(family, n, 3), quantity, TARGETS[0])


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("quantity", ("mass_matrix", "forward_dynamics"))
def test_bits_do_not_depend_on_batch_or_position(quantity: str, machine: Target) -> None:
    kernel = compile_program(program_of(generic(6), quantity), target=machine)
    states = states_of(kernel.program, 1000)
    alone = np.array([kernel(*(x[i] for x in states)) for i in range(1000)])
    width = kernel.width
    for count in (0, 1, width - 1, width, width + 1, 3 * width - 1, 1000):
        for start in (0, 1, 3):
            part = [x[start : start + count] for x in states]
            got = kernel(*part)
            assert np.array_equal(got, alone[start : start + count]), (count, start)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_any_shape_and_operation(machine: Target) -> None:
    kernel = odd_kernel(machine)
    states = states_of(kernel.program, 37)
    states[2][5] = 0.0
    expected = interpret(kernel.program, *states)
    for got, want in zip(as_tuple(kernel(*states)), expected, strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-14)
    for i in (0, 5, 36):
        one = as_tuple(kernel(*(x[i] for x in states)))
        for got, batch in zip(one, as_tuple(kernel(*states)), strict=True):
            assert np.array_equal(got, batch[i])


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("n_in", (*range(1, 10), 11, 14, 17))
def test_rows_of_every_length_come_and_go(n_in: int, machine: Target) -> None:
    """Reversed and counted up, and nothing outside the arrays is touched."""
    inputs, outputs = [Slot("x", (n_in,))], [Slot("y", (n_in,)), Slot("z", (2, n_in))]
    given = trace(lambda x: (x[::-1], [x, [v + 1.0 for v in x]]), inputs, outputs)
    kernel = compile_program(given, target=machine)
    count = 2 * kernel.width + 1
    x = np.arange(float(count * n_in)).reshape(count, n_in)
    y, z = np.full((count + 2, n_in), -1.0), np.full((count + 2, 2, n_in), -1.0)
    kernel(x, out=(y[1:-1], z[1:-1]))
    assert np.array_equal(y[1:-1], x[:, ::-1])
    assert np.array_equal(z[1:-1], np.stack([x, x + 1.0], axis=1))
    for frame in (y[0], y[-1], z[0], z[-1]):
        assert (frame == -1.0).all()


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_sine_and_cosine_are_accurate(machine: Target) -> None:
    """Below 1 ulp up to 1e5, also next to multiples of pi/2, where a sine or cosine vanishes."""
    kernel = sincos_kernel(machine)
    rng = np.random.default_rng(5)
    with mpmath.workprec(200):
        close = [float(k * mpmath.pi / 2) for k in [*range(-40, 40), 63661, -63660, 31416, 20001]]
        x = np.concatenate(
            [rng.uniform(-np.pi, np.pi, 400), rng.uniform(-1e5, 1e5, 400), close,
             np.nextafter(close, 1e6), rng.normal(size=100) * 1e-9, [1e5, -1e5, 5e-324]]
        )  # fmt: skip
        s, c = as_tuple(kernel(x))
        for got, f in ((s, mpmath.sin), (c, mpmath.cos)):
            exact = [f(mpmath.mpf(float(v))) for v in x]
            off = [
                abs(mpmath.mpf(float(g)) - e) / float(np.spacing(abs(float(e))))
                for g, e in zip(got, exact, strict=True)
            ]
            assert max(off) < 0.8


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_large_angles_go_to_the_library_and_leave_their_neighbours_alone(machine: Target) -> None:
    kernel = sincos_kernel(machine)
    x = np.random.default_rng(6).uniform(-3, 3, 4 * width_of(machine) + 1)
    calm = as_tuple(kernel(x))
    odd = np.arange(0, x.size, 3)
    x[odd] = np.resize([1e6, -1e17, np.nextafter(1e5, 2e5), 1e300], odd.size)
    for got, before, f in zip(as_tuple(kernel(x)), calm, (np.sin, np.cos), strict=True):
        others = np.setdiff1d(np.arange(x.size), odd)
        assert np.array_equal(got[others], before[others])
        np.testing.assert_allclose(got[odd], f(x[odd]), rtol=1e-15)
        for k in odd:
            assert as_tuple(kernel(x[k]))[0] == as_tuple(kernel(x))[0][k]


def test_what_is_no_number_stays_so() -> None:
    kernel = sincos_kernel(TARGETS[0])
    x = np.array([1.0, np.nan, np.inf, -np.inf, 2.0])
    with np.errstate(invalid="ignore"):
        s, c = as_tuple(kernel(x))
    assert np.isnan(s[1:4]).all() and np.isnan(c[1:4]).all()
    assert np.isfinite(s[[0, 4]]).all()
    signs = compile_program(trace(lambda a: sign(a[0]), [Slot("a", ())], [Slot("s", ())]))
    got = np.asarray(signs([np.nan, -2.0, -0.0, 0.0, 3.0, np.inf]))
    assert np.array_equal(got, [np.nan, -1.0, 0.0, 0.0, 1.0, 1.0], equal_nan=True)
    assert not np.signbit(got[2])


def test_finite_states_raise_no_floating_point_error() -> None:
    """Unused lanes compute nothing that a computation of one state would not."""
    kernel = compile_program(program_of(generic(6), "forward_dynamics"))
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        kernel(*states_of(kernel.program, 2 * kernel.width + 3))
        kernel(*states_of(kernel.program, 5, scale=1e7))


def test_recorded_programs_that_were_not_simplified() -> None:
    """Dead code, repeated constants and products that are results are no trouble."""

    def f(x: list) -> list:  # type: ignore[type-arg]
        p = x[0] * x[1]
        _ = sin(x[1])
        return [p, p + x[1], 0.0 * x[0] + x[0] * 2.0 - 2.0 * x[1]]

    given = record(f, [Slot("x", (2,))], [Slot("y", (3,))])
    (x,) = states_of(given, 20)
    np.testing.assert_allclose(compile_program(given)(x), interpret(given, x)[0], rtol=1e-15)


def test_only_products_read_once_are_fused() -> None:
    code = (
        Instruction(Op.INPUT, (), 0.0),
        Instruction(Op.INPUT, (), 1.0),
        Instruction(Op.MUL, (0, 1)),
        Instruction(Op.MUL, (0, 0)),
        Instruction(Op.SUB, (2, 3)),
        Instruction(Op.MUL, (1, 1)),
        Instruction(Op.ADD, (5, 4)),
        Instruction(Op.SUB, (5, 4)),
    )
    given = Program("p", (Slot("x", (2,)),), (Slot("y", (2,)),), code, (6, 7))
    steps = fused(given, fma=True)
    assert steps[4] == Fused((0, 0, 2), minus_product=True)
    assert steps[3] is None
    assert steps[2] == code[2]
    assert steps[5:] == list(code[5:])
    assert fused(given, fma=False) == list(code)
    x = np.random.default_rng(0).normal(size=(20, 2))
    np.testing.assert_allclose(compile_program(given)(x), interpret(given, x)[0], atol=1e-15)


def test_signs_of_fused_steps() -> None:
    inputs, outputs = [Slot("x", (3,))], [Slot("y", (4,))]
    given = trace(
        lambda x: [x[0] * x[1] + x[2], x[2] - x[0] * x[1] * 3.0, x[0] * x[2] - x[1], -x[1] * x[2]],
        inputs,
        outputs,
    )
    (x,) = states_of(given, 20)
    np.testing.assert_allclose(compile_program(given)(x), interpret(given, x)[0], atol=1e-14)
    if TARGETS[0].fma:
        assert "call double @llvm.fma" in compile_program(given, target=TARGETS[0]).ir
    assert "call double @llvm.fma" not in compile_program(given, target=TARGETS[-1]).ir


def _random_program(seed: int) -> Program:
    """Any operation on anything before it; divisors and radicands are kept positive."""
    pick = random.Random(seed)
    shapes = [(), (1,), (2,), (3,), (5,), (8,), (9,), (1, 3), (3, 1), (4, 5), (2, 1, 3), (13,)]
    inputs, outputs = (
        tuple(Slot(f"{letter}{k}", pick.choice(shapes)) for k in range(pick.randint(1, 3)))
        for letter in "xy"
    )
    n_inputs = sum(slot.size for slot in inputs)
    read = pick.sample(range(n_inputs), pick.randint(1, n_inputs))
    code = [Instruction(Op.INPUT, (), float(k)) for k in read]
    operations = [Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.SIN, Op.COS, Op.SIGN, Op.DIV, Op.SQRT]

    def put(op: Op, *args: int, value: float = 0.0) -> int:
        code.append(Instruction(op, args, value))
        return len(code) - 1

    for _ in range(pick.randint(0, 60)):
        op, a, b = pick.choice(operations), pick.randrange(len(code)), pick.randrange(len(code))
        if op in (Op.DIV, Op.SQRT):
            a = put(Op.ADD, put(Op.MUL, a, a), put(Op.CONST, value=pick.uniform(0.5, 2.0)))
            _ = put(op, b, a) if op is Op.DIV else put(op, a)
        elif op in (Op.ADD, Op.SUB, Op.MUL):
            put(Op.SIN, put(op, a, b))  # keeps values small
            put(op, a, b)
        else:
            put(op, a)
    results = tuple(pick.randrange(len(code)) for slot in outputs for _ in range(slot.size))
    return verify(Program(f"random{seed}", inputs, outputs, tuple(code), results))


@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed: int) -> None:
    given = _random_program(seed)
    kernel = compile_program(given, target=TARGETS[seed % len(TARGETS)])
    states = states_of(given, 19, seed, scale=2.0)
    got = as_tuple(kernel(*states))
    for a, b in zip(got, interpret(given, *states), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    for i in (0, 8, 18):
        for one, all_ in zip(as_tuple(kernel(*(x[i] for x in states))), got, strict=True):
            assert np.array_equal(one, all_[i])
