"""`armdyn study`: the papers' numerical examples, repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli._console import JsonOption, print_json, progress_bar, show
from armdyn.errors import FileError, InputError, shown
from armdyn.files import write_whole
from armdyn.present import PICTURES_IN_WORDS, check_picture
from armdyn.report.studies import STUDIES, Study, findings_grid, page, write_plot

ALL = "all"


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
