"""`armdyn view`: an arm, and a motion of it, live in a browser."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.console import plain, show
from armdyn.cli.option_names import reading_options
from armdyn.cli.options.log import (
    ColumnsOption,
    DropOption,
    GearOption,
    SortOption,
    TimeUnitOption,
    UnitsOption,
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


def view(
    robot: RobotArgument,
    log: Annotated[
        Path | None,
        typer.Argument(metavar="[LOG]", help="A log or a saved run: a motion to play."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Of the address; default: a free one from 8080 on.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 for other machines too.")
    ] = "127.0.0.1",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    loop: Annotated[bool, typer.Option("--loop", help="Play again and again.")] = False,
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
) -> None:
    """Show an arm live in a browser: move it, play a log, let it go; Ctrl-C ends it."""
    if log is None and (units or time_unit or columns or gear or sort or missing or loop):
        raise InputError("options of a log are given, but no log; name its file after the robot.")
    arm, _ = open_arm(robot, base, tip, strict, snap, meshes=True)
    options = reading(arm.n, units, time_unit, columns, gear, sort, missing)
    motion = read_logs(arm, [log], options)[0] if log else None
    packages = reading_options(("packages",)).get("packages", ())
    with arm.view(port=port, host=host, browser=browser, packages=packages) as viewer:
        with suppress(KeyboardInterrupt):  # as soon as the address is told
            if motion is not None:
                viewer.play(motion, loop=loop)
            show(f"{plain(arm.name)} is at {viewer.url} (Ctrl-C ends it)")
            viewer.wait()
    show("closed.")
