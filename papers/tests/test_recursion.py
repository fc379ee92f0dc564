"""`armdyn_papers.printed`: recursions as printed, to run on any robot, to read and to count."""

from __future__ import annotations

import doctest
from dataclasses import replace

import numpy as np
import pytest

import armdyn
import armdyn_papers
from armdyn.algorithms.table import QUANTITIES
from armdyn.errors import InputError, MethodError, NumericalError, RobotError
from armdyn.graph.interpret import interpret
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
    any_joints = PRINTED[quantity][method].joints == "any"
    return any_joints or all(joint.is_revolute for joint in robot.joints)


def robots(quantity: str, method: str) -> list[armdyn.Robot]:
    """Return the robots that a recursion allows, without rotors."""
    ladder = [*random_robots(), *map(robot_of, KINDS)]
    bare = [
        replace(robot, joints=[replace(joint, rotor_inertia=0.0) for joint in robot.joints])
        for robot in ladder
    ]
    return [robot for robot in bare if allowed(quantity, method, robot)]


def inputs_of(quantity: str, robot: armdyn.Robot) -> list[np.ndarray]:
    state = random_state(robot)
    return [state[name] for name in QUANTITIES[quantity].inputs]


@pytest.mark.parametrize(("quantity", "method"), EVERY)
def test_a_recursion_agrees_with_pinocchio_on_every_robot_it_allows(quantity, method) -> None:
    printed = armdyn_papers.printed(method, quantity)
    tolerance = 1e-9 if quantity == "forward_dynamics" else 1e-12
    found = robots(quantity, method)
    for robot in found:
        got = printed(robot, *inputs_of(quantity, robot))
        wanted = oracle(robot, random_state(robot))[quantity]
        assert relative_error(got, wanted) < tolerance, robot.name
    slides = sum(not joint.is_revolute for robot in found for joint in robot.joints)
    assert len(found) >= 8 and (slides > 30) == (PRINTED[quantity][method].joints == "any")


@pytest.mark.parametrize(("quantity", "method"), EVERY)
def test_graph_and_kernel_of_a_recursion_agree_with_the_method(quantity, method) -> None:
    printed = armdyn_papers.printed(method, quantity)
    tolerance = 1e-9 if quantity == "forward_dynamics" else 1e-12
    for robot in robots(quantity, method)[::4]:
        inputs = inputs_of(quantity, robot)
        function = printed.function(robot)
        wanted = (
            QUANTITIES[quantity].methods[method].run(chain_of(robot), *(x.tolist() for x in inputs))
        )
        graph = interpret(function.program, *inputs)
        assert relative_error(graph[0], wanted) < tolerance, robot.name
        assert function.kernel is not None
        batch = function(*(np.array([x, 2.0 * x]) for x in inputs))
        assert relative_error(batch[0], wanted) < tolerance, robot.name
        assert relative_error(function(*inputs), wanted) < tolerance, robot.name


MISPRINTS = [
    (quantity, method, place)
    for quantity, method in EVERY
    for place in PRINTED[quantity][method].misprints
]


@pytest.mark.parametrize(("quantity", "method", "place"), MISPRINTS)
def test_a_misprint_is_wrong_on_some_robots_and_its_correction_on_none(
    quantity, method, place
) -> None:
    wrong = armdyn_papers.printed(method, quantity, misprints=place)
    right = armdyn_papers.printed(method, quantity)
    (erratum,) = (e for e in right.errata if e.place == place)
    assert erratum.verdict == "holds with a correction"
    errors: list[float] = []
    for robot in robots(quantity, method):
        inputs = inputs_of(quantity, robot)
        try:
            errors.append(relative_error(wrong(robot, *inputs), right(robot, *inputs)))
        except NumericalError as error:  # a wrong inertia matrix may have no Cholesky factors
            assert "by its misprints" in str(error)
    assert max(errors) > 1e-3
    every = armdyn_papers.printed(method, quantity, misprints=True)
    assert place in every.misprints and set(every.misprints) == {e.place for e in right.errata}


def test_misprints_of_slides_do_no_harm_where_nothing_slides() -> None:
    robot = next(r for r in robots("mass_matrix", "renaud") if r.name.startswith("rotational-6"))
    q = inputs_of("mass_matrix", robot)[0]
    for method, place in (
        ("lin_fang_3", "Table III, rotational j, translational i"),
        ("lin_fang_5", "Table V, t_{i-1,i}"),
        ("lin_fang_5", "Table V, D_ij"),
        ("lin_fang_1_minimal", "Table VII, Y_33"),
    ):
        wrong = armdyn_papers.printed(method, misprints=place)
        assert np.array_equal(wrong(robot, q), armdyn_papers.printed(method)(robot, q)), place


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
        armdyn_papers.printed("gibbs_appell")(robot_of("RP"), [0.0, 0.0])
    with pytest.raises(InputError, match=r"no misprint at '\(99\)'.*Table III"):
        armdyn_papers.printed("lin_fang_3", misprints="(99)")
    with pytest.raises(InputError, match="none that can be run"):
        armdyn_papers.printed("renaud", misprints="(A1)")
    with pytest.raises(AttributeError, match="nothing"):
        _ = armdyn_papers.nothing  # type: ignore[attr-defined]


def test_examples_in_docstrings_run() -> None:
    names = {"armdyn": armdyn, "armdyn_papers": armdyn_papers}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    with np.printoptions(precision=4):
        for test in doctest.DocTestFinder().find(recursion, globs=names):
            runner.run(test)
    assert runner.tries >= 6 and not runner.failures
