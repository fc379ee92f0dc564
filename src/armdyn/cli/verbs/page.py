"""`armdyn page`: an arm, and a motion of it, as a page for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.console import JsonOption, plain, print_json, show
from armdyn.cli.option_names import reading_options
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
from armdyn.present.html import check_page


def page(
    robot: RobotArgument,
    log: Annotated[
        Path | None,
        typer.Argument(metavar="[LOG]", help="A log or a saved run: a motion to play."),
    ] = None,
    path: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page, as .html.")
    ] = Path("arm.html"),
    meshes: Annotated[
        bool, typer.Option("--meshes", help="Draw the meshes of the robot's file, thinned out.")
    ] = False,
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
    """Write a page in which an arm moves by its own dynamics; with a log, plays it."""
    check_page(path)
    keep_inputs(path.parent, [path.name], [robot, *([log] if log else ())])
    if log is None and (units or time_unit or columns or gear or sort or missing):
        raise InputError("options of a log are given, but no log; name its file after the robot.")
    arm, warned = open_arm(robot, base, tip, strict, snap, meshes=meshes)
    options = reading(arm.n, units, time_unit, columns, gear, sort, missing)
    arm.page(
        path,
        log=read_logs(arm, [log], options)[0] if log else None,
        meshes=meshes,
        packages=reading_options(("packages",)).get("packages", ()) if meshes else (),
    )
    size = path.stat().st_size
    if as_json:
        print_json({"name": arm.name, "written": str(path), "bytes": size, "warnings": warned})
        return
    show(f"written: {plain(str(path))}, {size / 1e6:.2g} MB; open it in a browser.")
