"""Options of `armdyn identify` for the fit; each has the name of its argument in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from armdyn.arm.arm import Arm
from armdyn.errors import InputError, shown
from armdyn.identification.extra.column_files import read_coupling, read_extra

FrictionOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        help="Friction to fit: auto, true, false, or terms by commas: viscous,coulomb,offset.",
    ),
]
NoFrictionOption: TypeAlias = Annotated[
    bool, typer.Option("--no-friction", help="The same as --friction false.")
]
RotorOption: TypeAlias = Annotated[
    bool | None, typer.Option("--rotor/--no-rotor", help="Fit rotor inertias; else by itself.")
]
PriorOption: TypeAlias = Annotated[
    float | None,
    typer.Option(metavar="X", help="Weight of described masses: 1 trusts them to 50 %, 5 to 10 %."),
]
CutoffOption: TypeAlias = Annotated[
    float | None, typer.Option(metavar="HZ", help="Low-pass of positions; else by itself.")
]
TrimOption: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="A:B", help="Seconds to cut off at both ends of logs; 0: none."),
]
DelayOption: TypeAlias = Annotated[
    str | None, typer.Option(metavar="S", help="Seconds by which torques lag; auto finds it.")
]
TiltOption: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--tilt/--no-tilt",
        help="Turn gravity if the data show that the mount is tilted.",
        show_default=False,
    ),
]
FlipOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="J,J", help="Joints, numbers from 1 or names, whose torques are reversed."
    ),
]
CouplingOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="K, n rows of n numbers: measured = K joint torques."),
]
ExtraOption: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Torques of your own: TOML, see the docs.")
]
DeadBandOption: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="V", help="Leave out slower rows; one speed, or by commas one each."),
]
DecimateOption: TypeAlias = Annotated[
    int | None, typer.Option(metavar="K", help="Samples that make one row; else by the band.")
]
WeightsOption: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="S", help="Standard deviations of torques; one, or by commas one each."),
]
RobustOption: TypeAlias = Annotated[
    bool, typer.Option("--robust/--no-robust", help="Pull in outliers of torques.")
]


def fit_options(
    arm: Arm,
    *,
    friction: str | None,
    no_friction: bool,
    rotor: bool | None,
    trim: str | None,
    delay: str | None,
    tilt: bool | None,
    flip: str | None,
    coupling: Path | None,
    extra: Path | None,
    dead_band: str | None,
    weights: str | None,
    **plain: Any,
) -> dict[str, Any]:
    """Return the arguments of `identify`; options that are not given are left out."""
    if no_friction and friction not in (None, "false"):
        raise InputError("--friction and --no-friction contradict each other; give one.")
    given: dict[str, Any] = {
        "friction": False if no_friction else _friction(friction),
        "rotor": rotor,
        "trim": _trim(trim),
        "delay": _delay(delay),
        "tilt": False if tilt is False else None,
        "flip": None if flip is None else [_joint(word) for word in flip.split(",")],
        "coupling": None if coupling is None else read_coupling(coupling, arm.n),
        "extra": None if extra is None else read_extra(extra, arm),
        "dead_band": numbers_by_commas("dead-band", dead_band),
        "weights": numbers_by_commas("weights", weights),
        **plain,
    }
    return {name: value for name, value in given.items() if value is not None}


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


def numbers_by_commas(name: str, words: str | None) -> float | list[float] | None:
    """Return the numbers of an option: one, or one for each joint."""
    if words is None:
        return None
    try:
        numbers = [float(word) for word in words.split(",")]
    except ValueError:
        raise InputError(
            f"--{name} is {shown(words)}, expected a number, or one for each joint by commas."
        ) from None
    return numbers[0] if len(numbers) == 1 else numbers
