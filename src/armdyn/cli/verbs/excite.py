"""`armdyn excite`: a motion for the identification of an arm."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.console import JsonOption, complain, plain, print_json, progress_bar, show
from armdyn.cli.option_names import in_options
from armdyn.cli.options.cluster import ClusterOption, WorkersOption, opened_client
from armdyn.cli.options.robot import (
    BaseOption,
    RobotArgument,
    SnapOption,
    StrictOption,
    TipOption,
    check_motion_files,
    numbers,
    open_arm,
)
from armdyn.errors import InputError, RobotWarning
from armdyn.identification.exciting.excite import excite as find_motion
from armdyn.identification.exciting.motion import ExcitingMotion
from armdyn.identification.tables import clearance_in_words, limits_used
from armdyn.log.formats import written_in_words
from armdyn.present.pictures import PICTURES_IN_WORDS


def excite(
    robot: RobotArgument,
    duration: Annotated[float, typer.Option(help="Of the motion, in seconds.")] = 20.0,
    harmonics: Annotated[int, typer.Option(help="Of the Fourier series.")] = 5,
    rate: Annotated[float, typer.Option(help="Samples a second.")] = 200.0,
    position: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="Positions, for all joints or one each by commas."),
    ] = None,
    velocity: Annotated[
        str | None, typer.Option(metavar="V", help="Largest; one number, or one a joint by commas.")
    ] = None,
    acceleration: Annotated[
        str | None, typer.Option(metavar="A", help="Largest; as for velocity.")
    ] = None,
    torque: Annotated[
        str | None, typer.Option(metavar="TAU", help="Largest; as for velocity.")
    ] = None,
    margin: Annotated[float, typer.Option(help="Share of all limits that is kept free.")] = 0.05,
    noise: Annotated[
        str | None, typer.Option(metavar="SIGMA", help="Standard deviation of measured torques.")
    ] = None,
    friction: Annotated[
        bool, typer.Option("--friction/--no-friction", help="Whether to identify friction.")
    ] = True,
    rotor: Annotated[bool, typer.Option("--rotor", help="Identify rotor inertias.")] = False,
    speed: Annotated[
        float, typer.Option(help="Share of the limits of velocity and acceleration to use.")
    ] = 1.0,
    start: Annotated[
        str | None,
        typer.Option(metavar="Q,Q,...", help="Where to start; where it is best if left out."),
    ] = None,
    end: Annotated[
        str | None, typer.Option(metavar="Q,Q,...", help="Where to end; at the start if left out.")
    ] = None,
    floor: Annotated[
        float | None,
        typer.Option(metavar="Z", help="Stay above this height in the base frame, in metres."),
    ] = None,
    walls: Annotated[
        list[str] | None,
        typer.Option(
            "--wall",
            metavar="NX,NY,NZ,D",
            help="Stay where nx x + ny y + nz z >= d, in the base frame; for each wall.",
        ),
    ] = None,
    self_collision: Annotated[
        bool | None,
        typer.Option(
            "--self-collision/--no-self-collision",
            help="Keep links clear of each other; the default with --floor or --wall.",
        ),
    ] = None,
    radius: Annotated[
        str | None,
        typer.Option(
            metavar="R",
            help="Of capsules along the links, one or one a link; without it, capsules enclose "
            "the solids of the robot's file.",
        ),
    ] = None,
    clearance: Annotated[float, typer.Option(help="Least distance to keep, in metres.")] = 0.0,
    repeats: Annotated[int | None, typer.Option(help="Periods in the duration.")] = None,
    evaluations: Annotated[int, typer.Option(help="Motions that are tried.")] = 20_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same motion.")] = 0,
    restarts: Annotated[int, typer.Option(help="Searches, of which the best counts.")] = 1,
    client: ClusterOption = None,
    workers: WorkersOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help=f"Write t, q, qd, qdd: {written_in_words()}."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"Draw it, as {PICTURES_IN_WORDS}.")
    ] = None,
    tip: TipOption = None,
    base: BaseOption = None,
    strict: StrictOption = True,
    snap: SnapOption = True,
    as_json: JsonOption = False,
) -> None:
    """Find the motion that tells most about an arm's parameters, within its limits.

    With --floor, --wall or --self-collision, the links keep clear of these planes and of each
    other, checked at 1 kHz. Other obstacles are not known: check the motion in a simulator first.
    """
    check_motion_files(output, plot)
    arm, _ = open_arm(robot, base, tip, strict, snap)
    with (
        opened_client(client, workers) as opened,
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
            torque=numbers("torque", torque),
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
