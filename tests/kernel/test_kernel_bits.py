"""A kernel is its graph with the fused steps rounded once, bit for bit: nothing else is changed.

Sines and cosines are taken from a kernel of their own; how accurate they are is tested elsewhere.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from armdyn import load
from armdyn.graph import interpret as _rolled_interpret
from armdyn.graph.interpret import FLOATS
from armdyn.graph.program import Program
from armdyn.kernel.ir.operations import Fused, fused
from armdyn.kernel.kernel import compile_program
from armdyn.kernel.targets.target import Target
from armdyn.programs.tracing import rolled_program
from armdyn.robot.chain import chain_of
from armdyn.robot.library import generic
from armdyn.scalar import Op
from support.kernels import (
    TARGETS,
    as_tuple,
    program_of,
    sincos_kernel,
    states_of,
    target_name,
    width_of,
)
from support.long_arms import ROLLED
from support.robots import FAMILIES, random_robot
from support.rolled import evaluate_rolled

QUANTITIES = ("mass_matrix", "inverse_dynamics", "forward_dynamics", "gravity")
LONG_QUANTITIES = ("coriolis_matrix", "regressor", "forward_dynamics_derivatives")


def _rounded_once(step: Fused, a: float, b: float, c: float) -> float:
    product = Fraction(a) * Fraction(b)
    exact = (-product if step.minus_product else product) + (
        -Fraction(c) if step.minus_addend else Fraction(c)
    )
    return float(exact)


def _graph(given: Program, machine: Target, row: list[float]) -> list[float]:
    """Results of one state by the steps of the program, each rounded once."""
    sincos = sincos_kernel(machine)
    values: list[float] = []
    for step in fused(given, machine.fma):
        if step is None:
            values.append(float("nan"))  # inside a fused step
            continue
        args = [values[k] for k in step.args]
        if isinstance(step, Fused):
            values.append(_rounded_once(step, *args))
        elif step.op is Op.INPUT:
            values.append(row[int(step.value)])
        elif step.op is Op.CONST:
            values.append(step.value)
        elif step.op in (Op.SIN, Op.COS):
            values.append(float(as_tuple(sincos(args[0]))[step.op is Op.COS]))
        else:
            values.append(FLOATS[step.op](*args))
    return [values[k] for k in given.results]


def _same_bits(given: Program, machine: Target, count: int) -> None:
    states = states_of(given, count)
    got = [
        result.reshape(count, -1)
        for result in as_tuple(compile_program(given, target=machine)(*states))
    ]
    rows = np.concatenate(got, axis=1)
    for i in range(count):
        row = [float(v) for x in states for v in x[i].ravel()]
        assert np.array_equal(rows[i], _graph(given, machine, row)), (given.name, i)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_kernel_is_the_graph_bit_for_bit(quantity: str, machine: Target) -> None:
    for robot in (load("puma560").robot, generic(6)):
        _same_bits(program_of(robot, quantity), machine, width_of(machine) + 1)


@pytest.mark.parametrize("quantity", LONG_QUANTITIES)
def test_kernel_of_a_long_program_is_the_graph_bit_for_bit(quantity: str) -> None:
    _same_bits(program_of(generic(6), quantity), TARGETS[0], width_of(TARGETS[0]) + 1)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_kernel_of_random_arms_is_the_graph_bit_for_bit(quantity: str) -> None:
    for family in FAMILIES:
        _same_bits(program_of(random_robot(family, 3, 5), quantity), TARGETS[0], 3)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("quantity", ROLLED)
def test_loops_over_the_joints_are_their_steps_bit_for_bit(
    quantity: str, machine: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        _rolled_interpret, "evaluate", lambda step, given, _: _graph(step, machine, list(given))
    )
    rng = np.random.default_rng(2)
    for robot in (generic(11), random_robot("mixed", 5, 5)):
        given = rolled_program(chain_of(robot), quantity, friction=True)
        assert given is not None
        states = [rng.uniform(-2, 2, (width_of(machine) + 1, robot.n)) for _ in given.inputs]
        (got,) = as_tuple(compile_program(given, target=machine)(*states))
        for i in (0, width_of(machine)):  # in a block, and in the one that ends the batch
            (expected,) = evaluate_rolled(given, *(x[i] for x in states))
            assert np.array_equal(got[i], expected), (robot.name, i)
