"""Programs of every method where it is awkward: at right angles and at rest, on arrays, printed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from armdyn import Robot
from armdyn.algorithms.table import QUANTITIES
from armdyn.graph.interpret import evaluate, interpret
from armdyn.graph.program import Program, Slot
from armdyn.graph.show import show
from armdyn.graph.simplify import simplify
from armdyn.graph.trace import record
from armdyn.robot.chain import chain_of
from support.robots import random_robot

ROWS = [(quantity, method) for quantity, k in QUANTITIES.items() for method in k.methods]
ROBOTS = [
    random_robot("mixed", 3, 1),
    random_robot("right angles", 4, 2),
    random_robot("inclined slide", 4, 3),
    Robot([replace(j, theta=math.pi / 2) for j in random_robot("rotational", 4, 4).joints]),
]


def run_of(quantity: str, method: str, robot: Robot) -> Any:
    run = partial(QUANTITIES[quantity].methods[method].run, chain_of(robot))
    return partial(run, frame=robot.n + 1) if QUANTITIES[quantity].takes_frame else run


def recorded(quantity: str, method: str, robot: Robot) -> Program:
    entry = QUANTITIES[quantity]
    inputs = [Slot(name, (robot.n,)) for name in entry.inputs]
    outputs = [Slot(name, shape) for name, shape in entry.shapes(robot.n).items()]
    return record(run_of(quantity, method, robot), inputs, outputs, quantity)


def flat(value: object) -> list[float]:
    if isinstance(value, list | tuple):
        return [x for item in value for x in flat(item)]
    return [float(value)]  # type: ignore[arg-type]


@pytest.mark.parametrize(("quantity", "method"), ROWS)
def test_program_matches_float_run_bit_for_bit_at_right_angles(quantity: str, method: str) -> None:
    """A float that happens to be 0 or 1 must not send the algorithm another way."""
    for robot in ROBOTS:
        program = recorded(quantity, method, robot)
        for turns in (0.0, 1.0, -1.0, 2.0):
            lists = [[turns * math.pi / 2] * robot.n for _ in QUANTITIES[quantity].inputs]
            expected = flat(run_of(quantity, method, robot)(*lists))
            assert evaluate(program, flat(lists)) == expected, (robot.name, turns)


@pytest.mark.parametrize(("quantity", "method"), ROWS)
def test_simplified_program_is_the_same_in_all_its_forms(quantity: str, method: str) -> None:
    """Simplified twice and printed: the same bits as on floats; on arrays: the same numbers."""
    robot = ROBOTS[1]
    simple = simplify(recorded(quantity, method, robot))
    assert simplify(simple) == simple
    printed: dict[str, Any] = {}
    exec(show(simple), printed)
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(-2, 2, (2, 3, robot.n)) for _ in simple.inputs]
    on_arrays = interpret(simple, *arrays)
    for k in np.ndindex(2, 3):
        lists = [a[k].tolist() for a in arrays]
        expected = evaluate(simple, flat(lists))
        assert flat(printed[quantity](*lists)) == expected
        # NumPy's sines and cosines differ from those of `math` in the last bit
        got = np.concatenate([np.ravel(out[k]) for out in on_arrays])
        assert np.allclose(got, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
