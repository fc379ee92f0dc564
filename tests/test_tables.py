"""The papers' tables: printed numbers against their formulas, and what is measured beside them."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest

from armdyn.graph import Operations, Slot, trace
from armdyn.report._measure import elements_of_rotations, measure
from armdyn.report.papers import TABLES, Formula, Measure, PrintedRow
from armdyn.report.tables import paper_tables, slips, verdict
from armdyn.robot import chain_of, generic
from armdyn.scalar import cos, sin

ROWS = [(table.reference, row) for table in TABLES for row in table.rows]
FORMULAS = [f for _, row in ROWS for f in row.formulas or ()]


def parsed(text: str) -> dict[int, Fraction]:
    """Coefficients by power of a printed polynomial, e.g. "(7n³ + 99n²)/6 + 19"."""
    text = text.replace("−", "-").replace(" ", "")
    bracket = re.fullmatch(r"\((.*)\)/(\d+)(.*)", text)
    if bracket:
        inner, rest = parsed(bracket[1]), parsed(bracket[3])
        powers = inner.keys() | rest.keys()
        return {k: inner.get(k, 0) / Fraction(bracket[2]) + rest.get(k, 0) for k in powers}
    found: dict[int, Fraction] = {}
    for sign, number, n, power, divisor in re.findall(
        r"([+-]?)(\d*\.?\d*)(n?)([²³]?)(?:/(\d+))?", text
    ):
        if number or n:
            value = Fraction(number or 1) / Fraction(divisor or 1)
            found[{"²": 2, "³": 3}.get(power, 1) if n else 0] = -value if sign == "-" else value
    return found


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f.text)
def test_text_and_coefficients_of_a_formula_agree(formula: Formula) -> None:
    by_power = {k: c for k, c in enumerate(reversed(formula.coefficients)) if c}
    assert parsed(formula.text) == by_power


def test_printed_numbers_follow_from_formulas_but_for_two_slips() -> None:
    found = {
        (reference, row.label, n, printed, (row.formulas[0](n), row.formulas[1](n)))
        for reference, row in ROWS
        if row.formulas
        for n, printed in row.values.items()
        if printed and printed != (row.formulas[0](n), row.formulas[1](n))
    }
    assert found == {
        ("[LinFang1999] Table VI", "Formulation 5", 11, (1016, 662), (1026, 662)),
        ("[LinFang1999] Table VIII", "Kawasaki et al. I", 4, (194, 174), (195, 174)),
    }


def test_lines_of_tables_sum_to_formulas_but_for_three_slips() -> None:
    """Differences at every n >= 4: what the lines say less what the formula says."""
    found: dict[tuple[str, int], set[tuple[int, int]]] = {}
    for _, row in ROWS:
        for n in range(4, 12) if row.items and row.formulas else ():
            M, A = (sum(getattr(i, x) * i.times(n) for i in row.items) for x in "MA")
            difference = (M - row.formulas[0](n), A - row.formulas[1](n))
            if difference != (0, 0):
                found.setdefault((row.label, row.type), set()).add(difference)
    assert found == {
        ("Formulation 4", 1): {(4, 0)},
        ("Formulation 4", 2): {(4, 0)},
        ("Formulation 2", 2): {(-3, -3)},
    }


def formulas(reference: str, label: str, type: int = 1) -> tuple[Formula, Formula]:
    (row,) = (
        r for ref, r in ROWS if (ref, r.label, r.type) == (reference, label, type) and r.formulas
    )
    assert row.formulas
    return row.formulas


@pytest.mark.parametrize("type", [1, 2])
@pytest.mark.parametrize("label", ["Formulation 1", "Formulation 2"])
def test_table_viii_is_table_vi_and_table_vii(label: str, type: int) -> None:
    vi = formulas("[LinFang1999] Table VI", label, type)
    vii = formulas("[LinFang1999] Table VII", "Table VII", type)
    viii = formulas("[LinFang1999] Table VIII", label, type)
    for n in range(4, 12):
        assert [f(n) for f in viii] == [f(n) + g(n) for f, g in zip(vi, vii, strict=True)]


def test_total_of_mata_table_3_is_the_sum_of_its_rows() -> None:
    (table,) = (t for t in TABLES if t.reference == "[Mata2002] Table 3")
    *parts, total = (row.formulas for row in table.rows if row.formulas)
    for n in (2, 6, 9):
        assert [f(n) for f in total] == [sum(p[k](n) for p in parts) for k in (0, 1)]


def test_bias_of_lin_1991_is_the_whole_less_the_inertia_matrix() -> None:
    whole = formulas("[Lin1991] text after (67)", "Present")
    matrix = formulas("[Lin1991] Table I", "Present")
    bias = formulas("[Lin1991] Table II", "Present")
    for n in (2, 6, 9):
        assert [f(n) - g(n) for f, g in zip(whole, matrix, strict=True)] == [f(n) for f in bias]


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        (Operations(mul=10, add=5), "equal"),
        (Operations(mul=8, div=2, add=5), "equal"),
        (Operations(mul=9, sqrt=1, add=5), "equal"),
        (Operations(mul=10, add=4), "beaten"),
        (Operations(mul=9, add=5), "beaten"),
        (Operations(mul=10, sqrt=1, add=5), "above"),
        (Operations(mul=1, add=6), "above"),
        (Operations(mul=11, add=0), "above"),
        (None, "not measured"),
    ],
)
def test_verdict_compares_both_numbers(measured: Operations | None, expected: str) -> None:
    assert verdict((10, 5), measured) == expected


def test_slips_name_both_numbers() -> None:
    row = PrintedRow("x", (Formula("n", (Fraction(1), Fraction(0))),) * 2, {3: (4, 3)}, "why")
    assert slips(row, 3) == ["prints 4M, its formula gives 3M"]
    assert slips(PrintedRow("x", None, {3: (4, 3)}, "why"), 3) == []


def test_only_elements_of_rotations_are_free() -> None:
    chain = chain_of(generic(2))
    a, b = chain[1], chain[2]

    def products(q: list[object]) -> list[object]:
        on_hand = [a.Sb * sin(q[0]), -a.Cb * cos(q[0]), b.Sb * cos(q[1])]  # type: ignore[arg-type]
        charged = [b.Sb * sin(q[0]), a.b * cos(q[0]), sin(q[0]) * cos(q[1])]  # type: ignore[arg-type]
        return [*on_hand, *charged]

    assert elements_of_rotations(trace(products, [Slot("q", (2,))], [Slot("x", (6,))]), chain) == 3
