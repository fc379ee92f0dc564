"""Chunks of states, one after the other, whose results are inputs of the next."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.kernel.kernel import compile_program
from support.says import facts


def test_results_are_inputs_of_later_chunks() -> None:
    def function(x: list, a: list, b: list) -> object:
        return [a[0] * x[0] + b[0], a[1] * x[1] - b[0]], x[0] * b[0]

    inputs = [Slot("x", (2,)), Slot("a", (2,)), Slot("b", (1,))]
    program = trace(function, inputs, [Slot("next", (2,)), Slot("product", ())], "recurrence")
    kernel = compile_program(program)
    chunks, rows = 5, 11
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=(chunks + 1, rows, 2)), rng.normal(size=(rows, 2))
    b = rng.normal(size=(chunks, rows, 1))
    expected, products = x.copy(), np.empty((chunks, rows))
    for k in range(chunks):
        sign = np.array([1.0, -1.0])
        expected[k + 1] = a * expected[k] + sign * b[k]
        products[k] = expected[k, :, 0] * b[k, :, 0]
    found = np.empty((chunks, rows))
    flat = [x[:-1].reshape(-1, 2), a, b.reshape(-1, 1), x[1:].reshape(-1, 2), found.reshape(-1)]
    step = kernel.chunks(flat, rows)
    for k in range(chunks):
        step(k)
    np.testing.assert_allclose(x, expected, rtol=1e-13)
    np.testing.assert_allclose(found, products, rtol=1e-13)


def test_arrays_that_are_not_dense_are_refused() -> None:
    program = trace(lambda x: x[0] + x[1], [Slot("x", (2,))], [Slot("y", ())], "sum")
    kernel, x, y = compile_program(program), np.zeros((6, 4)), np.zeros(6)
    for bad in (x[:, ::2], np.zeros((6, 3)), np.zeros((4, 2)), np.zeros((6, 2), np.float32)):
        with pytest.raises(ValueError, match=facts("2 chunks")):
            kernel.chunks([bad, y], 3)
