"""Printed counts of operations beside their formulas, their own lines, and the recursion run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from armdyn.present.tables import Grid
from armdyn_papers.stages import staged
from armdyn_papers.tables.measured import TABLES
from armdyn_papers.tables.printed import Measure, PrintedRow

Pair: TypeAlias = tuple[int, int]

HEADS = ("table, row", "n", "printed", "its formula", "its lines", "run as printed", "remark")
NOT_HERE = "its recursion is not in the papers at hand"


def counts_grid(key: str) -> Grid | None:
    """Return the counts that the paper of a key prints; None if it prints none."""
    rows = [
        _cells(f"{table.reference.removeprefix(key).strip()}, {row.label}", row)
        for table in TABLES
        if table.reference.startswith(key)
        for row in table.rows
    ]
    return Grid("Counts of operations", HEADS, len(HEADS), tuple(rows)) if rows else None


def _cells(label: str, row: PrintedRow) -> tuple[str, ...]:
    ns = list(row.values)
    formulas = [row.formula(n) for n in ns]
    printed = [row.values[n] or value for n, value in zip(ns, formulas, strict=True)]
    lines = [row.sum_of_lines(n) for n in ns]
    ran = [_ran(row, n) for n in ns]
    said = contradictions(row)
    if isinstance(row.measure, str):
        said.append(row.measure)
    elif ran[0] is None:
        said.append(NOT_HERE)
    elif row.as_printed:
        said.append(row.as_printed)
    return (
        label if row.type == 1 else f"{label}, Type 2",
        ", ".join(map(str, ns)),
        _listed(printed),
        "none" if row.formulas is None else _beside(formulas, printed),
        _beside(lines, printed),
        _beside(ran, printed),
        "; ".join(said),
    )


def contradictions(row: PrintedRow) -> list[str]:
    """Return where a row contradicts itself: its number, its formula and the sum of its lines."""
    said: list[str] = []
    for n, printed in row.values.items():
        by_formula = row.formula(n)
        if None not in (printed, by_formula) and printed != by_formula:
            said.append(f"prints {_one(printed)} at n = {n}, its formula gives {_one(by_formula)}")
    for n in row.values:
        by_formula, by_lines = row.formula(n), row.sum_of_lines(n)
        if None not in (by_formula, by_lines) and by_formula != by_lines:
            said.append(
                f"its formula gives {_one(by_formula)} at n = {n}, its lines sum to "
                f"{_one(by_lines)}"
            )
            break
    return said


def _ran(row: PrintedRow, n: int) -> Pair | None:
    """Return what the recursion takes as the paper writes it; a root counts as a product."""
    if not isinstance(row.measure, Measure):
        return None
    found = staged(row.measure.quantity, row.measure.method, n, row.type, "printed")
    return None if found is None else (found.multiplications + found.sqrt, found.additions)


def _one(pair: Pair | None) -> str:
    return "" if pair is None else "{}M {}A".format(*pair)


def _listed(pairs: Sequence[Pair | None]) -> str:
    return ", ".join(_one(pair) for pair in pairs if pair is not None)


def _beside(pairs: Sequence[Pair | None], printed: Sequence[Pair | None]) -> str:
    """Return numbers, or that they are the printed ones."""
    return "same" if pairs == printed else _listed(pairs)
