"""`armdyn claims`: the rankings of the papers, tried on measured counts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from armdyn.cli._console import JsonOption, print_json, progress_bar, show
from armdyn.errors import InputError, shown
from armdyn.present import PICTURES_IN_WORDS, Grid, Tone, Toned, check_picture
from armdyn.report.claims import (
    CLAIMS,
    TRIES,
    Judged,
    Ranking,
    Trial,
    claimed,
    intervals,
    judge,
    write_plot,
)

PAPERS = tuple(dict.fromkeys(claim.paper for claim in CLAIMS))
TONES: dict[str, Tone] = {"holds": "good", "does not hold": "bad", "not tried": "faint"}


def claims(
    paper: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"One of {', '.join(PAPERS)}; all if left out."),
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
    if paper is not None and paper not in PAPERS:
        known = ", ".join(PAPERS)
        raise InputError(
            f"there are no claims of {shown(paper)}; `paper` is one of: {known}.", argument="paper"
        )
    if plot:
        check_picture(plot)
    chosen = [claim for claim in CLAIMS if paper in (None, claim.paper)]
    with progress_bar(as_json=as_json) as progress:
        judged = judge(chosen, every=every, progress=progress)
    if plot:
        write_plot(judged, plot)
    if as_json:
        print_json([found.to_dict() for found in judged])
        return
    for name in PAPERS:
        if found := [j for j in judged if j.claim.paper == name]:
            _show(name, found)
    verdicts = Counter(found.verdict for found in judged)
    told = ", ".join(f"{verdict}: {count}" for verdict, count in verdicts.most_common())
    show(f"{len(judged)} claims. {told}.")


def _show(paper: str, judged: list[Judged]) -> None:
    remarks: dict[str, int] = {}
    rows: list[tuple[str, ...]] = []
    for found in judged:
        claim = found.claim
        first, last = claimed(claim)
        cells = [_cell(found.trials[stage], isinstance(claim, Ranking), remarks) for stage in TRIES]
        verdict = Toned(found.verdict, TONES.get(found.verdict, "fair"))
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
