"""`armdyn excite`: a motion for the identification of an arm."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.console import JsonOption, complain, plain, print_json, progress_bar, show
from armdyn.cli.option_names import in_options, numbers
from armdyn.cli.options.cluster import ClusterOptions, opened_client
from armdyn.cli.options.robot import (
    PER_JOINT,
    AccelerationOption,
    EffortOption,
    OutMotionOption,
    RobotOptions,
    VelocityOption,
    check_motion_files,
    open_arm,
)
from armdyn.errors import InputError, RobotWarning
from armdyn.identification.exciting.excite import excite as find_motion
from armdyn.identification.exciting.motion import ExcitingMotion
from armdyn.identification.tables import clearance_in_words, limits_used
from armdyn.present.pictures import PICTURES_IN_WORDS


def excite(
    robot: RobotOptions,
    parallel: ClusterOptions,
    duration: Annotated[float, typer.Option(metavar="S", help="Duration [s].")] = 20.0,
    harmonics: Annotated[int, typer.Option(help="Harmonics of the Fourier series.")] = 5,
    repeats: Annotated[
        int | None,
        typer.Option(help="Periods in the duration.", show_default="one per 10 s"),
    ] = None,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Sampling rate [Hz].")] = 200.0,
    position: Annotated[
        str | None,
        typer.Option(
            metavar="LOW:HIGH",
            help="Position limits, for all joints or one per joint by commas.",
            show_default="of the robot file",
        ),
    ] = None,
    velocity: VelocityOption = None,
    acceleration: AccelerationOption = None,
    torque: EffortOption = None,
    margin: Annotated[float, typer.Option(help="Safety margin, as a share of all limits.")] = 0.05,
    speed: Annotated[
        float, typer.Option(help="Scale of the velocity and acceleration limits, up to 1.")
    ] = 1.0,
    start: Annotated[
        str | None, typer.Option(metavar="Q,Q,...", help="Start.", show_default="optimised")
    ] = None,
    end: Annotated[
        str | None, typer.Option(metavar="Q,Q,...", help="End.", show_default="the start")
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="SIGMA",
            help=f"Standard deviation of torque noise: {PER_JOINT}.",
            show_default="1 % of the torque limits",
        ),
    ] = None,
    friction: Annotated[
        bool, typer.Option("--friction/--no-friction", help="Optimise for friction, too.")
    ] = True,
    rotor: Annotated[
        bool, typer.Option("--rotor", help="Optimise for rotor inertias, too.")
    ] = False,
    floor: Annotated[
        float | None,
        typer.Option(metavar="Z", help="Keep above this height in the base frame [m]."),
    ] = None,
    walls: Annotated[
        list[str] | None,
        typer.Option(
            "--wall",
            metavar="NX,NY,NZ,D",
            help="Keep where nx x + ny y + nz z >= d in the base frame; repeatable.",
        ),
    ] = None,
    self_collision: Annotated[
        bool | None,
        typer.Option(
            "--self-collision/--no-self-collision",
            help="Avoid collisions between links.",
            show_default="with --floor or --wall",
        ),
    ] = None,
    radius: Annotated[
        str | None,
        typer.Option(
            metavar="R",
            help="Radius of the links as capsules [m]: one number, or one per link by commas.",
            show_default="from the collision geometry",
        ),
    ] = None,
    clearance: Annotated[float, typer.Option(help="Minimum distance to obstacles [m].")] = 0.0,
    evaluations: Annotated[int, typer.Option(help="Motions to try in the search.")] = 20_000,
    restarts: Annotated[int, typer.Option(help="Number of searches; the best one counts.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0,
    output: OutMotionOption = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"Plot the motion as {PICTURES_IN_WORDS}."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compute an optimal excitation trajectory for identification.

    With --floor, --wall or --self-collision, the links avoid these planes and each other, checked
    at 1 kHz. Other obstacles are unknown: check the motion in a simulator first.
    """
    check_motion_files(output, plot)
    arm, _ = open_arm(robot)
    with (
        opened_client(parallel) as opened,
        progress_bar(as_json=as_json) as progress,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", RobotWarning)  # the notes contain it
        found = find_motion(
            arm,
            duration,
            harmonics,
            rate=rate,
            position=_ranges(position),
            velocity=numbers("velocity", velocity),
            acceleration=numbers("acceleration", acceleration),
            torque=numbers("effort", torque),
            margin=margin,
            friction=friction,
            rotor=rotor,
            noise=numbers("noise", noise),
            speed=speed,
            start=numbers("start", start),
            end=numbers("end", end),
            floor=floor,
            walls=_walls(walls),
            self_collision=self_collision,
            radius=numbers("radius", radius),
            clearance=clearance,
            repeats=repeats,
            evaluations=evaluations,
            seed=seed,
            progress=progress,
            restarts=restarts,
            client=opened,
        )
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
    if not rows:
        return None
    try:
        walls = [[float(x) for x in row.split(",")] for row in rows]
    except ValueError:
        walls = [list[float]()]
    if any(len(wall) != 4 for wall in walls):
        raise InputError(
            f"--wall is {plain(' '.join(rows))!r}, expected NX,NY,NZ,D: four numbers by commas."
        )
    return walls


def _ranges(words: str | None) -> list[float] | list[list[float]] | None:
    if words is None:
        return None
    try:
        pairs = [[float(x) for x in word.split(":")] for word in words.split(",")]
    except ValueError:
        pairs = [list[float]()]
    if any(len(pair) != 2 for pair in pairs):
        raise InputError(
            f"--position is {plain(words)!r}, expected LOW:HIGH, or one for each joint by commas."
        )
    return pairs[0] if len(pairs) == 1 else pairs
