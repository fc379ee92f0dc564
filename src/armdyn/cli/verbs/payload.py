"""`armdyn payload`: the load that an arm holds."""

from __future__ import annotations

from pathlib import Path

from armdyn.cli.console import JsonOption, progress_bar
from armdyn.cli.option_names import argument, option, out_folder
from armdyn.cli.options.identify import CUTOFF, check_payload_files, show_estimate
from armdyn.cli.options.log import LogOptions, read_logs
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.identification.payload.identify_payload import identify_payload
from armdyn.identification.payload.payload import PAYLOAD_FILES
from armdyn.identification.tables import load_values


def payload(
    robot: RobotOptions,
    reading: LogOptions,
    logs: list[Path] = argument("HELD...", "Logs with the payload."),
    without: Path | None = option(
        "Log of the same motion without the payload.", "LOG", name="--empty"
    ),
    out: Path | None = out_folder(),
    gain_error: float = option(
        "Relative standard deviation of the drive gains; 0 if calibrated.", "SHARE", default=0.06
    ),
    friction: bool | None = option("Fit friction again.", shown="without --empty"),
    cutoff: float | None = CUTOFF,
    as_json: JsonOption = False,
) -> None:
    """Identify a payload: mass, centre of mass, inertia; exit status 1 if the mass is unknown."""
    check_payload_files(out, PAYLOAD_FILES, str(robot), logs, [without] if without else [])
    arm, _ = open_arm(robot)
    options = reading.arguments(arm.n)
    held = read_logs(arm, logs, options)
    empty = read_logs(arm, [without], options)[0] if without else None
    with progress_bar(as_json=as_json) as progress:
        found = identify_payload(
            arm, held, without=empty, friction=friction, gain_error=gain_error, cutoff=cutoff,
            progress=progress,
        )  # fmt: skip
    show_estimate(found, load_values(found), found.save(out) if out else (), as_json)
