"""`armdyn_papers.printed`: recursions as printed, to run on any robot, to read and to count."""

from __future__ import annotations

import doctest
from dataclasses import replace

import numpy as np
import pytest

import armdyn
import armdyn_papers
from armdyn.algorithms.structure import structure
from armdyn.algorithms.table import QUANTITIES
from armdyn.errors import InputError, MethodError, RobotError
from armdyn.robot.chain import chain_of
from armdyn.robot.library import random_joint
from armdyn_papers import recursion
from armdyn_papers.recursions import PRINTED
from armdyn_papers.tables.lin_fang_1999 import TABLE_VI, TABLE_VIII
from support.robots import oracle, random_robots, random_state, relative_error

EVERY = [(quantity, method) for quantity, methods in PRINTED.items() for method in methods]
KINDS = [
    "R",
    "P",
    "RR",
    "PP",
    "RP",
    "PR",
    "RPR",
    "PRP",
    "RRPP",
    "PPRR",
    "RPRPR",
    "PRRPRP",
    "RRR",
    "RRRRRR",
]


def robot_of(kinds: str) -> armdyn.Robot:
    rng = np.random.default_rng(len(kinds))
    return armdyn.Robot([random_joint(rng, kind == "P") for kind in kinds])


def allowed(quantity: str, method: str, robot: armdyn.Robot) -> bool:
    joints = PRINTED[quantity][method].joints
    if joints == "rotational":
        return all(joint.is_revolute for joint in robot.joints)
    found = structure(chain_of(robot))
    return joints == "any" or (found.r, found.s) == (1, 2)


@pytest.mark.parametrize(("quantity", "method"), EVERY)
def test_a_recursion_agrees_with_pinocchio_on_every_robot_it_allows(quantity, method) -> None:
    printed = armdyn_papers.printed(method, quantity)
    tolerance = 1e-9 if quantity == "forward_dynamics" else 1e-12
    seen = 0
    for robot in [*random_robots(), *map(robot_of, KINDS)]:
        links = [replace(joint, rotor_inertia=0.0) for joint in robot.joints]
        bare = replace(robot, joints=links)
        if robot.n < 2 or not allowed(quantity, method, bare):
            continue
        state = random_state(bare)
        inputs = [state[name] for name in QUANTITIES[quantity].inputs]
        assert relative_error(printed(bare, *inputs), oracle(bare, state)[quantity]) < tolerance
        seen += 1
    assert seen >= 3


@pytest.mark.parametrize("k", range(1, 6))
@pytest.mark.parametrize("type", [1, 2])
def test_formulations_have_the_counts_of_their_own_table(k: int, type: int) -> None:
    """Tables I to V alone, composite bodies on hand: the lines of Table VI."""
    (row,) = (r for r in TABLE_VI.rows if (r.label, r.type) == (f"Formulation {k}", type))
    for n in (4, 6, 9):
        arm = armdyn.generic(n, type)
        printed = armdyn_papers.printed(f"lin_fang_{k}")
        found = printed.counts(arm)
        assert (found.mul, found.add) == row.sum_of_lines(n)
        counted = armdyn.operation_counts("mass_matrix", f"lin_fang_{k}", n, type, stage="printed")
        assert found == counted
        lines = printed.lines(arm)
        assert (sum(x.M for x in lines), sum(x.A for x in lines)) == (found.mul, found.add)


@pytest.mark.parametrize("k", [1, 2])
def test_minimal_formulations_have_the_counts_of_tables_vii_and_i_or_ii(k: int) -> None:
    (row,) = (r for r in TABLE_VIII.rows if (r.label, r.type) == (f"Formulation {k}", 1))
    for n in (4, 6, 8):
        found = armdyn.operation_counts("mass_matrix", f"lin_fang_{k}_minimal", n, stage="printed")
        assert (found.mul, found.add) == row.formula(n)


def test_simplified_takes_no_more_than_printed() -> None:
    for quantity, method in EVERY:
        of = armdyn_papers.printed(method, quantity)
        for n in (3, 5):
            printed, simplified = (
                of.counts(armdyn.generic(n), stage) for stage in ("printed", "simplified")
            )
            assert simplified.multiplications <= printed.mul, (quantity, method)


def test_source_has_the_lines() -> None:
    text = armdyn_papers.printed("lin_fang_3").source()
    assert 'line("u_j x s_{j,k} in E_k"' in text and "Table III" in text
    for quantity, method in EVERY:
        printed = armdyn_papers.printed(method, quantity)
        assert "return" in printed.source() and printed.place.startswith("[")


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(MethodError, match="lin_fang_9"):
        armdyn_papers.printed("lin_fang_9")
    with pytest.raises(MethodError, match="regressor"):
        armdyn_papers.printed("newton_euler", "regressor")
    one = armdyn_papers.printed("lin_fang_1")
    with pytest.raises(InputError, match=r"2 inputs here; it takes 1: q"):
        one("planar2", [0.0, 0.0], [0.0, 0.0])
    with pytest.raises(InputError, match="`q`"):
        one("planar2", [0.0, np.nan])
    with pytest.raises(InputError, match="`q`"):
        one("planar2", [0.0])
    with pytest.raises(InputError, match="`robot` is 7"):
        one(7, [0.0])  # type: ignore[arg-type]
    with pytest.raises(MethodError, match="improved"):
        one.counts("planar2", "improved")
    with pytest.raises(RobotError, match="joint 2 slides"):
        armdyn_papers.printed("renaud")(robot_of("RP"), [0.0, 0.0])
    with pytest.raises(RobotError, match="s = 3"):
        armdyn_papers.printed("lin_fang_1_minimal")("planar2", [0.0, 0.0])
    with pytest.raises(AttributeError, match="nothing"):
        _ = armdyn_papers.nothing  # type: ignore[attr-defined]


def test_examples_in_docstrings_run() -> None:
    names = {"armdyn": armdyn, "armdyn_papers": armdyn_papers}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    with np.printoptions(precision=4):
        for test in doctest.DocTestFinder().find(recursion, globs=names):
            runner.run(test)
    assert runner.tries >= 6 and not runner.failures
