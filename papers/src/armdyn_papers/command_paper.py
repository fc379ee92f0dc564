"""`armdyn paper`: the five papers, statement by statement."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn._checks import checked_choice
from armdyn.cli._console import JsonOption, print_json, show
from armdyn.errors import InputError
from armdyn.files import write_together
from armdyn.report.papers.catalogue import PAPERS
from armdyn.report.papers.pages import (
    entries_grid,
    errata_dict,
    errata_grid,
    overview,
    pages,
    paper_dict,
    verdicts,
)
from armdyn.report.papers.printed_counts import counts_grid

ERRATA = "errata"


def paper(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help=f"One of {', '.join(PAPERS)}; or {ERRATA}. None: list them."
        ),
    ] = None,
    as_json: JsonOption = False,
    write: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write all pages as Markdown.")
    ] = None,
) -> None:
    """Show what became of every equation, theorem, table and claim of a paper."""
    if name is not None:
        checked_choice(name, "name", (*PAPERS, ERRATA), what="paper")
    if write is not None:
        if name is not None:
            raise InputError("all pages are written together; leave out the name.", argument="name")
        written = write_together(write, pages(), None)
        told = [str(path) for path in written]
        print_json(told) if as_json else show(*told)
        return
    if as_json:
        _print_json(name)
    elif name is None:
        show(overview(), "", "`armdyn paper NAME` shows a paper, `armdyn paper errata` misprints.")
    elif name == ERRATA:
        for each in PAPERS:
            show(errata_grid(each), "")
    else:
        shown = PAPERS[name]
        show(entries_grid(shown), "")
        if counts := counts_grid(shown.key):
            show(counts, "")
        if shown.remark:
            show(shown.remark)
        counted = ", ".join(f"{count} {verdict}" for verdict, count in verdicts(shown).items())
        show(f"{len(shown.entries)} entries: {counted}.")


def _print_json(name: str | None) -> None:
    if name is None:
        print_json({each: {"key": p.key, **verdicts(p)} for each, p in PAPERS.items()})
    elif name == ERRATA:
        print_json({each: errata_dict(each) for each in PAPERS})
    else:
        print_json(paper_dict(PAPERS[name]))
