"""Options of `armdyn simulate` for many arms that differ by chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from armdyn._checks import checked_number
from armdyn.arm import Arm
from armdyn.errors import InputError
from armdyn.simulation import Run

ArmsOption = Annotated[
    int | None, typer.Option("--arms", metavar="N", help="Simulate N arms that differ by chance.")
]
SpreadQOption = Annotated[
    float | None, typer.Option("--spread-q", help="Standard deviation of their first positions.")
]
SpreadLinksOption = Annotated[
    float | None,
    typer.Option("--spread-links", help="Of the masses and inertias of each link, as a share."),
]

# A larger share makes masses negative.
MOST_SHARE = 0.2


def many_arms(
    arm: Arm,
    arms: int | None,
    q0: Sequence[float] | None,
    spread_q: float | None,
    spread_links: float | None,
    files: Sequence[Path | None],
    seed: int | None,
) -> dict[str, Any]:
    """Return arguments of `simulate`: of one arm, or of many that differ."""
    if arms is None:
        if spread_q is not None or spread_links is not None:
            raise InputError("--spread-q and --spread-links are of many arms: give --arms.")
        return {"q0": q0}
    if spread_q is None and spread_links is None:
        raise InputError("--arms: nothing tells the arms apart; give --spread-q or --spread-links.")
    if any(files):
        raise InputError("--output, --measured, --plot and --animate are of one arm, not of many.")
    width = checked_number(spread_q or 0.0, "spread_q", least=0.0)
    share = checked_number(spread_links or 0.0, "spread_links", least=0.0, most=MOST_SHARE)
    centre, parameters = np.zeros(arm.n) if q0 is None else np.array(q0), arm.parameters

    def positions(rng: np.random.Generator, count: int) -> Any:
        return rng.normal(centre, width, (count, arm.n))

    def links(rng: np.random.Generator, count: int) -> Any:
        return parameters * np.repeat(rng.normal(1.0, share, (count, arm.n)), 10, axis=1)

    drawn = {"parameters": links} if spread_links else {}
    return {"q0": positions, "arms": arms, "seed": seed or 0, **drawn}


def spread_lines(run: Run) -> list[str]:
    """Return the mean and the spread of the last positions of many arms, a line a joint."""
    mean, deviation = run.q[-1].mean(axis=0), run.q[-1].std(axis=0)
    return [
        f"  {name}: {m:.6g} +- {d:.3g}"
        for name, m, d in zip(run.arm.joint_names, mean, deviation, strict=True)
    ]
