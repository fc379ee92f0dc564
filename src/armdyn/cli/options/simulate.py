"""Options of `armdyn simulate` for many arms, and for simulated measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import numpy as np
import typer

from armdyn.arm.arm import Arm
from armdyn.checks import checked_number
from armdyn.errors import InputError
from armdyn.log.formats import written_in_words
from armdyn.simulation.run import Run

# Options of `armdyn simulate` for many arms that differ by chance.

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


# Options of `armdyn simulate` for simulated measurements of a run.

MeasuredOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--measured", metavar="FILE",
        help=f"Write what sensors would measure as {written_in_words()}.",
    ),
]  # fmt: skip
NoiseQOption: TypeAlias = Annotated[
    float | None, typer.Option("--noise-q", help="Standard deviation of measured positions.")
]
NoiseTauOption: TypeAlias = Annotated[
    float | None, typer.Option("--noise-tau", help="Standard deviation of measured torques.")
]
QuantisationOption: TypeAlias = Annotated[
    float | None, typer.Option("--quantisation", help="Steps of the encoders.")
]
JitterOption: TypeAlias = Annotated[
    float | None, typer.Option("--jitter", help="Of measured times, as a share of their distance.")
]
SeedOption: TypeAlias = Annotated[
    int | None, typer.Option("--seed", help="Of the noise or of --arms; else 0.")
]


@dataclass(frozen=True)
class Sensors:
    """The sensors of a measurement; None if an option is left out."""

    noise_q: float | None
    noise_tau: float | None
    quantisation: float | None
    jitter: float | None
    seed: int | None

    def check(self, path: Path | None) -> None:
        """Refuse options of measurements without --measured."""
        if path is None and self._given:
            names = ", ".join(f"--{name.replace('_', '-')}" for name in self._given)
            raise InputError(f"{names}: of measurements, which --measured FILE asks for; give it.")

    def save(self, run: Run, path: Path) -> None:
        """Write the measurements of a run."""
        run.measured(**self._given).save(path)

    @property
    def _given(self) -> dict[str, Any]:
        named = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: value for name, value in named if value is not None}
