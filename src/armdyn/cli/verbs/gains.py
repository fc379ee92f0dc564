"""`armdyn gains`: torque per ampere of every drive."""

from __future__ import annotations

from pathlib import Path

from armdyn.cli.console import JsonOption, progress_bar
from armdyn.cli.option_names import argument, option, out_folder, separated
from armdyn.cli.options.identify import CUTOFF, check_payload_files, show_estimate
from armdyn.cli.options.log import LogOptions, read_logs
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.errors import InputError
from armdyn.identification.payload.identify_gains import identify_drive_gains
from armdyn.identification.payload.payload import Load
from armdyn.identification.tables import gain_values

FILE = "gains.json"


def gains(
    robot: RobotOptions,
    reading: LogOptions,
    with_load: list[Path] = argument("HELD...", "Logs of motor currents with the payload."),
    without: list[Path] = option(
        "Log of currents without the payload; repeatable.", "LOG", default=..., name="--empty"
    ),
    mass: float = option("Mass of the payload [kg].", "KG", default=...),
    com: str | None = option(
        "Centre of mass of the payload in the tip frame [m].", "X,Y,Z", shown="estimated"
    ),
    out: Path | None = out_folder(),
    cutoff: float | None = CUTOFF,
    as_json: JsonOption = False,
) -> None:
    """Identify drive gains (torque per ampere) with a known mass; exit status 1 if one fails."""
    check_payload_files(out, (FILE,), str(robot), with_load, without)
    if not mass > 0.0:
        raise InputError(f"--mass is {mass:g}, expected the mass of the load in kg, above 0.")
    load = mass if com is None else Load(mass=mass, com=_centre(com))
    arm, _ = open_arm(robot)
    options = reading.arguments(arm.n)
    options["torque"] = "current"
    empty, loaded = read_logs(arm, without, options), read_logs(arm, with_load, options)
    with progress_bar(as_json=as_json) as progress:
        found = identify_drive_gains(arm, empty, loaded, load, cutoff=cutoff, progress=progress)
    show_estimate(found, gain_values(found), found.save_in(out) if out else (), as_json)


def _centre(words: str) -> tuple[float, float, float]:
    x, y, z = separated("com", words, "three numbers by commas: 0,0,0.05", 3)
    return x, y, z
