"""`armdyn payload`: the load that an arm holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.console import JsonOption, complain, plain, print_json, progress_bar, show
from armdyn.cli.options.identify import CutoffOption
from armdyn.cli.options.log import (
    ColumnsOption,
    DropOption,
    GearOption,
    SortOption,
    TimeUnitOption,
    UnitsOption,
    keep_inputs,
    read_logs,
    reading,
)
from armdyn.cli.options.robot import (
    BaseOption,
    RobotArgument,
    SnapOption,
    StrictOption,
    TipOption,
    open_arm,
)
from armdyn.errors import InputError
from armdyn.identification.payload.identify_payload import identify_payload
from armdyn.identification.payload.payload import PAYLOAD_FILES
from armdyn.identification.tables import load_values
from armdyn.writing import check_writable


def payload(
    robot: RobotArgument,
    logs: Annotated[
        list[Path], typer.Argument(metavar="HELD...", help="Logs of the arm with the load.")
    ],
    without: Annotated[
        Path | None,
        typer.Option(metavar="EMPTY", help="A log of the same motion without the load."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="The folder to write to.")
    ] = None,
    gain_error: Annotated[
        float,
        typer.Option(
            metavar="SHARE", help="Standard deviation of the drives' gains; 0 if calibrated."
        ),
    ] = 0.06,
    friction: Annotated[
        bool | None,
        typer.Option("--friction/--no-friction", help="Fit friction again; else if no --without."),
    ] = None,
    cutoff: CutoffOption = None,
    units: UnitsOption = None,
    time_unit: TimeUnitOption = None,
    columns: ColumnsOption = None,
    gear: GearOption = None,
    sort: SortOption = False,
    missing: DropOption = False,
    tip: TipOption = None,
    base: BaseOption = None,
    strict: StrictOption = True,
    snap: SnapOption = True,
    as_json: JsonOption = False,
) -> None:
    """Find mass, centre of mass and inertia of a load; exit status 1 if the mass is not known."""
    if without and without.resolve() in [log.resolve() for log in logs]:
        raise InputError(
            f"--without is {plain(str(without))}, the log with the load; give another."
        )
    if out:
        keep_inputs(out, PAYLOAD_FILES, [robot, *logs, *([without] if without else ())])
        check_writable(out, PAYLOAD_FILES)
    arm, _ = open_arm(robot, base, tip, strict, snap)
    options = reading(arm.n, units, time_unit, columns, gear, sort, missing)
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
