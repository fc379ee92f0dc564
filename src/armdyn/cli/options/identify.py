"""Options of `armdyn identify` for the fit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from armdyn.arm.arm import Arm
from armdyn.cli.option_names import numbers
from armdyn.errors import InputError, shown
from armdyn.identification.extra import read_coupling, read_extra

CutoffOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="HZ",
        help="Low-pass cut-off frequency [Hz].",
        show_default="chosen from the data",
    ),
]


@dataclass(frozen=True)
class FitOptions:
    """Options of the fit; each has the name of its argument of `identify`."""

    friction: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="Friction model: auto, true, false, or terms by commas: viscous,coulomb,offset.",
            show_default="auto",
        ),
    ] = None
    no_friction: Annotated[
        bool, typer.Option("--no-friction", help="Same as --friction false.")
    ] = False
    rotor: Annotated[
        bool | None,
        typer.Option(
            "--rotor/--no-rotor",
            help="Fit rotor inertias.",
            show_default="where the data show them",
        ),
    ] = None
    physical: Annotated[
        bool,
        typer.Option(
            "--physical/--no-physical",
            help="Constrain link inertias to be physically consistent.",
        ),
    ] = True
    prior: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Weight of the described masses: 1 trusts them to 50 %, 5 to 10 %.",
            show_default="chosen from the data",
        ),
    ] = None
    tilt: Annotated[
        bool | None,
        typer.Option(
            "--tilt/--no-tilt",
            help="Correct gravity if the data show that the mount is tilted.",
            show_default="tilt",
        ),
    ] = None
    coupling: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Coupling matrix K (n rows of n numbers): measured torques = K joint torques.",
        ),
    ] = None
    extra: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Additional torque terms (TOML): springs, cables, ..."),
    ] = None
    cutoff: CutoffOption = None
    trim: Annotated[
        str | None,
        typer.Option(
            metavar="A:B",
            help="Seconds to cut off at the start and end of logs; 0: none.",
            show_default="rest at both ends",
        ),
    ] = None
    delay: Annotated[
        str | None,
        typer.Option(
            metavar="S", help="Delay of the torque channel [s].", show_default="estimated"
        ),
    ] = None
    flip: Annotated[
        str | None,
        typer.Option(
            metavar="J,J", help="Reverse the torque sign of these joints (numbers from 1 or names)."
        ),
    ] = None
    dead_band: Annotated[
        str | None,
        typer.Option(
            metavar="V",
            help="Drop rows below this joint speed: one number, or one per joint by commas.",
            show_default="4 % of the highest speed",
        ),
    ] = None
    decimate: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Decimation: one regression row per K samples.",
            show_default="from the band of the motion",
        ),
    ] = None
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="S",
            help="Standard deviation of torque noise: one number, or one per joint by commas.",
            show_default="estimated",
        ),
    ] = None
    robust: Annotated[
        bool, typer.Option("--robust/--no-robust", help="Down-weight torque outliers (Huber).")
    ] = True

    def arguments(self, arm: Arm) -> dict[str, Any]:
        """Return the arguments of `identify`; options that are left out have its defaults."""
        if self.no_friction and self.friction not in (None, "false"):
            raise InputError("--friction and --no-friction contradict each other; give one.")
        flip, coupling, extra = self.flip, self.coupling, self.extra
        values: dict[str, Any] = {
            "friction": False if self.no_friction else _friction(self.friction),
            "rotor": self.rotor,
            "physical": self.physical,
            "prior": self.prior,
            "tilt": False if self.tilt is False else None,
            "coupling": None if coupling is None else read_coupling(coupling, arm.n),
            "extra": None if extra is None else read_extra(extra, arm),
            "cutoff": self.cutoff,
            "trim": _trim(self.trim),
            "delay": _delay(self.delay),
            "flip": None if flip is None else [_joint(word) for word in flip.split(",")],
            "dead_band": numbers("dead-band", self.dead_band),
            "decimate": self.decimate,
            "weights": numbers("weights", self.weights),
            "robust": self.robust,
        }
        return {name: value for name, value in values.items() if value is not None}


def _friction(words: str | None) -> bool | str | list[str] | None:
    if words is None or words == "auto":
        return words
    if words in ("true", "false"):
        return words == "true"
    return [word.strip() for word in words.split(",")]


def _joint(word: str) -> int | str:
    word = word.strip()
    return int(word) if word.isascii() and word.isdigit() else word


def _trim(words: str | None) -> float | tuple[float, float] | None:
    if words is None:
        return None
    try:
        ends = [float(word) for word in words.split(":")]
    except ValueError:
        ends = []
    if len(ends) not in (1, 2):
        raise InputError(f"--trim is {shown(words)}, expected seconds A:B, or one number for both.")
    return ends[0] if len(ends) == 1 else (ends[0], ends[1])


def _delay(words: str | None) -> float | str | None:
    if words is None or words == "auto":
        return words
    try:
        return float(words)
    except ValueError:
        raise InputError(f"--delay is {shown(words)}, expected seconds, or auto.") from None
