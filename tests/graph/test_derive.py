"""Derivatives of programs: exact, in both modes, for every operation."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from armdyn import GraphError, MethodError
from armdyn.algorithms import newton_euler
from armdyn.graph.count import count
from armdyn.graph.derive import MODES, directional_at, jacobian_at
from armdyn.graph.interpret import ARITHMETIC, evaluate, interpret
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import chain_of
from armdyn.scalar import Op, cos, free_symbols, sign, sin, sqrt, symbol
from support.robots import random_robots, random_state, relative_error

STEP = 1e-30
COMPLEX = {
    **ARITHMETIC,
    Op.SIN: cmath.sin,
    Op.COS: cmath.cos,
    Op.SQRT: cmath.sqrt,
    Op.SIGN: lambda z: sign(z.real),
}


def complex_step(program: Program, given: list[float]) -> np.ndarray:
    """All outputs (rows) by all inputs (columns): no difference is taken, so nothing cancels."""
    columns = []
    for k in range(len(given)):
        moved: list[complex] = [complex(x) for x in given]
        moved[k] += 1j * STEP
        columns.append([complex(y).imag / STEP for y in evaluate(program, moved, COMPLEX)])
    return np.array(columns).T


def every_operation(x: Any, y: Any) -> Any:
    a = sin(x[0] * y[0]) + cos(y[1] - x[1])
    b = sqrt(x[2] * x[2] + 1.5) / (2.0 + y[0])
    c = -(a * b) * sign(y[1]) + 0.7
    return [[a, b, c], [a * a + x[0], 3.0, c / b - a / (1.0 + x[1] * x[1])]]


def program_of(function: Callable[..., Any], inputs: dict[str, int], shape: tuple) -> Program:
    return trace(function, [Slot(k, (n,)) for k, n in inputs.items()], [Slot("f", shape)], "f")


def jacobian(program: Program, of: str, by: tuple[str, ...], mode: Any = "forward") -> Program:
    """The derivatives as a program: a matrix (scalars of the output, of the input) for each."""

    def function(*inputs: list[Any]) -> Any:
        parts = jacobian_at(program, of, by, [x for values in inputs for x in values], mode)
        return parts if len(parts) > 1 else parts[0]

    rows = sum(slot.size for slot in program.outputs if slot.name == of)
    columns = {slot.name: slot.size for slot in program.inputs}
    outputs = [Slot(f"by_{name}", (rows, columns.get(name, 0))) for name in by]
    return trace(function, program.inputs, outputs)


ALL = program_of(every_operation, {"x": 3, "y": 2}, (2, 3))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("given", [[0.3, -0.8, 1.1, 0.4, 0.9], [1.7, 0.2, -0.6, 2.0, -3.0]])
def test_every_operation_matches_complex_step(mode, given) -> None:
    expected = complex_step(ALL, given)
    d = jacobian(ALL, "f", ("x", "y"), mode)
    by_x, by_y = interpret(d, np.array(given[:3]), np.array(given[3:]))
    assert relative_error(by_x, expected[:, :3]) < 1e-14
    assert relative_error(by_y, expected[:, 3:]) < 1e-14


@pytest.mark.parametrize("mode", MODES)
def test_inverse_dynamics_of_mixed_arms_match_complex_step(mode) -> None:
    for robot in random_robots(seed=8, sizes=(2, 4)):
        n, chain, state = robot.n, chain_of(robot), random_state(robot)
        code = trace(
            lambda *a, c=chain: newton_euler.inverse_dynamics(c, *a),
            [Slot(name, (n,)) for name in ("q", "qd", "qdd")],
            [Slot("tau", (n,))],
        )
        given = [state[name] for name in ("q", "qd", "qdd")]
        expected = complex_step(code, np.concatenate(given).tolist())
        got = interpret(jacobian(code, "tau", ("q", "qd", "qdd"), mode), *given)
        assert relative_error(np.concatenate(got, axis=1), expected) < 1e-12, robot.name


def test_derivative_of_a_sign_is_zero() -> None:
    f = program_of(lambda x: [sign(x[0]), 2.0 * x[0] * sign(x[0])], {"x": 1}, (2,))
    for mode in MODES:
        (got,) = interpret(jacobian(f, "f", ("x",), mode), np.array([-0.5]))
        assert np.array_equal(got, [[0.0], [-2.0]])


def test_many_inputs_are_followed_back_and_many_outputs_carried_forward() -> None:
    def product(x: Any) -> Any:
        y = x[0]
        for xi in x[1:]:
            y = y * xi
        return y

    def powers(x: Any) -> Any:
        y = [sin(x[0])]
        for _ in range(7):
            y.append(y[-1] * x[0])
        return y

    many_in, many_out = program_of(product, {"x": 8}, ()), program_of(powers, {"x": 1}, (8,))
    for program, cheaper, other in (
        (many_in, "reverse", "forward"), (many_out, "forward", "reverse"),
    ):  # fmt: skip
        few, many = (count(jacobian(program, "f", ("x",), mode)) for mode in (cheaper, other))
        assert few < many


def test_constant_and_linear_outputs_cost_nothing() -> None:
    f = program_of(lambda x: [3.0, 2.0 * x[1] - x[0]], {"x": 2}, (2,))
    for mode in MODES:
        d = jacobian(f, "f", ("x",), mode)
        assert count(d) == count(program_of(lambda x: [1.0], {"x": 2}, (1,)))
        assert evaluate(d, [0.1, 0.2]) == [0.0, 0.0, -1.0, 2.0]


def test_direction_is_the_sum_of_derivatives() -> None:
    x, y, v = np.array([0.3, -0.8, 1.1]), np.array([0.4, 0.9]), np.array([1.0, -2.0, 0.5])
    (by_x,) = interpret(jacobian(ALL, "f", ("x",)), x, y)
    got = directional_at(ALL, "f", "x", [*x.tolist(), *y.tolist()], v.tolist())
    assert relative_error(np.array(got), by_x @ v) < 1e-14


def test_derivatives_can_be_derived_again() -> None:
    f = program_of(lambda x: sin(x[0]) * x[1] * x[1], {"x": 2}, ())
    second = jacobian(jacobian(f, "f", ("x",), "reverse"), "by_x", ("x",), "forward")
    s, c = np.sin(0.4), np.cos(0.4)
    (H,) = interpret(second, np.array([0.4, 3.0]))
    assert np.allclose(H, [[-s * 9, 6 * c], [6 * c, 2 * s]], rtol=1e-15)


def test_unknown_constants_become_the_first_input() -> None:
    m, k = symbol("m"), symbol("k")
    found = free_symbols([1.0, (m / k, m), [k]])
    assert found == [m, k]
    f = trace(lambda x: [m * x[0] / k], [Slot("x", (1,))], [Slot("f", (1,))], constants=found)
    assert f.inputs == (Slot("constants", (2,)), Slot("x", (1,)))
    assert evaluate(jacobian(f, "f", ("x", "constants")), [3.0, 2.0, 5.0]) == [1.5, 2.5, -3.75]


def test_wrong_names_are_told() -> None:
    with pytest.raises(GraphError, match="f has no output 'g'; it has f"):
        jacobian(ALL, "g", ("x",))
    with pytest.raises(GraphError, match="f has no input 'z'; it has x, y"):
        jacobian(ALL, "f", ("x", "z"))
    with pytest.raises(GraphError, match="f has no input 'z'; it has x, y"):
        directional_at(ALL, "f", "z", [0.0] * 5, [0.0])
    with pytest.raises(MethodError, match="no mode of derivatives 'sideways'"):
        jacobian(ALL, "f", ("x",), "sideways")  # type: ignore[arg-type]
