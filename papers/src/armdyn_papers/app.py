"""The command `armdyn-papers`: tables, claims and studies of the papers, their statements, errata.

`armdyn tables`, `claims`, `study` and `paper` are the same commands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from armdyn.checks import checked_choice
from armdyn.cli.app import run
from armdyn.cli.console import JsonOption, print_json, progress_bar, show
from armdyn.cli.option_names import Verb
from armdyn.errors import FileError, InputError, shown
from armdyn.graph.count import Operations
from armdyn.present.pictures import PICTURES_IN_WORDS, check_picture
from armdyn.present.tables import Grid, Tone, Toned
from armdyn.writing import write_together, write_whole
from armdyn_papers.claims.claim import Ranking
from armdyn_papers.claims.plot import write_plot as write_claims_plot
from armdyn_papers.claims.series import TRIES
from armdyn_papers.claims.trials import CLAIMS, Judged, Trial, claimed, intervals, judge
from armdyn_papers.pages import (
    TONES,
    entries_grid,
    errata_dict,
    errata_grid,
    overview,
    pages,
    paper_dict,
)
from armdyn_papers.papers import PAPERS, entries_at, verdicts
from armdyn_papers.studies.page import STUDIES, page
from armdyn_papers.studies.study import Study, findings_grid, write_plot
from armdyn_papers.tables.measured import TABLES, Row, Verdict, paper_tables
from armdyn_papers.tables.measured import Table as PaperTable
from armdyn_papers.tables.plot import write_counts_plot
from armdyn_papers.tables.printed_counts import counts_grid

# Papers that print operation counts.
COUNTED = tuple(
    name
    for name, paper in PAPERS.items()
    if any(table.reference.startswith(paper.key) for table in TABLES)
)
# Papers that rank algorithms by their counts.
RANKING_PAPERS = tuple(dict.fromkeys(claim.paper for claim in CLAIMS))
# Words that stand for a name: all studies, and the list of errata.
ALL = "all"
ERRATA = "errata"

TABLE_TONES: dict[Verdict, Tone | None] = {
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
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw multiplications of every method relative to the cheapest, n = 2 to 30, as "
            f"{PICTURES_IN_WORDS}.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure every operation-count table of the papers: printed, measured, verdict.

    Counts are in three stages. As printed: the recursion run as the paper writes it, counted by the
    paper's conventions. Simplified: the same recursion after exact rules. Improved: our algebra.
    """
    if paper is not None:
        checked_choice(paper, "paper", COUNTED, what="table of a paper")
    if plot:
        check_picture(plot)
        with progress_bar(as_json=as_json) as progress:
            write_counts_plot(plot, progress)
    with progress_bar(as_json=as_json) as progress:
        measured = paper_tables(progress, PAPERS[paper].key if paper else None)
    if as_json:
        print_json([table.to_dict() for table in measured])
        return
    for table in measured:
        _show_table(table)
        if lines and table.lines:
            show(_lines_grid(table), "")
    show(
        "As printed: the recursion run as the paper writes it, by its conventions. Simplified: the "
        "same after exact rules. Improved: our algebra; depth is its critical path."
    )
    show(
        "Measured on generic arms, the last frame put where any arm's can be: d_n = 0 and the last "
        "centre of mass above x_n."
    )
    verdicts = Counter(row.verdict for table in measured for row in table.rows)
    told = ", ".join(f"{verdicts[name]} {name}" for name in TABLE_TONES if verdicts[name])
    show(f"{verdicts.total()} printed counts: {told}.")


def _show_table(table: PaperTable) -> None:
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
        verdict = Toned(row.verdict + mark, TABLE_TONES[row.verdict])
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


def _lines_grid(table: PaperTable) -> Grid:
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


def claims(
    paper: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"One of {', '.join(RANKING_PAPERS)}; all if left out."),
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--every",
            help="Measure every n up to 30; else counts beyond n = 10 follow from their "
            "polynomial, which is checked at n = 14.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"Draw the rankings, as {PICTURES_IN_WORDS}."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Try what the papers say of each other's operation counts: where it is true, for n = 2 to 30.

    A cell shows the n for which a ranking is true: by the printed formulas, by the recursions run
    as printed, by the same after exact rules, and with our algebra. Less is fewer multiplications
    and additions together; where multiplications alone say otherwise, they follow after "M:". A
    ranking holds if it does by one of the two for all n that the paper claims.
    """
    if paper is not None and paper not in RANKING_PAPERS:
        known = ", ".join(RANKING_PAPERS)
        raise InputError(
            f"there are no claims of {shown(paper)}; `paper` is one of: {known}.", argument="paper"
        )
    if plot:
        check_picture(plot)
    chosen = [claim for claim in CLAIMS if paper in (None, claim.paper)]
    with progress_bar(as_json=as_json) as progress:
        judged = judge(chosen, every=every, progress=progress)
    if plot:
        write_claims_plot(judged, plot)
    if as_json:
        print_json([found.to_dict() for found in judged])
        return
    for name in RANKING_PAPERS:
        if found := [j for j in judged if j.claim.paper == name]:
            _show_claims(name, found)
    verdicts = Counter(found.verdict for found in judged)
    told = ", ".join(f"{verdict}: {count}" for verdict, count in verdicts.most_common())
    show(f"{len(judged)} claims. {told}.")


def _show_claims(paper: str, judged: list[Judged]) -> None:
    remarks: dict[str, int] = {}
    rows: list[tuple[str, ...]] = []
    for found in judged:
        claim = found.claim
        first, last = claimed(claim)
        cells = [_cell(found.trials[stage], isinstance(claim, Ranking), remarks) for stage in TRIES]
        verdict = Toned(found.verdict, TONES[found.verdict])
        name = claim.id.partition(".")[2]
        about = intervals(range(first, last + 1))
        rows.append((name, claim.statement, str(claim.type), about, *cells, verdict))
    heads = (
        "claim", "statement", "type", "claimed n",
        "printed formulas", "run as printed", "simplified", "improved", "verdict",
    )  # fmt: skip
    breaks = frozenset(range(1, len(rows)))
    show(Grid(paper, heads, len(heads), tuple(rows), breaks=breaks))
    show(*(Text(f"[{number}] {remark}", style="dim") for remark, number in remarks.items()), "")


def _cell(trial: Trial, ranking: bool, remarks: dict[str, int]) -> str:
    if trial.holds is None:
        return Toned("-", "faint")
    mark = f" [{remarks.setdefault(trial.note, len(remarks) + 1)}]" if trial.note else ""
    if ranking:
        text = intervals(trial.by_sum) or "never"
        if trial.by_M != trial.by_sum:
            text += f" (M: {intervals(trial.by_M) or 'never'})"
    else:
        text = "yes" if trial.holds else "no"
    return Toned(text + mark, "good" if trial.holds else "bad")


def study(
    which: Annotated[
        str, typer.Argument(metavar="STUDY", help=f"One of {', '.join(STUDIES)}; or {ALL}.")
    ],
    as_json: JsonOption = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=f"Draw, as {PICTURES_IN_WORDS}; of all studies, FILE-NAME.svg each.",
        ),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with all tables.")
    ] = None,
) -> None:
    """Run the papers' numerical studies: what is printed, what is found, and why they differ."""
    if which not in (*STUDIES, ALL):
        known = ", ".join((*STUDIES, ALL))
        raise InputError(f"there is no study {shown(which)}; expected one of: {known}.")
    names = tuple(STUDIES) if which == ALL else (which,)
    pictures = {name: _picture(plot, name, which == ALL) for name in names} if plot else {}
    for path in pictures.values():
        check_picture(path)
    if markdown and not markdown.parent.is_dir():
        raise FileError(markdown, f"cannot be written: no folder {markdown.parent}; make it first.")
    studies: list[Study] = []
    for name in names:
        with progress_bar(as_json=as_json) as progress:
            studies.append(STUDIES[name](progress))
        if name in pictures:
            write_plot(studies[-1], pictures[name])
    if markdown:
        write_whole(markdown, page(studies, {name: p.name for name, p in pictures.items()}))
    if as_json:
        told = [found.to_dict() for found in studies]
        print_json(told if which == ALL else told[0])
        return
    for found in studies:
        show(found.title, "")
        for words in found.setup():
            show(words, "")
        for grid in (*found.grids(), findings_grid(found)):
            show(grid, "")


def _picture(path: Path, name: str, several: bool) -> Path:
    return path.with_name(f"{path.stem}-{name}{path.suffix}") if several else path


def paper(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help=f"One of {', '.join(PAPERS)}; or {ERRATA}. None: list them."
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Argument(metavar="PLACE", help='One equation, table or theorem, as "(20)"; all.'),
    ] = None,
    as_json: JsonOption = False,
    write: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write all pages as Markdown.")
    ] = None,
) -> None:
    """Show what became of every equation, theorem, table and claim of a paper."""
    if name is not None:
        checked_choice(name, "name", (*PAPERS, ERRATA), what="paper")
    if place is not None:
        if name is None or name == ERRATA or write is not None or as_json:
            raise InputError("a place is shown of one paper, as a table.", argument="place")
        show(entries_grid(PAPERS[name], entries_at(PAPERS[name], place)), "")
        return
    if write is not None:
        if name is not None:
            raise InputError("all pages are written together; leave out the name.", argument="name")
        written = write_together(write, pages(), None)
        told = [str(path) for path in written]
        print_json(told) if as_json else show(*told)
        return
    if name == ERRATA:
        errata(as_json)
    elif as_json:
        _print_json(name)
    elif name is None:
        commands = "`armdyn-papers paper NAME` shows a paper, `armdyn-papers errata` misprints."
        show(overview(), "", commands)
    else:
        shown = PAPERS[name]
        show(entries_grid(shown), "")
        if counts := counts_grid(shown.key):
            show(counts, "")
        if shown.remark:
            show(shown.remark)
        counted = ", ".join(f"{count} {verdict}" for verdict, count in verdicts(shown).items())
        show(f"{len(shown.entries)} entries: {counted}.")


def errata(as_json: JsonOption = False) -> None:
    """List the misprints of the papers, each with the numbers that decide it."""
    if as_json:
        print_json({name: errata_dict(name) for name in PAPERS})
        return
    for name in PAPERS:
        show(errata_grid(name), "")


def _print_json(name: str | None) -> None:
    if name is None:
        print_json({each: {"key": p.key, **verdicts(p)} for each, p in PAPERS.items()})
    else:
        print_json(paper_dict(PAPERS[name]))


# The commands, with examples of their use.
EXAMPLES: dict[Callable[..., None], tuple[str, ...]] = {
    tables: (
        "armdyn-papers tables",
        "armdyn-papers tables --paper lin_fang_1999 --lines",
        "armdyn-papers tables --plot counts.svg",
    ),
    claims: (
        "armdyn-papers claims --paper lin_1991",
        "armdyn-papers claims --plot claims.png --json",
    ),
    study: (
        "armdyn-papers study ascher",
        "armdyn-papers study adaptive --plot adaptive.png",
        "armdyn-papers study all --markdown studies.md",
    ),
    paper: ("armdyn-papers paper", "armdyn-papers paper lin_fang_1999"),
    errata: ("armdyn-papers errata", "armdyn-papers errata --json"),
}

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Five papers on robot dynamics, statement by statement, run by armdyn.",
)
for command, examples in EXAMPLES.items():
    epilog = "\n\n".join(("Examples:", *examples))
    app.command(command.__name__, cls=Verb, epilog=epilog)(command)


def main() -> None:
    """Run the command line; exit status 0: done, 2: error."""
    run(app)
