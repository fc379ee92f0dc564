"""Printed counts of operations beside their formulas and the sums of their own lines."""

from __future__ import annotations

from collections.abc import Callable

from armdyn.report.papers.errata._erratum import Evidence
from armdyn.report.papers.lin_fang_1999 import TABLE_VI, TABLE_VIII


def lines(label: str, type: int, dM: int, dA: int) -> Callable[[], Evidence]:
    """Return a comparison of a formula of Table VI, and of it changed, with its own lines."""

    def decide() -> Evidence:
        row = next(r for r in TABLE_VI.rows if r.label == label and r.type == type)
        n = 6
        given, summed = row.formula(n), row.sum_of_lines(n)
        assert given is not None and summed is not None
        (M, A), (lines_M, lines_A) = given, summed
        return Evidence(
            f"operations at n = {n}: the formula gives {M}M {A}A, the table's lines sum to "
            f"{lines_M}M {lines_A}A; difference",
            abs(M - lines_M) + abs(A - lines_A),
            abs(M + dM - lines_M) + abs(A + dA - lines_A),
        )

    return decide


def number(label: str, n: int, right: int, viii: bool = False) -> Callable[[], Evidence]:
    """Return a comparison of a printed M, and of another, with its formula."""

    def decide() -> Evidence:
        table = TABLE_VIII if viii else TABLE_VI
        row = next(r for r in table.rows if r.label == label and r.type == 1)
        printed = row.values[n]
        assert row.formulas is not None and printed is not None
        given = row.formulas[0](n)
        what = f"M at n = {n}, beside {given}M of the formula"
        return Evidence(what, abs(printed[0] - given), abs(right - given))

    return decide


def more_of_3() -> Evidence:
    """Compare n(n - 3) with the difference of the printed formulas of Formulations 3 and 2."""
    rows = {r.label: r for r in TABLE_VI.rows if r.type == 2}
    two, three = rows["Formulation 2"].formulas, rows["Formulation 3"].formulas
    assert two is not None and three is not None
    n = 6
    given = three[0](n) - two[0](n)
    what = f"M at n = {n}, beside {given}M by the printed formulas"
    return Evidence(what, abs(n * (n - 3) - given), abs(n * n - 3 * n + 5 - given))
