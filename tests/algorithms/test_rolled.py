"""Rolled programs of arms: equal to straight-line methods and Pinocchio, and what they cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armdyn import Robot, generic
from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.pinocchio import pinocchio_model
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled, count_rolled, verify_rolled
from armdyn.kernel.kernel import compile_program
from armdyn.programs.key import ProgramKey
from armdyn.programs.tracing import algorithm, rolled_program
from armdyn.robot.chain import chain_of
from armdyn.robot.library import random_joint
from armdyn.scalar import Op, symbol
from support.long_arms import ROLLED, asked, pinocchio, with_drives
from support.robots import FAMILIES, random_robot, random_state, relative_error
from support.rolled import evaluate_rolled

# the method whose lines the sweeps follow most closely
LIKE = {
    "mass_matrix": "second_moment", "inverse_dynamics": "second_moment", "bias": "second_moment",
    "gravity": "second_moment", "forward_dynamics": "articulated_body",
    "inverse_mass_matrix": "denoc",
}  # fmt: skip
VECTORS = ("inverse_dynamics", "bias", "gravity", "forward_dynamics")


def rolled(robot: Robot, quantity: str, friction: bool = False) -> Rolled:
    program = rolled_program(chain_of(robot), quantity, friction=friction)
    assert program is not None
    return program


def evaluated(robot: Robot, quantity: str, state: dict[str, np.ndarray], friction: bool = False):
    program = rolled(robot, quantity, friction)
    return evaluate_rolled(program, *(state[name] for name in QUANTITIES[quantity].inputs))[0]


def slides(n: int) -> Robot:
    rng = np.random.default_rng(n)
    return Robot([random_joint(rng, prismatic=True) for _ in range(n)], name=f"slides{n}")


def robots(n: int) -> list[Robot]:
    """Generic arms of both types, and arms of all families with base, gravity and rotors."""
    made = [generic(n), generic(n, type=2), with_drives(generic(n), 3)]
    return [*made, *(random_robot(family, n, 8) for family in FAMILIES)]


@pytest.mark.parametrize("quantity", ROLLED)
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_sweeps_give_what_straight_line_methods_give(quantity: str, n: int) -> None:
    for robot in [*robots(n), *([slides(n)] if n <= 3 else [])]:
        state = random_state(robot, seed=1)
        run = QUANTITIES[quantity].methods[LIKE[quantity]].run
        expected = run(
            chain_of(robot), *(state[name].tolist() for name in QUANTITIES[quantity].inputs)
        )
        got = evaluated(robot, quantity, state)
        assert relative_error(got, expected) < 1e-12, robot.name


@pytest.mark.parametrize("quantity", ROLLED)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 30])
def test_sweeps_give_what_pinocchio_gives(quantity: str, n: int) -> None:
    for robot in robots(n)[:: 1 if n < 30 else 3]:
        state = random_state(robot, seed=2)
        got = evaluated(robot, quantity, state)
        assert relative_error(got, pinocchio(robot, quantity, state)) < 1e-12, robot.name


@pytest.mark.parametrize("quantity", VECTORS)
def test_vectors_of_100_joints_are_pinocchios(quantity: str) -> None:
    for robot in (generic(100, seed=1), with_drives(random_robot("mixed", 100, 4), 5)):
        state = random_state(robot, seed=3)
        got = evaluated(robot, quantity, state)
        assert relative_error(got, pinocchio(robot, quantity, state)) < 1e-12, robot.name


@pytest.mark.slow
def test_vectors_of_200_joints_are_pinocchios() -> None:
    robot = with_drives(generic(200, seed=1), 2)
    model, state = pinocchio_model(robot), random_state(robot, seed=3)
    data = model.createData()  # takes by far the most of the time, more than in proportion
    for quantity in VECTORS:
        expected = asked(model, data, quantity, state)
        assert relative_error(evaluated(robot, quantity, state), expected) < 1e-12, quantity


def test_entries_of_the_mass_matrix_are_exact_beside_their_own_diagonal() -> None:
    """Those of the last joints too, of an arm stretched out: their scale is theirs alone."""
    n = 100
    joints = [replace(joint, beta=0.01, b=0.5) for joint in generic(n, seed=2).joints]
    robot, state = Robot(joints), {"q": np.full(n, 1e-3)}
    got, expected = evaluated(robot, "mass_matrix", state), pinocchio(robot, "mass_matrix", state)
    size = np.sqrt(np.diag(expected))
    assert size.max() / size.min() > 1000
    assert np.abs((got - expected) / np.outer(size, size)).max() < 8e-15
    assert np.array_equal(got, got.T)


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics"])
def test_friction_is_part_of_the_torque_where_it_is_asked_for(quantity: str) -> None:
    for robot in (with_drives(generic(5), 1), with_drives(random_robot("mixed", 6, 2), 2)):
        chain, state = chain_of(robot), random_state(robot)
        state["qd"][2] = 0.0  # a joint at rest has no Coulomb friction
        lists = [state[name].tolist() for name in QUANTITIES[quantity].inputs]
        for friction in (True, False):
            run = algorithm(ProgramKey(chain, quantity, LIKE[quantity], friction=friction))
            got = evaluated(robot, quantity, state, friction)
            assert relative_error(got, run(*lists)) < 1e-12, (robot.name, friction)


def test_states_of_a_batch_are_evaluated_alike() -> None:
    robot = random_robot("mixed", 5, 1)
    states = [random_state(robot, seed) for seed in range(3)]
    for quantity in ROLLED:
        batch = {name: np.array([state[name] for state in states]) for name in states[0]}
        one_by_one = [evaluated(robot, quantity, state) for state in states]
        assert relative_error(evaluated(robot, quantity, batch), one_by_one) < 1e-14


@pytest.mark.parametrize("quantity", ROLLED)
def test_machine_code_gives_what_the_interpreter_gives(quantity: str) -> None:
    for robot in (generic(7), with_drives(random_robot("mixed", 11, 3), 4)):
        program = rolled(robot, quantity, friction=True)
        rng = np.random.default_rng(0)
        states = [rng.uniform(-2, 2, (19, robot.n)) for _ in program.inputs]
        got, expected = compile_program(program)(*states), evaluate_rolled(program, *states)[0]
        assert relative_error(got, expected) < 1e-12, robot.name


# Of a revolute joint with nothing special, everything counted that the loops do.
COSTS = {
    "inverse_dynamics": Operations(mul=75, add=77, trig=2),
    "bias": Operations(mul=75, add=76, trig=2),
    "gravity": Operations(mul=20, add=12, trig=2),
    "forward_dynamics": Operations(mul=185, add=231, div=1, trig=2),
    "mass_matrix": Operations(mul=83, add=85, trig=2),
    "inverse_mass_matrix": Operations(mul=130, add=154, div=1, trig=2),
}
# Of an entry of a matrix, where the sweeps have column steps.
ENTRIES = {
    "mass_matrix": [Operations(mul=6, add=5)],
    "inverse_mass_matrix": [Operations(mul=13, add=12), Operations(mul=12, add=12)],
}


@pytest.mark.parametrize("quantity", ROLLED)
def test_what_a_joint_costs(quantity: str) -> None:
    program = rolled(generic(20), quantity)
    steps = [count(sweep.step) for sweep in program.sweeps]
    assert total(steps) == COSTS[quantity]
    entries = [count(sweep.columns) for sweep in program.sweeps if sweep.columns]
    assert entries == ENTRIES.get(quantity, [])


@pytest.mark.parametrize("quantity", VECTORS)
def test_one_joint_more_costs_one_step_more(quantity: str) -> None:
    shorter, longer = (count_rolled(rolled(generic(n), quantity)) for n in (20, 21))
    assert total([shorter, COSTS[quantity]]) == longer


def total(parts: list[Operations]) -> Operations:
    names = ("mul", "add", "div", "sqrt", "trig")
    return Operations(**{name: sum(getattr(part, name) for part in parts) for name in names})


@pytest.mark.parametrize("quantity", ROLLED)
def test_what_depends_on_constants_alone_is_in_the_table(quantity: str) -> None:
    program = rolled(with_drives(random_robot("mixed", 9, 1), 1), quantity, friction=True)
    for sweep in program.sweeps:
        for step in filter(None, (sweep.step, sweep.columns)):
            assert not offline(step), quantity


def offline(step: Program) -> list[int]:
    """Operations that depend on nothing but constants."""
    places = [slot.name for slot in step.inputs for _ in range(slot.size)]
    known: list[bool] = []
    for x in step.code:
        if x.op is Op.INPUT:
            known.append(places[int(x.value)].startswith("constant:"))
        else:
            known.append(all(known[arg] for arg in x.args))
    return [k for k, x in enumerate(step.code) if known[k] and x.args]


@pytest.mark.parametrize("quantity", ROLLED)
def test_what_is_special_at_all_joints_costs_nothing(quantity: str) -> None:
    """Twists of a right angle, no offsets."""
    n = 12
    joints = [replace(joint, beta=np.pi / 2, d=0.0) for joint in generic(n).joints]
    square = Robot(joints, gravity=generic(n).gravity)
    steps = total([count(sweep.step) for sweep in rolled(square, quantity).sweeps])
    assert steps.multiplications < 0.85 * COSTS[quantity].multiplications
    state = random_state(square)
    assert (
        relative_error(evaluated(square, quantity, state), pinocchio(square, quantity, state))
        < 1e-12
    )


def test_programs_are_as_long_for_any_arm() -> None:
    for quantity in ROLLED:
        lengths = {
            tuple(
                len(sweep.step.code) for sweep in verify_rolled(rolled(generic(n), quantity)).sweeps
            )
            for n in (10, 40)
        }
        assert len(lengths) == 1, quantity


def test_there_is_no_rolled_form_of_other_kinds_or_of_symbolic_arms() -> None:
    chain = chain_of(generic(3))
    assert rolled_program(chain, "coriolis_matrix", friction=False) is None
    link = replace(chain.links[0], m=symbol("m"))
    unknown = replace(chain, links=(link, *chain.links[1:]))
    assert rolled_program(unknown, "bias", friction=False) is None
