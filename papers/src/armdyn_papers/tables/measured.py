"""The papers' tables of operation counts, each row compared with the algorithm in three stages.

Only the papers' printed numbers are stored, in the modules of the papers beside this one. Counts
are taken on each call: of the recursion run as printed, of the same after exact rules, and of the
method as it is computed here. Verdicts and remarks on slips are computed from the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from armdyn.graph.count import Operations
from armdyn.programs.counts import STAGES
from armdyn.progress import Progress
from armdyn_papers.measure import critical_path
from armdyn_papers.stages import printed_lines, staged
from armdyn_papers.tables import lin_1991, lin_fang_1999, mata_2002, saha_1999
from armdyn_papers.tables.printed import Measure, PrintedRow, PrintedTable

# Every printed table of operation counts.
TABLES: tuple[PrintedTable, ...] = (
    *lin_fang_1999.TABLES,
    *lin_1991.TABLES,
    *mata_2002.TABLES,
    *saha_1999.TABLES,
)

# Numbers of multiplications and additions, (M, A).
Pair: TypeAlias = tuple[int, int]

# The number of joints at which the lines of a recursion are shown.
LINES_AT = 6

Verdict: TypeAlias = Literal["equal", "beaten", "above", "not measured"]


@dataclass(frozen=True)
class Row:
    """One algorithm at one n: the printed count, the value of its formula, and counts in stages.

    `printed_formula` and `printed` are None if the paper does not print them; `traced` names the
    method. `as_printed` is the count of the recursion run as the paper writes it, by the paper's
    conventions; `simplified` that of the same recursion after exact rules; `measured` that of the
    method with our algebra, and `depth` its critical path. Each is None if there is none.

    The verdict is on `measured`, beside the formula or, without one, the printed numbers: "equal"
    in both M and A, "beaten" if neither is above and one is below, "above" if one is above.
    """

    label: str
    n: int
    type: int
    printed_formula: tuple[str, str] | None
    printed: Pair | None
    formula: Pair | None
    traced: str
    as_printed: Operations | None
    simplified: Operations | None
    measured: Operations | None
    depth: int | None
    verdict: Verdict
    remark: str

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values for JSON."""
        return {
            "label": self.label,
            "n": self.n,
            "type": self.type,
            "printed_formula": _pair(self.printed_formula),
            "printed": _pair(self.printed),
            "formula": _pair(self.formula),
            "traced": self.traced,
            "as_printed": _counts(self.as_printed),
            "simplified": _counts(self.simplified),
            "measured": _counts(self.measured),
            "depth": self.depth,
            "verdict": self.verdict,
            "remark": self.remark,
        }


@dataclass(frozen=True)
class LineCount:
    """A line of a printed recursion, run at one n.

    `printed` is (M, A) of one execution in the paper, None if it does not print the line by itself;
    `counted` is (M, A) of all executions together by the paper's conventions, `executed` what they
    took; the two differ on lines that are charged as printed.
    """

    label: str
    type: int
    n: int
    text: str
    times: int
    printed: Pair | None
    counted: Pair
    executed: Pair

    def to_dict(self) -> dict[str, Any]:
        """Return the line as plain values for JSON."""
        return {
            "label": self.label,
            "type": self.type,
            "n": self.n,
            "text": self.text,
            "times": self.times,
            "printed": _pair(self.printed),
            "counted": _pair(self.counted),
            "executed": _pair(self.executed),
        }


@dataclass(frozen=True)
class Table:
    """A table of a paper, measured; `lines` are those of its recursions at one n."""

    title: str
    reference: str
    rows: tuple[Row, ...]
    lines: tuple[LineCount, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values for JSON."""
        return {
            "title": self.title,
            "reference": self.reference,
            "rows": [row.to_dict() for row in self.rows],
            "lines": [line.to_dict() for line in self.lines],
        }


def paper_tables(progress: Progress | None = None, key: str | None = None) -> list[Table]:
    """Return every table of operation counts of the papers, measured now; takes a few seconds.

    Args:
        progress: called with (done, total, what) after each table.
        key: of the list of references, to have the tables of this paper only.
    """
    chosen = [table for table in TABLES if table.reference.startswith(key or "")]
    measured: list[Table] = []
    for done, table in enumerate(chosen, 1):
        measured.append(_measured(table))
        if progress:
            progress(done, len(chosen), "tracing the papers' tables")
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
    printed, given = row.values.get(n), row.formula(n)
    if given is None:
        return found
    for letter, p, f in zip("MA", printed or given, given, strict=True):
        if p != f:
            found.append(f"prints {p}{letter}, its formula gives {f}{letter}")
    lines = row.sum_of_lines(n)
    if lines not in (None, given):
        found.append("the lines of its own table sum to {}M {}A".format(*lines))
    return found


def _measured(table: PrintedTable) -> Table:
    rows = [_row(row, n) for row in table.rows for n in row.values]
    lines = [line for row in table.rows for line in _lines(row)]
    return Table(table.title, table.reference, tuple(rows), tuple(lines))


def _lines(row: PrintedRow) -> list[LineCount]:
    """Return the lines of a row at n = 6, which every table has."""
    if not isinstance(row.measure, Measure):
        return []
    found = printed_lines(row.measure.quantity, row.measure.method, LINES_AT, row.type)
    items = {item.text: (item.M, item.A) for item in row.items}
    return [
        LineCount(
            row.label, row.type, LINES_AT, text, line.times, items.get(text), (line.M, line.A),
            line.executed,
        )
        for text, line in (found.lines if found else {}).items()
    ]  # fmt: skip


def _row(row: PrintedRow, n: int) -> Row:
    given, printed = row.formula(n), row.values[n]
    expected = given or printed
    assert expected is not None, f"{row.label} prints neither a formula nor a number"
    if isinstance(row.measure, Measure):
        traced = f"{row.measure.quantity}: {row.measure.method}"
        what = (row.measure.quantity, row.measure.method, n, row.type)
        as_printed, simplified, found = (staged(*what, stage) for stage in STAGES)
        depth = critical_path(*what)
        traced = traced if found is not None else ""
    else:
        traced, depth = "", None
        as_printed = simplified = found = None
    judged = verdict(expected, found)
    remarks = slips(row, n)
    if isinstance(row.measure, str):
        remarks.append(row.measure)
    elif found is None:
        remarks.append("simplification does not tell it apart from the rest of the table")
    if found is not None and judged == "above":
        remarks.append(_above(expected, found))
    if row.note and judged in ("beaten", "above"):
        remarks.append(row.note)
    if as_printed is not None:
        remarks += _unlike(row, n, expected, as_printed)
    elif found is not None:
        remarks.append("its recursion is not in the papers here: nothing to run as printed")
    texts = None if row.formulas is None else (row.formulas[0].text, row.formulas[1].text)
    return Row(
        row.label, n, row.type, texts, printed, given, traced,
        as_printed, simplified, found, depth, judged, "; ".join(remarks),
    )  # fmt: skip


def _unlike(row: PrintedRow, n: int, expected: Pair, as_printed: Operations) -> list[str]:
    """Say what the recursion takes if run as printed, unless that is the formula or its lines."""
    ran = (as_printed.multiplications + as_printed.sqrt, as_printed.additions)
    if ran in (expected, row.sum_of_lines(n)):
        return []
    said = "run as printed it takes {}M {}A, not {}M {}A".format(*ran, *expected)
    return [f"{said}: {row.as_printed}" if row.as_printed else said]


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


def _counts(count: Operations | None) -> dict[str, int] | None:
    if count is None:
        return None
    return {
        "M": count.multiplications,
        "A": count.additions,
        "mul": count.mul,
        "div": count.div,
        "sqrt": count.sqrt,
    }


def _pair(pair: tuple[Any, Any] | None) -> dict[str, Any] | None:
    return None if pair is None else {"M": pair[0], "A": pair[1]}
