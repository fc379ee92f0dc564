"""`armdyn view`: an arm, and a motion of it, live in a browser."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.console import plain, show
from armdyn.cli.options.log import NO_LOG, LogOptions, read_logs
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.errors import InputError


def view(
    robot: RobotOptions,
    reading: LogOptions,
    log: Annotated[
        Path | None,
        typer.Argument(metavar="[LOG]", help="Log or saved run to play."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(help="TCP port of the server.", show_default="the first free one from 8080"),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 admits other machines.")
    ] = "127.0.0.1",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    loop: Annotated[bool, typer.Option("--loop", help="Repeat the motion.")] = False,
) -> None:
    """View an arm live in a browser; Ctrl-C stops."""
    if log is None:
        reading.refuse(NO_LOG)
        if loop:
            raise InputError(f"--loop {NO_LOG}")
    arm, _ = open_arm(robot, meshes=True)
    options = reading.arguments(arm.n)
    motion = read_logs(arm, [log], options)[0] if log else None
    packages = robot.packages or ()
    with arm.view(port=port, host=host, browser=browser, packages=packages) as viewer:
        with suppress(KeyboardInterrupt):  # as soon as the address is told
            if motion is not None:
                viewer.play(motion, loop=loop)
            show(f"{plain(arm.name)} is at {viewer.url} (Ctrl-C ends it)")
            viewer.wait()
    show("closed.")
