"""`armdyn payload`: the load that an arm holds."""

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
from armdyn.errors import InputError
from armdyn.identification.payload.identify_payload import identify_payload
from armdyn.identification.payload.payload import PAYLOAD_FILES
from armdyn.identification.tables import load_values
from armdyn.writing import check_writable


def payload(
    robot: RobotOptions,
    reading: LogOptions,
    logs: Annotated[list[Path], typer.Argument(metavar="HELD...", help="Logs with the payload.")],
    without: Annotated[
        Path | None,
        typer.Option("--empty", metavar="LOG", help="Log of the same motion without the payload."),
    ] = None,
    out: Annotated[Path | None, OUT_FOLDER] = None,
    gain_error: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Relative standard deviation of the drive gains; 0 if calibrated.",
        ),
    ] = 0.06,
    friction: Annotated[
        bool | None,
        typer.Option(
            "--friction/--no-friction", help="Fit friction again.", show_default="without --empty"
        ),
    ] = None,
    cutoff: CutoffOption = None,
    as_json: JsonOption = False,
) -> None:
    """Identify a payload: mass, centre of mass, inertia; exit status 1 if the mass is unknown."""
    if without and without.resolve() in [log.resolve() for log in logs]:
        raise InputError(
            f"--empty is {plain(str(without))}, a log with the payload; give one without it."
        )
    if out:
        keep_inputs(out, PAYLOAD_FILES, [str(robot), *logs, *([without] if without else ())])
        check_writable(out, PAYLOAD_FILES)
    arm, _ = open_arm(robot)
    options = reading.arguments(arm.n)
    held = read_logs(arm, logs, options)
    empty = read_logs(arm, [without], options)[0] if without else None
    with progress_bar(as_json=as_json) as progress:
        found = identify_payload(
            arm, held, without=empty, friction=friction, gain_error=gain_error, cutoff=cutoff,
            progress=progress,
        )  # fmt: skip
    paths = found.save(out) if out else ()
    if as_json:
        print_json({**found.to_dict(), "files": [str(path) for path in paths]})
        complain(found.verdict)
    else:
        show(load_values(found), "", found.verdict, *(f"  - {note}" for note in found.notes))
        if out:
            show("", f"{out}: {', '.join(PAYLOAD_FILES)}")
    if not found.passed:
        raise typer.Exit(1)
