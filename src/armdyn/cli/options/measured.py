"""Options of `armdyn simulate` for simulated measurements of a run."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from armdyn.errors import InputError
from armdyn.log import written_in_words
from armdyn.simulation import Run

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
