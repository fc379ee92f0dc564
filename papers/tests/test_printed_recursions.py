"""The recursions as printed: right numbers, and the papers' counts line by line."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn.algorithms.composite import composites
from armdyn.algorithms.frame import frames
from armdyn.algorithms.lin_fang_5 import composites_before
from armdyn.algorithms.table import QUANTITIES
from armdyn.errors import InputError
from armdyn.graph.interpret import interpret
from armdyn.robot.chain import chain_of
from armdyn.robot.library import generic
from armdyn.scalar import cos, symbol
from armdyn_papers.as_printed.lines import CountedLines, Lines
from armdyn_papers.as_printed.table_vii import composites as table_vii
from armdyn_papers.as_printed.tables_i_to_v import table_i, table_ii, table_iii, table_iv, table_v
from armdyn_papers.recursions import PRINTED, run_of, simplified_program
from armdyn_papers.stages import printed_lines, staged
from armdyn_papers.tables.measured import TABLES
from armdyn_papers.tables.printed import Measure, PrintedRow

EVERY = [
    (quantity, name, type)
    for quantity, methods in PRINTED.items()
    for name, printed in methods.items()
    for type in printed.types
]
ROWS = [
    (table.reference, row)
    for table in TABLES
    for row in table.rows
    if isinstance(row.measure, Measure)
]


def state(quantity: str, n: int, seed: int = 0) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2.0, 2.0, n).tolist() for _ in QUANTITIES[quantity].inputs]


@pytest.mark.parametrize(("quantity", "method", "type"), EVERY)
def test_a_printed_recursion_computes_the_quantity(quantity: str, method: str, type: int) -> None:
    for n in range(type + 1, 7):
        chain, inputs = chain_of(generic(n, type, seed=n)), state(quantity, n)
        row = QUANTITIES[quantity]
        # an independent method: Newton-Euler for torques, articulated bodies for accelerations
        others = {"mass_matrix": "denoc", "forward_dynamics": "articulated_body"}
        wanted = np.array(row.methods[others.get(quantity, "newton_euler")].run(chain, *inputs))
        found = np.array(PRINTED[quantity][method].run(chain, *inputs, Lines()))
        assert np.abs(found - wanted).max() < 1e-11 * np.abs(wanted).max(), n


def test_printed_methods_are_methods_of_armdyn() -> None:
    assert all(
        methods.keys() <= QUANTITIES[name].methods.keys() for name, methods in PRINTED.items()
    )


@pytest.mark.parametrize("type", [1, 2])
def test_tables_on_moments_that_are_on_hand_compute_the_matrix(type: int) -> None:
    for n in (type + 1, 6):
        chain = chain_of(generic(n, type))
        (q,) = state("mass_matrix", n)
        F, wanted = frames(chain, q), QUANTITIES["mass_matrix"].methods["denoc"].run(chain, q)
        bodies = composites(chain, F)
        for table in (table_i, table_ii, table_iii, table_iv):
            assert np.allclose(table(F, bodies, Lines()), wanted, rtol=1e-12, atol=1e-13)
        found = table_v(F, composites_before(F, bodies), Lines())
        assert np.allclose(found, wanted, rtol=1e-12, atol=1e-13)
        for exact, body in zip(bodies[2:], table_vii(chain, q, Lines())[2:], strict=True):
            assert np.allclose(body.c[:2], exact.c[:2])


@pytest.mark.parametrize(("quantity", "method", "type"), EVERY)
def test_the_simplified_program_computes_the_same(quantity: str, method: str, type: int) -> None:
    chain, inputs = chain_of(generic(4, type)), state(quantity, 4)
    run, sizes = run_of(quantity, method, chain, type)
    (found,) = interpret(simplified_program(run, sizes), *(np.array(x) for x in inputs))
    wanted = np.array(run(*inputs, Lines())).ravel()
    assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()


# Where a run differs from the printed formula: (M, A) more than printed, as functions of n.
DIFFERENT = {
    ("[LinFang1999] Table VI", "Formulation 4", 1): lambda n: (4, 0),
    ("[LinFang1999] Table VI", "Formulation 4", 2): lambda n: (4, 0),
    ("[LinFang1999] Table VI", "Formulation 2", 2): lambda n: (-3, -3),
    ("[LinFang1999] Table VIII", "Formulation 2", 2): lambda n: (-3, -3),
    ("[Lin1991] Table I", "Present", 1): lambda n: (0, 2 - n),
    ("[Lin1991] Table II", "Present", 1): lambda n: (n - 4, 0),
    ("[Lin1991] text after (67)", "Present", 1): lambda n: (n - 4, 2 - n),
    ("[Mata2002] Table 1", "This work, Gibbs-Appell", 1): lambda n: (2, 5),
    ("[Mata2002] Table 3", "Bias vector calculation", 1): lambda n: (-5, -3),
    ("[Mata2002] Table 3", "Cholesky decomposition", 1): lambda n: (0, -n * (n + 1) // 2),
    ("[Mata2002] Table 3", "Linear system solving", 1): lambda n: (n, 0),
    ("[Mata2002] Table 3", "Total", 1): lambda n: (n - 5, n - 3 - n * (n + 1) // 2),
    ("[Mata2002] Table 4", "This work, Gibbs-Appell", 1): lambda n: (
        n - 5, n - 3 - n * (n + 1) // 2,
    ),
    # the paper prints no line of this one
    ("[Lin1991] Table I", "Fijany and Bejczy", 1): lambda n: (
        (-21 * n - 34, -20 * n - 12) if n > 2 else (-43, -34)
    ),
}  # fmt: skip


@pytest.mark.parametrize(("reference", "row"), ROWS, ids=lambda x: getattr(x, "label", x))
def test_runs_as_printed_take_what_is_printed(reference: str, row: PrintedRow) -> None:
    assert isinstance(row.measure, Measure)
    difference = DIFFERENT.get((reference, row.label, row.type), lambda n: (0, 0))
    for n in {*row.values, 4, 5, 8, 11}:
        count = staged(row.measure.quantity, row.measure.method, n, row.type, "printed")
        if count is None or row.formulas is None:
            assert (reference, row.label, row.type) not in DIFFERENT or row.formulas is None
            return
        dM, dA = difference(n)
        wanted = (row.formulas[0](n) + dM, row.formulas[1](n) + dA)
        assert (count.multiplications, count.additions) == wanted, n


@pytest.mark.parametrize(("reference", "row"), ROWS, ids=lambda x: getattr(x, "label", x))
def test_lines_cost_what_the_paper_prints(reference: str, row: PrintedRow) -> None:
    """Every line that the paper prints: its operations, and how often it runs."""
    assert isinstance(row.measure, Measure)
    for n in (4, 6, 9) if row.items else ():
        found = printed_lines(row.measure.quantity, row.measure.method, n, row.type)
        assert found is not None
        items = {item.text: item for item in row.items}
        assert items.keys() <= found.lines.keys()
        if row.all_items:
            assert items.keys() == found.lines.keys()
        for text, item in items.items():
            line = found.lines[text]
            if text not in AT_THE_ENDS or row.all_items:
                assert line.times == item.times(n), text
                assert (line.M, line.A) == (item.M * line.times, item.A * line.times), text
            else:  # the first and last link take less
                assert line.M <= item.M * line.times and line.A <= item.A * line.times


# Lines of [Mata2002] 4.1 are printed as for a link in the middle.
AT_THE_ENDS = (
    "w_{i-1} in E_i", "w_i", "wd_i", "Omega_i", "sdd_i", "rdd_i", "f_i", "t_i", "phi_i", "chi_j",
)  # fmt: skip


def test_conventions_of_a_count() -> None:
    x, y = symbol("x"), symbol("y")
    lines = CountedLines()
    lines("free", (0.0 * x + y, 1.0 * x, -x, cos(x), x - 0.0 * y, 2.0 * 3.0))
    shared = x * y
    lines("shared", (shared, shared + x, shared + y))
    lines("again", x * y)
    lines("known", shared)
    three, _ = lines.given((3.0, x * x))
    lines("given", three * 2.0 + 1.0)
    lines.charged("charged", 5, 2, x / y)
    counts = {text: (line.times, line.M, line.A) for text, line in lines.lines.items()}
    assert counts == {
        "free": (1, 0, 0), "shared": (1, 1, 2), "again": (1, 1, 0), "known": (1, 0, 0),
        "given": (1, 1, 1), "charged": (1, 5, 2),
    }  # fmt: skip
    assert lines.lines["charged"].executed == (1, 0)
    assert lines.total == (8, 5)


def test_stages_are_told_apart() -> None:
    counts = [
        str(armdyn.operation_counts("mass_matrix", "renaud", 6, stage=stage))
        for stage in ("printed", "simplified", "improved")
    ]
    assert counts == ["553M 416A", "463M 363A", "383M 317A"]
    with pytest.raises(InputError, match=r"print no recursion of mass_matrix by 'walker_orin'"):
        armdyn.operation_counts("mass_matrix", "walker_orin", 6, stage="printed")
    with pytest.raises(InputError, match="rotational joints only"):
        armdyn.operation_counts("mass_matrix", "lin_1991", 6, type=2, stage="simplified")
    with pytest.raises(InputError, match="stage"):
        armdyn.operation_counts("mass_matrix", "lin_1991", 6, stage="best")  # type: ignore[arg-type]
