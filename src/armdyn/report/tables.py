"""The papers' tables of operation counts, each row compared with the traced algorithm.

Only the papers' printed numbers are stored (`armdyn.report.papers`). Counts are traced on each
call, and verdicts and remarks on slips are computed from the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from armdyn._progress import Progress
from armdyn.graph import Operations
from armdyn.report._measure import measure
from armdyn.report.papers import TABLES, Measure, PrintedRow, PrintedTable

Pair: TypeAlias = tuple[int, int]
"""Numbers of multiplications and additions, (M, A)."""

Verdict: TypeAlias = Literal["equal", "beaten", "above", "not measured"]


@dataclass(frozen=True)
class Row:
    """One algorithm at one n: the printed count, the value of its formula, the measured count.

    `printed_formula` and `printed` are None if the paper does not print them; `traced` names the
    traced program. The verdict compares with the formula or, without one, with the printed numbers:
    "equal" in both M and A, "beaten" if neither is above and one is below, "above" if one is above.
    """

    label: str
    n: int
    type: int
    printed_formula: tuple[str, str] | None
    printed: Pair | None
    formula: Pair | None
    traced: str
    measured: Operations | None
    verdict: Verdict
    remark: str

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values for JSON."""
        count = self.measured
        return {
            "label": self.label,
            "n": self.n,
            "type": self.type,
            "printed_formula": _pair(self.printed_formula),
            "printed": _pair(self.printed),
            "formula": _pair(self.formula),
            "traced": self.traced,
            "measured": None
            if count is None
            else {
                "M": count.multiplications,
                "A": count.additions,
                "mul": count.mul,
                "div": count.div,
                "sqrt": count.sqrt,
            },
            "verdict": self.verdict,
            "remark": self.remark,
        }


@dataclass(frozen=True)
class Table:
    """A table of a paper, measured."""

    title: str
    reference: str
    rows: tuple[Row, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values for JSON."""
        return {
            "title": self.title,
            "reference": self.reference,
            "rows": [row.to_dict() for row in self.rows],
        }


def paper_tables(progress: Progress | None = None) -> list[Table]:
    """Return every table of operation counts of the papers, measured now; takes a few seconds.

    Args:
        progress: called with (done, total, what) after each table.
    """
    measured: list[Table] = []
    for done, table in enumerate(TABLES, 1):
        measured.append(_measured(table))
        if progress:
            progress(done, len(TABLES), "tracing the papers' tables")
    return measured


def verdict(expected: Pair, measured: Operations | None) -> Verdict:
    """Compare measured operations with expected (M, A)."""
    if measured is None:
        return "not measured"
    dM, dA = _difference(expected, measured)
    if dM > 0 or dA > 0:
        return "above"
    return "equal" if dM == dA == 0 else "beaten"


def slips(row: PrintedRow, n: int) -> list[str]:
    """Return where a printed row contradicts itself at n: number, formula, and sum of its lines."""
    found: list[str] = []
    printed, given = row.values.get(n), _formula_value(row, n)
    if given is None:
        return found
    for letter, p, f in zip("MA", printed or given, given, strict=True):
        if p != f:
            found.append(f"prints {p}{letter}, its formula gives {f}{letter}")
    if row.items:
        lines = tuple(sum(getattr(i, x) * i.times(n) for i in row.items) for x in "MA")
        if lines != given:
            found.append(f"the lines of its own table sum to {lines[0]}M {lines[1]}A")
    return found


def _measured(table: PrintedTable) -> Table:
    rows = [_row(row, n) for row in table.rows for n in row.values]
    return Table(table.title, table.reference, tuple(rows))


def _row(row: PrintedRow, n: int) -> Row:
    given, printed = _formula_value(row, n), row.values[n]
    expected = given or printed
    assert expected is not None, f"{row.label} prints neither a formula nor a number"
    if isinstance(row.measure, Measure):
        traced = f"{row.measure.quantity}: {row.measure.method}"
        found = measure(row.measure.quantity, row.measure.method, n, row.type)
    else:
        traced, found = "", None
    judged = verdict(expected, found)
    remarks = slips(row, n)
    if isinstance(row.measure, str):
        remarks.append(row.measure)
    if found is not None and judged == "above":
        remarks.append(_above(expected, found))
    if row.note and judged in ("beaten", "above"):
        remarks.append(row.note)
    texts = None if row.formulas is None else (row.formulas[0].text, row.formulas[1].text)
    return Row(
        row.label, n, row.type, texts, printed, given, traced, found, judged, "; ".join(remarks)
    )


def _formula_value(row: PrintedRow, n: int) -> Pair | None:
    return None if row.formulas is None else (row.formulas[0](n), row.formulas[1](n))


def _difference(expected: Pair, measured: Operations) -> Pair:
    """Return measured - expected; a square root counts as a multiplication, as in [Mata2002]."""
    M = measured.multiplications + measured.sqrt
    return M - expected[0], measured.additions - expected[1]


def _above(expected: Pair, measured: Operations) -> str:
    parts = [
        f"{abs(d)}{letter} {'above' if d > 0 else 'below'}"
        for d, letter in zip(_difference(expected, measured), "MA", strict=True)
        if d
    ]
    return ", ".join(parts)


def _pair(pair: tuple[Any, Any] | None) -> dict[str, Any] | None:
    return None if pair is None else {"M": pair[0], "A": pair[1]}
