"""`armdyn page`: an arm, and a motion of it, as a page for a browser."""

from __future__ import annotations

from pathlib import Path

from armdyn.cli.console import JsonOption, plain, print_json, show
from armdyn.cli.option_names import argument, flag, option
from armdyn.cli.options.log import NO_LOG, LogOptions, keep_inputs, read_logs
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.present.html import check_page


def page(
    robot: RobotOptions,
    reading: LogOptions,
    log: Path | None = argument("[LOG]", "Log or saved run to play.", default=None),
    path: Path = option("Output file (.html).", "FILE", default=Path("arm.html"), name="--out"),
    meshes: bool = flag("--meshes", "Include the meshes of the robot file, simplified."),
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
