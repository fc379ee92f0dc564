"""Every method of the table: floats, recorded program, simplified program and Pinocchio agree."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from armdyn.algorithms.table import QUANTITIES
from armdyn.graph.interpret import evaluate
from armdyn.graph.program import Slot, verify
from armdyn.graph.simplify import simplify
from armdyn.graph.trace import record
from armdyn.robot.chain import chain_of
from support.robots import (
    frame_oracle,
    oracle,
    random_robots,
    random_state,
    relative_error,
    tilted_robots,
)

ROWS = [(quantity, method) for quantity, k in QUANTITIES.items() for method in k.methods]
ROBOTS = [*random_robots(), *tilted_robots()]

# Rounding grows with the number of operations and, where M is inverted, with its condition number.
# Of derivatives that are zero Pinocchio leaves some rounding, which is compared with 1e-3.
TOLERANCE = {
    "forward_dynamics": 1e-9, "inverse_mass_matrix": 1e-9,
    "inverse_dynamics_derivatives": 1e-11, "forward_dynamics_derivatives": 1e-9,
}  # fmt: skip


def flat(value: object) -> list[float]:
    if isinstance(value, list | tuple):
        return [x for item in value for x in flat(item)]
    return [float(value)]  # type: ignore[arg-type]


def runs(quantity: str, method: str, n: int) -> list[Callable[..., Any]]:
    """The algorithm; if it answers for one frame of an arm, once for each."""
    run = QUANTITIES[quantity].methods[method].run
    return (
        [partial(run, frame=k) for k in range(n + 2)] if QUANTITIES[quantity].takes_frame else [run]
    )


@pytest.mark.parametrize(("quantity", "method"), ROWS)
def test_float_run_matches_pinocchio(quantity: str, method: str) -> None:
    tolerance = TOLERANCE.get(quantity, 1e-12)
    for robot in ROBOTS:
        state, chain = random_state(robot), chain_of(robot)
        lists = [state[k].tolist() for k in QUANTITIES[quantity].inputs]
        results = [run(chain, *lists) for run in runs(quantity, method, robot.n)]
        got, answers = results[0], oracle(robot, state)
        if QUANTITIES[quantity].takes_frame:
            for k, expected in enumerate(frame_oracle(robot, state["q"])[quantity]):
                assert relative_error(results[k], expected) < tolerance, (robot.name, k)
        elif quantity == "udu":
            U, D = (np.array(x) for x in got)
            assert np.array_equal(U, np.triu(U)), robot.name
            assert np.array_equal(np.diag(U), np.ones(robot.n)), robot.name
            assert relative_error(U @ np.diag(D) @ U.T, answers["mass_matrix"]) < 1e-12, robot.name
        elif quantity == "friction":
            joints, qd = robot.joints, state["qd"]
            expected = [
                j.viscous * v + j.coulomb * np.sign(v) + j.offset
                for j, v in zip(joints, qd, strict=True)
            ]
            assert relative_error(got, expected) < tolerance
        elif isinstance(got, tuple):
            for part, expected in zip(got, answers[quantity], strict=True):
                assert relative_error(part, expected) < tolerance, robot.name
        else:
            assert relative_error(got, answers[quantity]) < tolerance, robot.name


@pytest.mark.parametrize(("quantity", "method"), ROWS)
def test_program_matches_float_run(quantity: str, method: str) -> None:
    """The recorded program bit for bit; the simplified one to rounding, at a second state."""
    entry = QUANTITIES[quantity]
    for robot, run in ((r, run) for r in ROBOTS[::2] for run in runs(quantity, method, r.n)):
        chain = chain_of(robot)
        inputs = [Slot(name, (robot.n,)) for name in entry.inputs]
        outputs = [Slot(name, shape) for name, shape in entry.shapes(robot.n).items()]
        raw = verify(record(lambda *a, run=run, c=chain: run(c, *a), inputs, outputs))
        simple = verify(simplify(raw))
        state = random_state(robot, seed=5)
        lists = [state[name].tolist() for name in entry.inputs]
        expected = flat(run(chain, *lists))
        given = [x for values in lists for x in values]
        assert evaluate(raw, given) == expected, robot.name
        tolerance = TOLERANCE.get(quantity, 1e-12)
        assert relative_error(evaluate(simple, given), expected) < tolerance, robot.name
