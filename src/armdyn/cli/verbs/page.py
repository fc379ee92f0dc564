"""`armdyn page`: an arm, and a motion of it, as a page for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.console import JsonOption, plain, print_json, show
from armdyn.cli.options.log import NO_LOG, LogOptions, keep_inputs, read_logs
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.present.html import check_page


def page(
    robot: RobotOptions,
    reading: LogOptions,
    log: Annotated[
        Path | None,
        typer.Argument(metavar="[LOG]", help="Log or saved run to play."),
    ] = None,
    path: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Output file (.html).")
    ] = Path("arm.html"),
    meshes: Annotated[
        bool, typer.Option("--meshes", help="Include the meshes of the robot file, simplified.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a web page that simulates an arm or plays a log."""
    check_page(path)
    keep_inputs(path.parent, [path.name], [str(robot), *([log] if log else ())])
    if log is None:
        reading.refuse(NO_LOG)
    arm, warned = open_arm(robot, meshes=meshes)
    options = reading.arguments(arm.n)
    arm.page(
        path,
        log=read_logs(arm, [log], options)[0] if log else None,
        meshes=meshes,
        packages=robot.packages or () if meshes else (),
    )
    size = path.stat().st_size
    if as_json:
        print_json({"name": arm.name, "written": str(path), "bytes": size, "warnings": warned})
        return
    show(f"written: {plain(str(path))}, {size / 1e6:.2g} MB; open it in a browser.")
