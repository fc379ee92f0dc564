"""`armdyn tables`: the papers' operation counts compared with measured ones."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer
from rich.text import Text

from armdyn._checks import checked_choice
from armdyn.cli._console import JsonOption, print_json, progress_bar, show
from armdyn.graph import Operations
from armdyn.present import Grid, Tone, Toned
from armdyn.report.papers import TABLES
from armdyn.report.papers.catalogue import PAPERS
from armdyn.report.tables import Row, Verdict, paper_tables
from armdyn.report.tables import Table as PaperTable

# Papers that print operation counts.
COUNTED = tuple(
    name
    for name, paper in PAPERS.items()
    if any(table.reference.startswith(paper.key) for table in TABLES)
)
TONES: dict[Verdict, Tone | None] = {
    "equal": None, "beaten": "good", "above": "fair", "not measured": "faint",
}  # fmt: skip


def tables(
    paper: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"One of {', '.join(COUNTED)}; all if left out."),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Show the lines of the printed recursions, too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure every operation-count table of the papers: printed, measured, verdict.

    Counts are in three stages. As printed: the recursion run as the paper writes it, counted by the
    paper's conventions. Simplified: the same recursion after exact rules. Improved: our algebra.
    """
    if paper is not None:
        checked_choice(paper, "paper", COUNTED, what="table of a paper")
    with progress_bar(as_json=as_json) as progress:
        measured = paper_tables(progress, PAPERS[paper].key if paper else None)
    if as_json:
        print_json([table.to_dict() for table in measured])
        return
    for table in measured:
        _show(table)
        if lines and table.lines:
            show(_lines(table), "")
    show(
        "As printed: the recursion run as the paper writes it, by its conventions. Simplified: the "
        "same after exact rules. Improved: our algebra; depth is its critical path."
    )
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
        stages = (_measured(x) for x in (row.as_printed, row.simplified, row.measured))
        depth = "" if row.depth is None else str(row.depth)
        rows.append((*head, str(row.n), _printed(row), *stages, depth, verdict))
    heads = (
        "row", "printed M", "printed A", "n", "printed",
        "as printed", "simplified", "improved", "depth", "verdict",
    )  # fmt: skip
    title = f"{table.reference}. {table.title}"
    show(Grid(title, heads, 3, tuple(rows), words_after=1, breaks=frozenset(breaks)))
    show(*(Text(f"[{number}] {remark}", style="dim") for remark, number in remarks.items()), "")


def _lines(table: PaperTable) -> Grid:
    rows: list[tuple[str, ...]] = []
    breaks: set[int] = set()
    previous = None
    for k, line in enumerate(table.lines):
        label = line.label if line.type == 1 else f"{line.label}, joint 3 translational"
        if label != previous:
            breaks.add(k)
        each = "" if line.printed is None else "{}M {}A".format(*line.printed)
        ran = "" if line.executed == line.counted else "{}M {}A".format(*line.executed)
        cells = (label if label != previous else "", line.text, str(line.times), each)
        rows.append((*cells, "{}M {}A".format(*line.counted), ran))
        previous = label
    heads = ("row", "line", "times", "printed, each", "counted", "if not charged")
    title = f"{table.reference}, lines at n = {table.lines[0].n}"
    return Grid(title, heads, 2, tuple(rows), breaks=frozenset(breaks))


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
