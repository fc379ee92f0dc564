"""`armdyn tables`: what the papers claim beside what is measured."""

from __future__ import annotations

from collections import Counter

from rich.console import Group
from rich.table import Table
from rich.text import Text

from armdyn.cli._console import JsonOption, print_json, progress_bar, results
from armdyn.graph import Operations
from armdyn.report.tables import Row, paper_tables
from armdyn.report.tables import Table as PaperTable

STYLE = {"equal": "", "beaten": "green", "above": "yellow", "not measured": "dim"}


def tables(as_json: JsonOption = False) -> None:
    """Measure every operation-count table of the papers: printed, measured, verdict."""
    with progress_bar("tracing the papers' tables") as progress:
        measured = paper_tables(progress)
    if as_json:
        print_json([table.to_dict() for table in measured])
        return
    out = results()
    for table in measured:
        out.print(_render(table))
    verdicts = Counter(row.verdict for table in measured for row in table.rows)
    told = ", ".join(f"{verdicts[name]} {name}" for name in STYLE if verdicts[name])
    out.print(f"{verdicts.total()} printed counts: {told}.")


def _render(table: PaperTable) -> Group:
    shown = Table(
        title=f"{table.reference}: {table.title}", title_justify="left", header_style="bold"
    )
    shown.add_column("row and printed formula")
    for column in ("n", "printed", "measured"):
        shown.add_column(column, justify="right")
    shown.add_column("verdict")
    remarks: dict[str, int] = {}
    previous = None
    for row in table.rows:
        if previous and (row.label, row.type) != previous:
            shown.add_section()
        head = _head(row) if (row.label, row.type) != previous else ""
        previous = (row.label, row.type)
        mark = f" [{remarks.setdefault(row.remark, len(remarks) + 1)}]" if row.remark else ""
        shown.add_row(
            head, str(row.n), _printed(row), _measured(row.measured),
            Text(row.verdict + mark, style=STYLE[row.verdict]),
        )  # fmt: skip
    notes = [Text(f"[{number}] {remark}", style="dim") for remark, number in remarks.items()]
    return Group(shown, *notes, Text())


def _head(row: Row) -> str:
    kind = "" if row.type == 1 else ", joint 3 translational"
    if row.printed_formula is None:
        return row.label + kind
    return f"{row.label}{kind}\n{row.printed_formula[0]} M\n{row.printed_formula[1]} A"


def _printed(row: Row) -> str:
    M, A = row.printed or row.formula or ("", "")
    return f"{M}M {A}A"


def _measured(operations: Operations | None) -> str:
    return "" if operations is None else str(operations)
