"""`armdyn tables`: the papers' operation counts compared with measured ones."""

from __future__ import annotations

from collections import Counter

from rich.text import Text

from armdyn.cli._console import JsonOption, print_json, progress_bar, show
from armdyn.graph import Operations
from armdyn.present import Grid, Tone, Toned
from armdyn.report.tables import Row, Verdict, paper_tables
from armdyn.report.tables import Table as PaperTable

TONES: dict[Verdict, Tone | None] = {
    "equal": None, "beaten": "good", "above": "fair", "not measured": "faint",
}  # fmt: skip


def tables(as_json: JsonOption = False) -> None:
    """Measure every operation-count table of the papers: printed, measured, verdict."""
    with progress_bar(as_json=as_json) as progress:
        measured = paper_tables(progress)
    if as_json:
        print_json([table.to_dict() for table in measured])
        return
    for table in measured:
        _show(table)
    show(
        "Measured on generic arms, the last frame put where any arm's can be: d_n = 0 and the last "
        "centre of mass above x_n."
    )
    verdicts = Counter(row.verdict for table in measured for row in table.rows)
    told = ", ".join(f"{verdicts[name]} {name}" for name in TONES if verdicts[name])
    show(f"{verdicts.total()} printed counts: {told}.")


def _show(table: PaperTable) -> None:
    remarks: dict[str, int] = {}
    rows: list[tuple[str, ...]] = []
    breaks: set[int] = set()
    previous = None
    for k, row in enumerate(table.rows):
        this = (row.label, row.type)
        if previous and this != previous:
            breaks.add(k)
        head = _head(row) if this != previous else ("", "", "")
        previous = this
        mark = f" [{remarks.setdefault(row.remark, len(remarks) + 1)}]" if row.remark else ""
        verdict = Toned(row.verdict + mark, TONES[row.verdict])
        rows.append((*head, str(row.n), _printed(row), _measured(row.measured), verdict))
    heads = ("row", "printed M", "printed A", "n", "printed", "measured", "verdict")
    title = f"{table.reference}. {table.title}"
    show(Grid(title, heads, 3, tuple(rows), words_after=1, breaks=frozenset(breaks)))
    show(*(Text(f"[{number}] {remark}", style="dim") for remark, number in remarks.items()), "")


def _head(row: Row) -> tuple[str, str, str]:
    label = row.label if row.type == 1 else f"{row.label}, joint 3 translational"
    M, A = row.printed_formula or ("", "")
    return label, M, A


def _printed(row: Row) -> str:
    """Return the printed numbers or, if there are none, the value of the formula in brackets."""
    if row.printed:
        return "{}M {}A".format(*row.printed)
    return "({}M {}A)".format(*row.formula) if row.formula else ""


def _measured(operations: Operations | None) -> str:
    return "" if operations is None else str(operations)
