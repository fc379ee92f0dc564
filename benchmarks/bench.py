"""Times of the compiled functions of arms, and of other libraries in the same run.

    python benchmarks/bench.py [--quick] [--json FILE] [--plot FILE] [--markdown FILE]

`armdyn bench` runs it from a clone, `make bench` writes docs/benchmarks.md by it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.console import complain, progress_bar, show
from armdyn.errors import ArmdynError, FileError, InputError, shown
from armdyn.present.pictures import PICTURES_IN_WORDS, check_picture
from armdyn.writing import write_whole
from arms import arm_named
from comparison.presentation import grids, page, write_plot
from comparison.run import PEERS, QUANTITIES, QUICK, Settings, run_benchmark


def bench(
    robots: Annotated[
        str | None,
        typer.Option(help="Arms, by commas: ur5, panda, generic6, bundled names, files."),
    ] = None,
    kinds: Annotated[
        str | None, typer.Option(help=f"By commas, of: {', '.join(QUANTITIES)}.")
    ] = None,
    peers: Annotated[
        str | None, typer.Option(help=f"By commas, of: {', '.join(PEERS)}; none for alone.")
    ] = None,
    chains: Annotated[
        str | None, typer.Option(help="Numbers of joints of chains, by commas; none for no chains.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small arm and few rounds: does it work?")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all numbers.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"Draw them, as {PICTURES_IN_WORDS}.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with all tables.")
    ] = None,
) -> None:
    """Time functions of arms beside Pinocchio, MuJoCo and CasADi; exit status 1 on disagreement."""
    settings = QUICK if quick else Settings()
    given = {"robots": robots, "kinds": kinds, "peers": peers}
    changes = {key: _listed(words) for key, words in given.items() if words is not None}
    settings = replace(settings, **changes)
    if chains is not None:
        settings = replace(settings, chains=tuple(_joints(word) for word in _listed(chains)))
    if robots is not None:  # robots named by the user must exist; default ones may be missing
        for name in settings.robots:
            arm_named(name)
    if plot:
        check_picture(plot)
    for file in (json_file, markdown):
        if file and not file.parent.is_dir():
            raise FileError(file, f"cannot be written: no folder {file.parent}; make it first.")
    with progress_bar() as progress:
        found = run_benchmark(settings, progress)
    if json_file:
        write_whole(json_file, json.dumps(found.to_dict(), indent=2) + "\n")
    if plot:
        write_plot(found, plot)
    if markdown:
        write_whole(markdown, page(found, plot.name if plot else None))
    for grid in grids(found):
        show(grid, "")
    for note in found.notes:
        complain(f"note: {note}")
    if found.disagreements:
        for words in found.disagreements:
            complain(f"disagreement: {words}.")
        raise typer.Exit(1)


def _listed(words: str) -> tuple[str, ...]:
    names = tuple(word.strip() for word in words.split(",") if word.strip())
    return () if names == ("none",) else names


def _joints(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise InputError(
            f"--chains has {shown(word)}, expected numbers of joints, such as 6,12,30."
        )
    return int(word)


def main() -> None:
    """Run the benchmark as `armdyn bench` does: exit status 2 on an error."""
    try:
        typer.run(bench)
    except ArmdynError as error:
        complain(f"error: {error}")
        sys.exit(2)


if __name__ == "__main__":
    main()
