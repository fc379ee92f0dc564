"""What verbs of identification share: options of the fit, logs of payloads, and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from armdyn.arm.arm import Arm
from armdyn.cli.console import complain, plain, print_json, show
from armdyn.cli.option_names import flag, numbers, option, separated
from armdyn.cli.options.log import keep_inputs
from armdyn.errors import InputError
from armdyn.identification.extra import read_coupling, read_extra
from armdyn.identification.payload.payload import DriveGains, Payload
from armdyn.present.tables import Grid
from armdyn.writing import check_writable


def check_payload_files(
    out: Path | None, names: Sequence[str], robot: str, held: Sequence[Path], empty: Sequence[Path]
) -> None:
    """Refuse a log that is given both with and without the payload, and unsuitable results.

    Args:
        out: folder of the results, if any.
        names: of the result files.
        robot: the robot's name or file.
        held: logs with the payload.
        empty: logs without it.
    """
    with_payload = [log.resolve() for log in held]
    for log in empty:
        if log.resolve() in with_payload:
            raise InputError(
                f"--empty is {plain(str(log))}, a log with the payload; give one without it."
            )
    if out:
        keep_inputs(out, names, [robot, *held, *empty])
        check_writable(out, names)


def show_estimate(
    found: Payload | DriveGains, grid: Grid, paths: Sequence[Path], as_json: bool
) -> None:
    """Print an estimate, its verdict and its files; exit status 1 if it has not passed."""
    if as_json:
        print_json({**found.to_dict(), "files": [str(path) for path in paths]})
        complain(found.verdict)
    else:
        show(grid, "", found.verdict, *(f"  - {note}" for note in found.notes))
        if paths:
            show("", f"{paths[0].parent}: {', '.join(path.name for path in paths)}")
    if not found.passed:
        raise typer.Exit(1)


CUTOFF = option("Low-pass cut-off frequency [Hz].", "HZ", shown="chosen from the data")


@dataclass(frozen=True)
class FitOptions:
    """Options of the fit; each has the name of its argument of `identify`."""

    friction: str | None = option(
        "Friction model: auto, true, false, or terms by commas: viscous,coulomb,offset.",
        "WHAT",
        shown="auto",
    )
    no_friction: bool = flag("--no-friction", "Same as --friction false.")
    rotor: bool | None = option("Fit rotor inertias.", shown="where the data show them")
    physical: bool = option("Constrain link inertias to be physically consistent.", default=True)
    prior: float | None = option(
        "Weight of the described masses: 1 trusts them to 50 %, 5 to 10 %.",
        "X",
        shown="chosen from the data",
    )
    tilt: bool | None = option(
        "Correct gravity if the data show that the mount is tilted.", shown="tilt"
    )
    coupling: Path | None = option(
        "Coupling matrix K (n rows of n numbers): measured torques = K joint torques.", "FILE"
    )
    extra: Path | None = option("Additional torque terms (TOML): springs, cables, ...", "FILE")
    cutoff: float | None = CUTOFF
    trim: str | None = option(
        "Seconds to cut off at the start and end of logs; 0: none.",
        "A:B",
        shown="rest at both ends",
    )
    delay: str | None = option("Delay of the torque channel [s].", "S", shown="estimated")
    flip: str | None = option(
        "Reverse the sign of the torques (with --signal command: positions) of these joints.", "J,J"
    )
    gain: str | None = option(
        "Torque per unit of the logged torque or current: one number, or one per joint by commas.",
        "G",
        shown="1",
    )
    ignore_torque: str | None = option(
        "Do not use the torques of these joints (numbers from 1 or names).", "J,J"
    )
    signal: str | None = option(
        "Infer torques from: torque, current, or command (errors of position servos).",
        "SIGNAL",
        shown="auto",
    )
    kp: str | None = option(
        "Stiffness of position servos [N m/rad]: one number, or one per joint by commas.", "K"
    )
    servo: str | None = option("Type of the position servos: sts3215, dynamixel-x, ...", "TYPE")
    hung: Path | None = option("Log with a known mass on the arm (with --mass).", "LOG")
    hung_mass: float | None = option(
        "Mass that hangs on the arm in --hung [kg].", "KG", name="--mass"
    )
    hung_at: str | None = option(
        "Where it hangs, in the tip frame [m].", "X,Y,Z", name="--at", shown="0,0,0"
    )
    order: str | None = option(
        "Columns of the log (numbers from 1 or joint names) in the order of the arm.", "J,J"
    )
    dead_band: str | None = option(
        "Drop rows below this joint speed: one number, or one per joint by commas.",
        "V",
        shown="4 % of the highest speed",
    )
    decimate: int | None = option(
        "Decimation: one regression row per K samples.", "K", shown="from the band of the motion"
    )
    weights: str | None = option(
        "Standard deviation of torque noise: one number, or one per joint by commas.",
        "S",
        shown="estimated",
    )
    robust: bool = option("Down-weight torque outliers (Huber).", default=True)

    def arguments(self, arm: Arm) -> dict[str, Any]:
        """Return the arguments of `identify`; options that are left out have its defaults."""
        if self.no_friction and self.friction not in (None, "false"):
            raise InputError("--friction and --no-friction contradict each other; give one.")
        flip, ignored, coupling, extra = self.flip, self.ignore_torque, self.coupling, self.extra
        at = self.hung_at
        values = vars(self) | {
            "friction": False if self.no_friction else _friction(self.friction),
            "no_friction": None,
            "tilt": False if self.tilt is False else None,
            "coupling": None if coupling is None else read_coupling(coupling, arm.n),
            "extra": None if extra is None else read_extra(extra, arm),
            "trim": _trim(self.trim),
            "delay": _delay(self.delay),
            "flip": None if flip is None else [_joint(word) for word in flip.split(",")],
            "gain": numbers("gain", self.gain),
            "kp": numbers("kp", self.kp),
            "hung": None if self.hung is None else str(self.hung),
            "hung_at": None if at is None else separated("at", at, "X,Y,Z [m]", 3),
            "order": None
            if self.order is None
            else [_joint(word) for word in self.order.split(",")],
            "ignore_torque": None if ignored is None else [_joint(w) for w in ignored.split(",")],
            "dead_band": numbers("dead-band", self.dead_band),
            "weights": numbers("weights", self.weights),
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
    expected = "seconds A:B, or one number for both"
    ends = separated("trim", words, expected, 1, 2, separator=":")
    return ends[0] if len(ends) == 1 else (ends[0], ends[1])


def _delay(words: str | None) -> float | str | None:
    if words is None or words == "auto":
        return words
    return separated("delay", words, "seconds, or auto", 1)[0]
