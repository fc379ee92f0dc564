"""`armdyn gains`: torque per ampere of every drive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.console import (
    OUT_FOLDER,
    JsonOption,
    complain,
    plain,
    print_json,
    progress_bar,
    show,
)
from armdyn.cli.options.identify import CutoffOption
from armdyn.cli.options.log import LogOptions, keep_inputs, read_logs
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.errors import InputError, shown
from armdyn.identification.payload.identify_gains import identify_drive_gains
from armdyn.identification.payload.payload import Load
from armdyn.identification.tables import gain_values
from armdyn.writing import check_writable

FILE = "gains.json"


def gains(
    robot: RobotOptions,
    reading: LogOptions,
    with_load: Annotated[
        list[Path],
        typer.Argument(metavar="HELD...", help="Logs of motor currents with the payload."),
    ],
    without: Annotated[
        list[Path],
        typer.Option(
            "--empty", metavar="LOG", help="Log of currents without the payload; repeatable."
        ),
    ],
    mass: Annotated[float, typer.Option(metavar="KG", help="Mass of the payload [kg].")],
    com: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,Z",
            help="Centre of mass of the payload in the tip frame [m].",
            show_default="estimated",
        ),
    ] = None,
    out: Annotated[Path | None, OUT_FOLDER] = None,
    cutoff: CutoffOption = None,
    as_json: JsonOption = False,
) -> None:
    """Identify drive gains (torque per ampere) with a known mass; exit status 1 if one fails."""
    held = [log.resolve() for log in with_load]
    for log in without:
        if log.resolve() in held:
            raise InputError(
                f"--empty is {plain(str(log))}, a log with the payload; give one without it."
            )
    if not mass > 0.0:
        raise InputError(f"--mass is {mass:g}, expected the mass of the load in kg, above 0.")
    load = mass if com is None else Load(mass=mass, com=_centre(com))
    if out:
        keep_inputs(out, (FILE,), [str(robot), *with_load, *without])
        check_writable(out, (FILE,))
    arm, _ = open_arm(robot)
    options = reading.arguments(arm.n)
    options["torque"] = "current"
    empty, loaded = read_logs(arm, without, options), read_logs(arm, with_load, options)
    with progress_bar(as_json=as_json) as progress:
        found = identify_drive_gains(arm, empty, loaded, load, cutoff=cutoff, progress=progress)
    paths = found.save_in(out) if out else ()
    if as_json:
        print_json({**found.to_dict(), "files": [str(path) for path in paths]})
        complain(found.verdict)
    else:
        show(gain_values(found), "", found.verdict, *(f"  - {note}" for note in found.notes))
        if out:
            show("", f"{out}: {FILE}")
    if not found.passed:
        raise typer.Exit(1)


def _centre(words: str) -> tuple[float, float, float]:
    try:
        x, y, z = (float(word) for word in words.split(","))
    except ValueError:
        raise InputError(
            f"--com is {plain(shown(words))}, expected three numbers by commas: 0,0,0.05."
        ) from None
    return x, y, z
