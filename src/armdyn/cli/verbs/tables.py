"""`armdyn tables`: what the papers claim beside what is measured."""

from __future__ import annotations

from collections import Counter

from rich.console import Group
from rich.text import Text

from armdyn.cli._console import JsonOption, new_table, print_json, progress_bar, show
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
    for table in measured:
        show(_render(table))
    show(
        "Measured on generic arms, the last frame put where any arm's can be: d_n = 0 and the last "
        "centre of mass above x_n."
    )
    verdicts = Counter(row.verdict for table in measured for row in table.rows)
    told = ", ".join(f"{verdicts[name]} {name}" for name in STYLE if verdicts[name])
    show(f"{verdicts.total()} printed counts: {told}.")


def _render(table: PaperTable) -> Group:
    shown = new_table(
        f"{table.reference}. {table.title}",
        ("row", "printed M", "printed A"),
        ("n", "printed", "measured"),
    )
    shown.add_column("verdict", overflow="fold")
    remarks: dict[str, int] = {}
    previous = None
    for row in table.rows:
        this = (row.label, row.type)
        if previous and this != previous:
            shown.add_section()
        head = _head(row) if this != previous else ("", "", "")
        previous = this
        mark = f" [{remarks.setdefault(row.remark, len(remarks) + 1)}]" if row.remark else ""
        verdict = Text(row.verdict + mark, style=STYLE[row.verdict])
        shown.add_row(*head, str(row.n), _printed(row), _measured(row.measured), verdict)
    notes = [Text(f"[{number}] {remark}", style="dim") for remark, number in remarks.items()]
    return Group(shown, *notes, Text())


def _head(row: Row) -> tuple[str, str, str]:
    label = row.label if row.type == 1 else f"{row.label}, joint 3 translational"
    M, A = row.printed_formula or ("", "")
    return label, M, A


def _printed(row: Row) -> str:
    """Return the printed numbers; in brackets what the formula gives where none are printed."""
    if row.printed:
        return "{}M {}A".format(*row.printed)
    return "({}M {}A)".format(*row.formula) if row.formula else ""


def _measured(operations: Operations | None) -> str:
    return "" if operations is None else str(operations)
