"""Every method on a base in motion: floats and programs agree with Pinocchio's free-flyer."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn.algorithms.base_motion import on_base as moved
from armdyn.algorithms.table import QUANTITIES
from armdyn.graph.interpret import evaluate
from armdyn.programs.key import ProgramKey
from armdyn.programs.methods import straight_methods
from armdyn.programs.programs import program
from armdyn.robot.chain import BASES, FIXED, MOVING, TRANSLATING, chain_of
from support.moving_base import base_motion, on_base
from support.robots import random_robots, random_state, relative_error

ROBOTS = random_robots()
ROWS = [
    (quantity, method, base)
    for quantity in QUANTITIES
    for base in (TRANSLATING, MOVING)
    for method in straight_methods(quantity, base)
]


def test_the_rows_are_those_of_the_papers() -> None:
    both = {"gibbs_appell", "newton_euler", "second_moment"}
    assert {m for q, m, b in ROWS if (q, b) == ("inverse_dynamics", MOVING)} == both | {
        "gibbs_appell_sums"
    }
    assert {m for q, m, b in ROWS if (q, b) == ("bias", MOVING)} == both
    assert {m for q, m, b in ROWS if (q, b) == ("bias", TRANSLATING)} == both | {"lin_1991"}
    forward = {m for q, m, b in ROWS if (q, b) == ("forward_dynamics", MOVING)}
    assert forward == set(QUANTITIES["forward_dynamics"].methods)
    assert [quantity for quantity, row in QUANTITIES.items() if row.base != FIXED] == [
        "inverse_dynamics", "bias", "forward_dynamics",
    ]  # fmt: skip


def motion_inputs(base: str, seed: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """The inputs of a kind of motion, and all six accelerations and velocities."""
    acceleration, velocity = base_motion(seed)
    if base == TRANSLATING:
        acceleration[3:] = velocity[:] = 0.0
    given = {"base_acceleration": acceleration, "base_velocity": velocity}
    return [given[name][:size] for name, size in BASES[base].items()], acceleration, velocity


@pytest.mark.parametrize(("quantity", "method", "base"), ROWS)
def test_methods_match_a_free_flyer(quantity: str, method: str, base: str) -> None:
    """The float run of every robot, and the traced program of some, with the last frame moved."""
    row = QUANTITIES[quantity]
    for k, robot in enumerate(ROBOTS):
        state, chain = random_state(robot), chain_of(robot)
        motion, acceleration, velocity = motion_inputs(base, k)
        expected = on_base(robot, state, acceleration, velocity)[quantity]
        lists = [state[name].tolist() for name in row.inputs]
        own = [x.tolist() for x in motion]
        got = row.methods[method].run(moved(chain, *own), *lists)
        assert relative_error(got, expected) < 1e-12, robot.name
        if k % 5 == 0:
            code = program(ProgramKey(chain, quantity, method, friction=False, base=base))
            given = [x for values in (*lists, *own) for x in values]
            assert relative_error(evaluate(code, given), expected) < 1e-12, robot.name


def test_the_oracle_feels_every_number() -> None:
    """A number that a method forgot would show."""
    robot = ROBOTS[3]
    state = random_state(robot)
    acceleration, velocity = base_motion(0)
    there = on_base(robot, state, acceleration, velocity)["bias"]
    for k in range(6):
        step = np.eye(6)[k]
        assert (
            np.abs(on_base(robot, state, acceleration + step, velocity)["bias"] - there).max()
            > 1e-3
        )
        assert (
            np.abs(on_base(robot, state, acceleration, velocity + step)["bias"] - there).max()
            > 1e-3
        )
