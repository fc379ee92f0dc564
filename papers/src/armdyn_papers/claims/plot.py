"""A picture of the rankings: for which n each of them is true, at each stage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from armdyn.present.pictures import new_figure, write_picture
from armdyn_papers.claims.claim import LARGEST, SMALLEST, Ranking
from armdyn_papers.claims.series import TRIES
from armdyn_papers.claims.trials import Judged, Trial

TRUE, TRUE_BY_ONE, FALSE = "#2e8b57", "#9fd0b4", "#e3b7b7"
# Heights: of a lane, and of a claim with its gap, in lanes.
CLAIM = len(TRIES) + 1.5


def write_plot(judged: Sequence[Judged], path: Path) -> None:
    """Draw the rankings among judged claims; one lane a stage, one cell a number of joints."""
    rankings = [j for j in judged if isinstance(j.claim, Ranking)]
    figure = new_figure(11.0, 1.4 + 0.44 * len(rankings))
    axes: Any = figure.subplots()
    for row, found in enumerate(rankings):
        _claim(axes, row * CLAIM, found)
    axes.set_xlim(SMALLEST - 0.5, LARGEST + 0.5)
    axes.set_ylim(len(rankings) * CLAIM, -1.0)
    axes.set_yticks(
        [row * CLAIM + len(TRIES) / 2 for row in range(len(rankings))],
        [f"{j.claim.id} (type {j.claim.type})" for j in rankings],
        fontsize=7,
    )
    axes.set_xticks(range(SMALLEST, LARGEST + 1, 2))
    axes.tick_params(labelsize=7, length=2)
    axes.set_xlabel("number of joints n", fontsize=8)
    axes.set_title(
        "Where the papers' rankings are true: lanes from above are "
        "printed formulas, run as printed, simplified, improved",
        fontsize=9, loc="right",
    )  # fmt: skip
    _legend(figure)
    write_picture(figure, path)


def _claim(axes: Any, top: float, found: Judged) -> None:
    claim = found.claim
    assert isinstance(claim, Ranking)
    for lane, stage in enumerate(TRIES):
        for n in found.trials[stage].tried:
            box = (n - 0.5, top + lane)
            axes.add_patch(_box(box, 1.0, 0.9, facecolor=_colour(found.trials[stage], n)))
    outline = (claim.first - 0.5, top - 0.1)
    size = (claim.last - claim.first + 1, len(TRIES) + 0.1)
    axes.add_patch(_box(outline, *size, fill=False, edgecolor="black", linewidth=1.0))


def _colour(trial: Trial, n: int) -> str:
    return (FALSE, TRUE_BY_ONE, TRUE)[(n in trial.by_M) + (n in trial.by_sum)]


def _legend(figure: Any) -> None:
    words = {
        TRUE: "true by M and by M + A",
        TRUE_BY_ONE: "true by one of them",
        FALSE: "not true",
    }
    handles = [_box((0.0, 0.0), 1.0, 1.0, facecolor=c, label=text) for c, text in words.items()]
    handles.append(
        _box((0.0, 0.0), 1.0, 1.0, fill=False, edgecolor="black", label="what the paper claims")
    )
    figure.legend(handles=handles, loc="outside lower center", ncol=4, fontsize=7, frameon=False)


def _box(at: tuple[float, float], width: float, height: float, **style: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(at, width, height, **style)
