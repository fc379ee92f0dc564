"""The last frame of an arm is free: choosing it changes counts, not answers."""

from __future__ import annotations

import pytest

from armdyn import generic
from armdyn.algorithms import KINDS
from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.graph import Slot, count, trace
from armdyn.robot import Chain, chain_of
from support.robots import oracle, random_robots, random_state, relative_error

FREE = [kind for kind, entry in KINDS.items() if not entry.about_frames]


@pytest.mark.parametrize("kind", ["mass_matrix", "inverse_dynamics", "gravity", "potential_energy"])
def test_answers_stay(kind: str) -> None:
    for robot in random_robots(seed=2, sizes=(1, 2, 5)):
        chain, state = with_last_frame_chosen(chain_of(robot)), random_state(robot)
        inputs = [state[name].tolist() for name in KINDS[kind].inputs]
        for name, method in KINDS[kind].methods.items():
            got, expected = method.run(chain, *inputs), oracle(robot, state)[kind]
            assert relative_error(got, expected) < 1e-12, (robot.name, name)


def cost(chain: Chain, kind: str, method: str) -> tuple[int, int]:
    entry = KINDS[kind]
    outputs = [Slot(name, shape) for name, shape in entry.shapes(chain.n).items()]
    inputs = [Slot(name, (chain.n,)) for name in entry.inputs]
    done = count(trace(lambda *a: entry.methods[method].run(chain, *a), inputs, outputs))
    return done.multiplications, done.additions


@pytest.mark.parametrize("type", [1, 2])
@pytest.mark.parametrize("kind", ["mass_matrix", "inverse_dynamics", "bias", "forward_dynamics"])
def test_no_method_costs_more(kind: str, type: int) -> None:
    chain = chain_of(generic(5, type=type))
    for method in KINDS[kind].methods:
        M, A = cost(chain, kind, method)
        m, a = cost(with_last_frame_chosen(chain), kind, method)
        assert m < M and a <= A, method


def test_tip_stays() -> None:
    for robot in random_robots(seed=8, sizes=(1, 3)):
        q = random_state(robot)["q"].tolist()
        chain, run = chain_of(robot), KINDS["pose"].methods["product"].run
        got = run(with_last_frame_chosen(chain), q, frame=robot.n + 1)
        assert relative_error(got, run(chain, q, frame=robot.n + 1)) < 1e-13, robot.name


def test_choice_is_final() -> None:
    for robot in random_robots(sizes=(3,)):
        chosen = with_last_frame_chosen(chain_of(robot))
        assert with_last_frame_chosen(chosen) == chosen


def test_quantities_of_frames_are_marked() -> None:
    assert set(KINDS) - set(FREE) == {"pose", "jacobian", "jacobian_derivative", "regressor"}
