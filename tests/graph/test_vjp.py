"""Gradients of programs in reverse mode, again and again."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Function, InputError, NumericalError
from armdyn.graph.derive import jacobian_at, jvp_program, vjp_program
from armdyn.graph.interpret import evaluate
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.scalar import sqrt
from support.robots import random_robot


def gradient_by_jacobians(program: Program, flat: list[float], weights: np.ndarray) -> np.ndarray:
    """The same by forward mode, all Jacobians weighted."""
    by = [slot.name for slot in program.inputs]
    total = np.zeros(len(flat))
    at = 0
    for slot in program.outputs:
        blocks = jacobian_at(program, slot.name, by, flat, "forward")
        rows = np.hstack([np.array(block, float).reshape(slot.size, -1) for block in blocks])
        total += weights[at : at + slot.size] @ rows
        at += slot.size
    return total


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "udu"])
def test_gradients_are_weighted_jacobians(quantity: str) -> None:
    program = Arm(random_robot("mixed", 4, 3)).function(quantity).program
    assert isinstance(program, Program)
    rng = np.random.default_rng(0)
    first = vjp_program(program)
    for code in (program, first):
        gradient = vjp_program(code)
        flat = rng.uniform(-1.0, 1.0, sum(slot.size for slot in code.inputs)).tolist()
        weights = rng.normal(size=sum(slot.size for slot in code.outputs))
        expected = gradient_by_jacobians(code, flat, weights)
        got = evaluate(gradient, [*flat, *weights])
        most = 1e-11 * np.abs(expected).max()
        np.testing.assert_allclose(got, expected, rtol=0, atol=most)


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "udu"])
def test_derivatives_along_a_direction_transpose_gradients(quantity: str) -> None:
    program = Arm(random_robot("mixed", 3, 3)).function(quantity).program
    assert isinstance(program, Program)
    rng = np.random.default_rng(2)
    for code in (program, vjp_program(program), jvp_program(program)):
        along, gradient = jvp_program(code), vjp_program(code)
        assert len({slot.name for slot in along.inputs}) == 2 * len(code.inputs)
        flat = rng.uniform(-1.0, 1.0, sum(slot.size for slot in code.inputs)).tolist()
        direction = rng.normal(size=len(flat))
        weights = rng.normal(size=sum(slot.size for slot in code.outputs))
        one = np.dot(weights, evaluate(along, [*flat, *direction]))
        other = np.dot(direction, evaluate(gradient, [*flat, *weights]))
        assert abs(one - other) < 1e-10 * max(1.0, abs(one))


def test_names_shapes_and_inputs_without_influence() -> None:
    inputs, outputs = [Slot("x", (2,)), Slot("y", (3,))], [Slot("z", (2,))]
    program = trace(lambda x, _: [x[0] * x[1], x[0] * x[1]], inputs, outputs)
    gradient = vjp_program(program)
    assert gradient.inputs == (*inputs, Slot("z_cotangent", (2,)))
    assert gradient.outputs == (Slot("x_gradient", (2,)), Slot("y_gradient", (3,)))
    # one value is both outputs: their weights add up
    got = evaluate(gradient, [2.0, 3.0, 1.0, 1.0, 1.0, 10.0, 100.0])
    assert got == [330.0, 220.0, 0.0, 0.0, 0.0]


def test_functions_have_gradients_for_one_state_and_many() -> None:
    arm = armdyn.load("puma560")
    f, rng = arm.function("inverse_dynamics"), np.random.default_rng(1)
    states, weights = rng.uniform(-1, 1, (3, 50, 6)), rng.normal(size=(50, 6))
    gradients = f.vjp()(*states, weights)
    derivatives = arm.inverse_dynamics_derivatives(*states)
    for gradient, jacobian in zip(gradients, derivatives, strict=True):
        expected = np.einsum("ki,kij->kj", weights, jacobian)
        np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    one = f.vjp()(*states[:, 7], weights[7])
    assert all(np.array_equal(a, b[7]) for a, b in zip(one, gradients, strict=True))
    with pytest.raises(InputError, match="takes"):
        f.vjp()(*states)


def test_gradients_cost_a_few_times_the_function() -> None:
    f = armdyn.load("ur5").function("inverse_dynamics")
    assert f.vjp().operations.mul <= 3 * f.operations.mul


def test_sweeps_of_long_arms_are_refused() -> None:
    f = Arm(random_robot("mixed", 13, 6)).function("inverse_dynamics", "rolled")
    with pytest.raises(InputError, match="is no straight-line code"):
        f.vjp()


@pytest.mark.parametrize("quantity", ["kinetic_energy", "mass_matrix", "pose", "udu"])
def test_weights_of_numbers_and_matrices_are_flat(quantity: str) -> None:
    """Numbers, vectors and matrices; one state, one more when warm, and many."""
    arm, rng = Arm(random_robot("mixed", 4, 3)), np.random.default_rng(2)
    f = arm.function(quantity)
    gradient, program = f.vjp(), f.program
    assert isinstance(program, Program)
    states = [rng.uniform(-1, 1, (9, *slot.shape)) for slot in program.inputs]
    weights = [rng.normal(size=(9, slot.size)) for slot in program.outputs]
    many = gradient(*states, *weights)
    many = many if isinstance(many, tuple) else (many,)
    for k in range(9):
        flat = np.concatenate([x[k].ravel() for x in states]).tolist()
        expected = gradient_by_jacobians(
            program, flat, np.concatenate([x[k].ravel() for x in weights])
        )
        one = gradient(*(x[k] for x in states), *(x[k] for x in weights))
        one = one if isinstance(one, tuple) else (one,)
        got = np.concatenate([x.ravel() for x in one])
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
        assert all(np.array_equal(a, b[k]) for a, b in zip(one, many, strict=True))
    large = gradient(*(np.resize(x, (18_000, *x.shape[1:])) for x in (*states, *weights)))
    large = large if isinstance(large, tuple) else (large,)
    for a, b in zip(large, many, strict=True):
        assert np.array_equal(a, np.resize(b, a.shape))
    # one weight for all states
    for count in (9, 18_000):
        given = [np.resize(x, (count, *x.shape[1:])) for x in states]
        shared = gradient(*given, *(x[0] for x in weights))
        shared = shared if isinstance(shared, tuple) else (shared,)
        assert all(np.array_equal(a[0], b[0]) for a, b in zip(shared, many, strict=True))
        again = gradient(*given, *(np.resize(x[0], (count, *x.shape[1:])) for x in weights))
        again = again if isinstance(again, tuple) else (again,)
        assert all(map(np.array_equal, shared, again))


def test_weights_of_a_wrong_shape_are_refused() -> None:
    f = armdyn.load("puma560").function("mass_matrix").vjp()
    with pytest.raises(InputError, match=r"`M_cotangent` has shape \(6, 6\), expected \(36,\) or"):
        f(np.zeros(6), np.zeros((6, 6)))
    with pytest.raises(InputError, match="do not broadcast"):
        f(np.zeros((4, 6)), np.zeros((3, 36)))


def test_gradients_that_are_not_finite_are_told() -> None:
    """The slope of a square root is infinite at 0, where its value is an ordinary number."""
    program = trace(lambda x: [sqrt(x[0])], [Slot("x", (1,))], [Slot("y", (1,))], "root")
    f = Function(program, "direct", "none").vjp()
    assert f([4.0], [1.0]) == pytest.approx([0.25])
    for _ in range(3):
        with pytest.raises(NumericalError, match="is not finite"):
            f(np.zeros(1), np.ones(1))
