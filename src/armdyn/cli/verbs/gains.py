"""`armdyn gains`: torque per ampere of every drive."""

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
from armdyn.errors import InputError, shown
from armdyn.identification.gains.identify_gains import identify_drive_gains
from armdyn.identification.payload.load import Load
from armdyn.identification.tables import gain_values
from armdyn.writing import check_writable

FILE = "gains.json"


def gains(
    robot: RobotArgument,
    with_load: Annotated[
        list[Path],
        typer.Argument(metavar="HELD...", help="Logs of motor currents with the load."),
    ],
    without: Annotated[
        list[Path],
        typer.Option(metavar="EMPTY", help="A log of currents without the load; may be repeated."),
    ],
    mass: Annotated[float, typer.Option(metavar="KG", help="The known mass of the load.")],
    com: Annotated[
        str | None,
        typer.Option(metavar="X,Y,Z", help="Centre of mass from the tip in m; found if left out."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="The folder to write to.")
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
    """Find torque per ampere of every drive by a known mass; exit status 1 if one is not known."""
    held = [log.resolve() for log in with_load]
    if any(log.resolve() in held for log in without):
        raise InputError("--without is a log with the load; give another.")
    if not mass > 0.0:
        raise InputError(f"--mass is {mass:g}, expected the mass of the load in kg, above 0.")
    load = mass if com is None else Load(mass=mass, com=_centre(com))
    if out:
        keep_inputs(out, (FILE,), [robot, *with_load, *without])
        check_writable(out, (FILE,))
    arm, _ = open_arm(robot, base, tip, strict, snap)
    options = reading(arm.n, units, time_unit, columns, gear, sort, missing)
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
