"""JavaScript modules, run by Node, give the numbers that Python gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.export.libraries import javascript_module
from armdyn.graph.interpret import interpret
from support.choices import choosing_arrays, choosing_program, points
from support.node import evaluated, needs_node, run_node
from support.robots import random_robot

pytestmark = needs_node
STATES = 1000
REAL = ["puma560", "ur5", "panda"]
RNG = np.random.default_rng(15)


def answer(f: armdyn.Function, states: list[np.ndarray]) -> np.ndarray:
    """The same program in Python, which needs no time to compile; all numbers of a state a row."""
    return np.hstack([x.reshape(len(states[0]), -1) for x in interpret(f.program, *states)])


def worst(got: np.ndarray, expected: np.ndarray) -> float:
    """The largest error of a state, relative to its largest number."""
    size = np.abs(expected).max(axis=1)
    return float((np.abs(got - expected).max(axis=1) / np.where(size > 0, size, 1.0)).max())


def states_of(f: armdyn.Function, count: int) -> list[np.ndarray]:
    return [RNG.uniform(-2.0, 2.0, (count, slot.size)) for slot in f.program.inputs]


@pytest.mark.parametrize("name", REAL)
def test_every_quantity_has_the_same_values(name: str, tmp_path: Path) -> None:
    arm = armdyn.load(name)
    functions = {quantity: arm.function(quantity) for quantity in arm.quantities}
    functions["smooth"] = arm.function("inverse_dynamics", friction=False)
    functions["elbow"] = arm.function("jacobian", frame=3)
    states = {key: states_of(f, STATES) for key, f in functions.items()}
    calls = {key: (f.source("javascript"), f.quantity, states[key]) for key, f in functions.items()}
    found = evaluated(tmp_path, calls)
    errors = {key: worst(found[key], answer(f, states[key])) for key, f in functions.items()}
    assert {key: error for key, error in errors.items() if not error < 1e-12} == {}


def test_parameters_at_run_time_and_minimal_parameters(tmp_path: Path) -> None:
    arm = armdyn.Arm(random_robot("mixed", 4, 3))
    wanted = ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives", "regressor"]
    functions = {quantity: arm.function(quantity) for quantity in wanted}
    states = {key: states_of(f, 20) for key, f in functions.items()}
    links = np.tile(arm.parameters, (20, 1))
    calls = {
        key: (f.source("javascript", parameters=True), key, [*states[key], links])
        for key, f in functions.items()
    }
    minimal = arm.minimal.function("mass_matrix")
    q = states_of(minimal, 20)
    calls["minimal"] = (minimal.source("javascript"), "mass_matrix", q)
    found = evaluated(tmp_path, calls)
    for key, f in functions.items():
        assert worst(found[key], answer(f, states[key])) < 1e-11
    assert worst(found["minimal"], answer(minimal, q)) < 1e-12


def test_shapes_friction_at_rest_and_wrong_sizes(tmp_path: Path) -> None:
    arm = armdyn.load("puma560")
    names = ("mass_matrix", "udu", "potential_energy", "friction")
    text = javascript_module([(name, arm.function(name)._straight) for name in names])
    (tmp_path / "arm.mjs").write_text(text, "utf-8")
    said = run_node(
        tmp_path,
        """\
import * as arm from "./arm.mjs";
const q = new Float32Array(6), [U, D] = arm.udu(q);
console.log(Object.keys(arm).join(), arm.mass_matrix(q).length, arm.mass_matrix(q)[5].length,
  U.length, D.length, typeof arm.potential_energy([0, 0, 0, 0, 0, 0]),
  JSON.stringify(arm.friction(q)));
try { arm.mass_matrix([0, 0]); } catch (error) { console.log(`${error}`); }
""",
    )
    kinds, refusal = said.splitlines()
    at_rest = str(arm.friction(np.zeros(6)).tolist()).replace(" ", "").replace("0.0", "0")
    assert kinds == f"friction,mass_matrix,potential_energy,udu 6 6 6 6 number {at_rest}"
    assert refusal == "RangeError: q has 2 numbers, expected 6"


def test_programs_choose_as_in_python(tmp_path: Path) -> None:
    x = points(500)
    source = javascript_module([("choosing", choosing_program())])
    found = evaluated(tmp_path, {"choices": (source, "choosing", [x])})["choices"]
    assert worst(found, choosing_arrays(x)) < 1e-14
