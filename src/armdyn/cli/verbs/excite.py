"""`armdyn excite`: a motion for the identification of an arm."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

from armdyn.checks import checked_choice
from armdyn.cli.console import JsonOption, complain, print_json, progress_bar, show, show_text
from armdyn.cli.option_names import flag, in_options, numbers, option, separated
from armdyn.cli.options.cluster import ClusterOptions, opened_client
from armdyn.cli.options.robot import (
    ACCELERATION,
    EFFORT,
    OUT_MOTION,
    PER_JOINT,
    VELOCITY,
    RobotOptions,
    check_outputs,
    open_arm,
)
from armdyn.errors import InputError, RobotWarning, shown
from armdyn.excitation.excite import excite as find_motion
from armdyn.excitation.motion import ExcitingMotion, clearance_in_words, limits_used
from armdyn.present.pictures import PICTURES_IN_WORDS
from armdyn.servo.poses import UNITS, StaticMotion
from armdyn.servo.static import excite_static
from armdyn.writing import check_target


@dataclass(frozen=True)
class ExciteOptions:
    """Options of the motion; each has the name of its argument of `excite`."""

    duration: float = option("Duration [s].", "S", default=20.0)
    harmonics: int = option("Harmonics of the Fourier series.", default=5)
    repeats: int | None = option("Periods in the duration.", shown="one per 10 s")
    rate: float | None = option("Sampling rate [Hz].", "HZ", shown="200; with --static: 30")
    static: bool = flag(
        "--static", "Poses that weigh a position-servoed arm, each reached slowly from both sides."
    )
    poses: int = option("With --static: number of poses; 24 take 2 minutes.", default=24)
    actions: Path | None = option(
        "With --static: write the goals as a list of actions (LeRobot).", "FILE.json"
    )
    units: str | None = option(
        "With --static: unit of the actions: deg, rad, or m100_100 (LeRobot).", shown="deg"
    )
    position: str | None = option(
        "Position limits, for all joints or one per joint by commas.",
        "LOW:HIGH",
        shown="of the robot file",
    )
    velocity: str | None = VELOCITY
    acceleration: str | None = ACCELERATION
    torque: str | None = EFFORT
    margin: float | None = option(
        "Safety margin, as a share of all limits.", shown="0.05; with --static: 0.1"
    )
    speed: float = option("Scale of the velocity and acceleration limits, up to 1.", default=1.0)
    start: str | None = option("Start.", "Q,Q,...", shown="optimised")
    end: str | None = option("End.", "Q,Q,...", shown="the start")
    noise: str | None = option(
        f"Standard deviation of torque noise: {PER_JOINT}.",
        "SIGMA",
        shown="1 % of the torque limits",
    )
    friction: bool = option("Optimise for friction, too.", default=True)
    rotor: bool = flag("--rotor", "Optimise for rotor inertias, too.")
    floor: float | None = option("Keep above this height in the base frame [m].", "Z")
    walls: list[str] | None = option(
        "Keep where nx x + ny y + nz z >= d in the base frame; repeatable.",
        "NX,NY,NZ,D",
        name="--wall",
    )
    self_collision: bool | None = option(
        "Avoid collisions between links.", shown="with --floor or --wall"
    )
    radius: str | None = option(
        "Radius of the links as capsules [m]: one number, or one per link by commas.",
        "R",
        shown="from the collision geometry",
    )
    clearance: float = option("Minimum distance to obstacles [m].", default=0.0)
    evaluations: int = option("Motions to try in the search.", default=20_000)
    restarts: int = option("Number of searches; the best one counts.", default=1)
    seed: int = option("Seed of the search.", default=0)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `excite`; with --static, those of `excite_static`."""
        if self.static:
            self._refuse(FOR_TORQUES, "is for motions that are measured by torques, not --static.")
        else:
            self._refuse(FOR_STATIC, "needs --static.")
        unused = (*FOR_TORQUES, "rate") if self.static else FOR_STATIC
        values = {name: value for name, value in vars(self).items()
                  if name not in (*unused, "static", "actions", "units")
                  and (value is not None or name not in ("rate", "margin"))}  # fmt: skip
        several = ("velocity", "acceleration", "noise", "start", "end", "radius")
        made: dict[str, Any] = {
            "position": _ranges(self.position),
            "torque": numbers("effort", self.torque),
            "walls": _walls(self.walls),
            **{name: numbers(name, getattr(self, name)) for name in several},
        }
        return values | {name: value for name, value in made.items() if name in values}

    def _refuse(self, names: Sequence[str], why: str) -> None:
        """Refuse options that differ from their defaults."""
        defaults = {field.name: cast(Any, field.default).default for field in fields(self)}
        for name in names:
            if getattr(self, name) != defaults[name]:
                raise InputError(f"`{name}` {why}", argument=name)


# Options of the optimal excitation trajectory, and of poses.
FOR_TORQUES = (
    "duration", "harmonics", "repeats", "torque", "speed", "end", "noise", "friction", "rotor",
    "evaluations", "restarts",
)  # fmt: skip
FOR_STATIC = ("poses", "actions", "units")


def excite(
    robot: RobotOptions,
    motion: ExciteOptions,
    parallel: ClusterOptions,
    output: Path | None = OUT_MOTION,
    plot: Path | None = option(f"Plot the motion as {PICTURES_IN_WORDS}.", "FILE"),
    as_json: JsonOption = False,
) -> None:
    """Compute an optimal excitation trajectory for identification.

    With --floor, --wall or --self-collision, the links avoid these planes and each other, checked
    at 1 kHz. Other obstacles are unknown: check the motion in a simulator first.
    """
    arguments = motion.arguments()
    if motion.static:
        _excite_static(robot, motion, arguments, output, plot, as_json)
        return
    check_outputs("motions", [output], plot)
    arm, _ = open_arm(robot)
    with (
        opened_client(parallel) as opened,
        progress_bar(as_json=as_json) as progress,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", RobotWarning)  # the notes contain it
        found = find_motion(arm, **arguments, progress=progress, client=opened)
    if output:
        found.save(output)
    if plot:
        found.plot(plot)
    for note in found.notes:
        complain(f"note: {in_options(note)}")
    if as_json:
        print_json(found.to_dict())
        return
    _show(found)
    for file in (output, plot):
        if file:
            show(f"written: {file}")


def _excite_static(
    robot: RobotOptions, options: ExciteOptions, arguments: dict[str, Any], output: Path | None,
    plot: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Compute poses for weighing, and write their goals and actions."""
    if plot is not None:
        raise InputError("`plot` is for motions that are measured by torques, not --static.",
                         argument="plot")  # fmt: skip
    units = checked_choice(options.units or UNITS[0], "units", UNITS)
    if options.actions is not None and options.actions.suffix != ".json":
        raise InputError(
            f"`actions` is {shown(str(options.actions))}, expected a name that ends in .json.",
            argument="actions",
        )
    check_outputs("motions", [output], None)
    if options.actions is not None:
        check_target(options.actions)
    arm, _ = open_arm(robot)
    with progress_bar(as_json=as_json) as progress:
        found: StaticMotion = excite_static(arm, **arguments, progress=progress)
    rate = 30.0 if options.rate is None else options.rate
    for file in filter(None, (output, options.actions)):
        found.save(file, rate=rate, units=units)
    for note in found.notes:
        complain(f"note: {in_options(note)}")
    if as_json:
        print_json(found.to_dict())
        return
    clear = f", clearance {found.clearance:.4f} m" if found.clearance < float("inf") else ""
    show(f"{arm.name}: {len(found.poses)} poses from both sides, {found.duration:.0f} s{clear}", "")
    show(found.table())
    for file in filter(None, (output, options.actions)):
        show(f"written: {file}")
    show("Run it on the arm, and record goals and positions.")
    show_text(f"next: armdyn identify {robot.words()} LOG --signal command -o out")


def _show(found: ExcitingMotion) -> None:
    arm, series = found.arm, found.trajectory
    periods = "1 period" if series.repeats == 1 else f"{series.repeats} periods"
    show(
        f"{arm.name}: {found.duration:g} s, {periods} of {series.harmonics} harmonics; "
        f"{len(found.names)} parameters, condition {found.condition:.3g}, "
        f"log det {found.log_det:.1f}",
        "",
    )
    show(limits_used(found), "")
    if found.closest:
        show(clearance_in_words(found))
    if found.weak:
        show(
            "Known to no better than a tenth of their described value after one run: "
            + ", ".join(found.weak)
        )


def _walls(rows: list[str] | None) -> list[list[float]] | None:
    expected = "NX,NY,NZ,D: four numbers by commas"
    return [separated("wall", row, expected, 4) for row in rows or ()] or None


def _ranges(words: str | None) -> list[float] | list[list[float]] | None:
    if words is None:
        return None
    expected = "LOW:HIGH, or one for each joint by commas"
    pairs = [separated("position", x, expected, 2, separator=":") for x in words.split(",")]
    return pairs[0] if len(pairs) == 1 else pairs
