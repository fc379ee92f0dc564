"""`armdyn view`: an arm, and a motion of it, live in a browser."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from armdyn.cli.console import plain, show
from armdyn.cli.option_names import argument, flag, option
from armdyn.cli.options.log import NO_LOG, LogOptions, read_logs
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.errors import InputError


def view(
    robot: RobotOptions,
    reading: LogOptions,
    log: Path | None = argument("[LOG]", "Log or saved run to play.", default=None),
    port: int | None = option("TCP port of the server.", shown="the first free one from 8080"),
    host: str = option("Address to listen on; 0.0.0.0 admits other machines.", default="127.0.0.1"),
    browser: bool = option("Open the page in a browser.", default=True),
    loop: bool = flag("--loop", "Repeat the motion."),
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
