"""The last frame of an arm is free: choosing it changes counts, not answers."""

from __future__ import annotations

import pytest

from armdyn import generic
from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.algorithms.table import QUANTITIES
from armdyn.graph.count import count
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import Chain, chain_of
from support.robots import oracle, random_robots, random_state, relative_error

FREE = [quantity for quantity, entry in QUANTITIES.items() if not entry.frame_dependent]


@pytest.mark.parametrize(
    "quantity", ["mass_matrix", "inverse_dynamics", "gravity", "potential_energy"]
)
def test_answers_stay(quantity: str) -> None:
    for robot in random_robots(seed=2, sizes=(1, 2, 5)):
        chain, state = with_last_frame_chosen(chain_of(robot)), random_state(robot)
        inputs = [state[name].tolist() for name in QUANTITIES[quantity].inputs]
        for name, method in QUANTITIES[quantity].methods.items():
            got, expected = method.run(chain, *inputs), oracle(robot, state)[quantity]
            assert relative_error(got, expected) < 1e-12, (robot.name, name)


def cost(chain: Chain, quantity: str, method: str) -> tuple[int, int]:
    entry = QUANTITIES[quantity]
    outputs = [Slot(name, shape) for name, shape in entry.shapes(chain.n).items()]
    inputs = [Slot(name, (chain.n,)) for name in entry.inputs]
    done = count(trace(lambda *a: entry.methods[method].run(chain, *a), inputs, outputs))
    return done.multiplications, done.additions


@pytest.mark.parametrize("type", [1, 2])
@pytest.mark.parametrize(
    "quantity", ["mass_matrix", "inverse_dynamics", "bias", "forward_dynamics"]
)
def test_no_method_costs_more(quantity: str, type: int) -> None:
    chain = chain_of(generic(5, type=type))
    for method in QUANTITIES[quantity].methods:
        M, A = cost(chain, quantity, method)
        m, a = cost(with_last_frame_chosen(chain), quantity, method)
        assert m < M and a <= A, method


def test_tip_stays() -> None:
    for robot in random_robots(seed=8, sizes=(1, 3)):
        q = random_state(robot)["q"].tolist()
        chain, run = chain_of(robot), QUANTITIES["pose"].methods["product"].run
        got = run(with_last_frame_chosen(chain), q, frame=robot.n + 1)
        assert relative_error(got, run(chain, q, frame=robot.n + 1)) < 1e-13, robot.name


def test_choice_is_final() -> None:
    for robot in random_robots(sizes=(3,)):
        chosen = with_last_frame_chosen(chain_of(robot))
        assert with_last_frame_chosen(chosen) == chosen


def test_quantities_of_frames_are_marked() -> None:
    assert set(QUANTITIES) - set(FREE) == {"pose", "jacobian", "jacobian_derivative", "regressor"}
