"""The table of quantities: references lead to functions, rows are whole, reading imports none."""

import subprocess
import sys

import pytest

import armdyn
from armdyn.algorithms.quantity import resolve
from armdyn.algorithms.table import QUANTITIES
from armdyn.programs.methods import raced_methods, straight_methods
from armdyn.programs.programs import cost
from armdyn.programs.tracing import operations
from armdyn.robot.chain import chain_of
from armdyn.robot.library import bundled_names, generic

ROWS = [(quantity, method) for quantity, row in QUANTITIES.items() for method in row.methods]


@pytest.mark.parametrize(("quantity", "method"), ROWS)
def test_methods_resolve(quantity: str, method: str) -> None:
    row = QUANTITIES[quantity].methods[method]
    assert callable(row.run) and row.run is row.run
    assert isinstance(row.function, str) and resolve(row.function) is row.run
    module = row.function.partition(":")[0]
    assert row.run.__module__ == f"armdyn.algorithms.{module}"


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_the_row_of_a_quantity_is_whole(quantity: str) -> None:
    row = QUANTITIES[quantity]
    assert row.sentence.endswith(".")
    others = [d.then for d in row.derived.values()]
    others += [row.rolled and row.rolled.function, row.friction]
    others += [row.identity and row.identity.function]
    for reference in others:
        assert reference is None or callable(resolve(reference)), reference
    for derivative in row.derived.values():
        assert QUANTITIES[derivative.of].general in QUANTITIES[derivative.of].methods
    if row.rolled:
        assert row.general in row.methods
    assert row.needs_invertible_mass_matrix or not row.solves
    assert row.identity or len(row.methods) > 1  # something to compare with


def test_reading_the_table_imports_no_algorithm() -> None:
    modules = {str(QUANTITIES[q].methods[m].function).partition(":")[0] for q, m in ROWS}
    assert "lin_fang_1" in modules
    code = "import sys, armdyn.algorithms; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    unwanted = {*modules, "identities", "rolled", "rolled.matrices", "forward_dynamics_derivatives"}
    assert not {f"armdyn.algorithms.{module}" for module in unwanted} & set(loaded)


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
@pytest.mark.parametrize("name", [*bundled_names(), "generic"])
def test_methods_that_do_not_race_never_take_fewer_operations(name: str) -> None:
    chain = chain_of(generic(5) if name == "generic" else armdyn.load(name).robot)
    for quantity in QUANTITIES:
        # those that race on trees only are left out: the code of serial arms does not change
        methods = QUANTITIES[quantity].methods.items()
        on_trees = {name for name, method in methods if method.race == "trees"}
        others = set(straight_methods(quantity)) - set(raced_methods(quantity)) - on_trees
        if others:
            taken = {m: cost(operations(chain, quantity, m)) for m in straight_methods(quantity)}
            best = min(taken[m] for m in raced_methods(quantity))
            assert best <= min(taken[m] for m in others), (quantity, taken)
