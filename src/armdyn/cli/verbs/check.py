"""`armdyn check`: the health of recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.cli.console import (
    JsonOption,
    complain,
    print_json,
    printed_warnings,
    progress_bar,
    show,
)
from armdyn.cli.option_names import argument, error_in_options, in_options, option
from armdyn.cli.options.log import LogOptions, keep_inputs
from armdyn.cli.options.robot import own_description, robot_file
from armdyn.errors import ArmdynError, InputError, LogError, LogWarning, RobotWarning
from armdyn.log.many import log_paths
from armdyn.present.pictures import PICTURES_IN_WORDS, SUFFIXES, check_picture
from armdyn.recording.check import LogCheck
from armdyn.recording.reading import check_file
from armdyn.writing import check_writable


def check(
    reading: LogOptions,
    logs: list[Path] = argument("LOG...", "Recordings: files, folders or patterns."),
    robot: str | None = option(
        "Bundled robot, or a robot file.", "ROBOT", shown="that of the recording, if it has one"
    ),
    tip: str | None = option(
        "Tip link (end of the chain).", "LINK", shown="where the arm ends or branches"
    ),
    base: str | None = option("Base link (start of the chain).", "LINK", shown="the root"),
    out: Path | None = option(
        f"Picture of one recording ({PICTURES_IN_WORDS}), or a folder for pictures of all.",
        "PATH",
        name="--out",
    ),
    as_json: JsonOption = False,
) -> None:
    """Check the health of recordings; exit status 1 if one has a fault."""
    files = [file for path in logs for file in log_paths(path)]
    pictures = _pictures(out, files)
    arm = _arm(robot, base, tip) if robot is not None else None
    if arm is None and (tip or base):
        raise InputError("--tip and --base are links of a robot; name its file with --robot.")
    checks: list[LogCheck | LogError] = []
    with progress_bar(as_json=as_json) as progress, printed_warnings(LogWarning):
        for k, file in enumerate(files):
            progress(k, len(files), file.name)
            try:
                checks.append(_checked(file, arm, reading))
            except LogError as error:  # others are checked all the same
                if len(files) == 1:
                    raise
                checks.append(error)
    for k, one in enumerate(checks):
        if pictures and isinstance(one, LogCheck):
            pictures[k].parent.mkdir(parents=True, exist_ok=True)
            one.plot(pictures[k])
    ok = all(isinstance(one, LogCheck) and one.ok for one in checks)
    if as_json:
        print_json({"ok": ok, "logs": [_as_data(one) for one in checks]})
    for one in checks if not as_json else ():
        if isinstance(one, LogError):
            show(f"error: {error_in_options(one)}")
            continue
        grid = one.grid()
        show(one.title, one.joint_grid(), *((grid,) if grid.rows else ()))
    if not ok:
        raise typer.Exit(1)


def _as_data(one: LogCheck | LogError) -> dict[str, Any]:
    if isinstance(one, LogCheck):
        return one.to_dict()
    return {"source": str(one.path), "ok": False, "error": error_in_options(one)}


def _checked(file: Path, arm: Arm | None, reading: LogOptions) -> LogCheck:
    """Return the check of a file, and print what was guessed when it was read."""
    own = _own_arm(file) if arm is None else arm
    try:
        one = check_file(file, own, reading.arguments(own.n if own is not None else 0))
    except LogError as error:
        if arm is not None or own is None:
            raise
        complain(
            f"note: its robot description does not fit: {error_in_options(error)} Checked without."
        )
        one = check_file(file, None, reading.arguments(0))
    for note in one.log.notes:
        complain(f"note: {file}: {in_options(note)}")
    return one


def _pictures(out: Path | None, files: list[Path]) -> list[Path]:
    """Return the pictures to write, one for each file, or none; refuse them before any work."""
    if out is None:
        return []
    if out.suffix.lower() in SUFFIXES:
        if len(files) > 1:
            raise InputError(
                f"--out is one picture, {out}, but there are {len(files)} recordings; name a "
                "folder for their pictures."
            )
        made = [out]
    else:
        names = [f"{file.stem}.png" for file in files]
        twice = {name for name in names if names.count(name) > 1}
        made = [out / (f"{k}-{name}" if name in twice else name) for k, name in enumerate(names, 1)]
        check_writable(out, [path.name for path in made])
    for path in made:
        keep_inputs(path.parent, [path.name], files)
    if out.suffix:
        check_picture(made[0])
    return made


def _arm(robot: str, base: str | None, tip: str | None) -> Arm:
    with printed_warnings(RobotWarning):
        return load(robot, base=base, tip=tip)


def _own_arm(path: Path) -> Arm | None:
    """Return the arm of the description that a recording of ROS has; None if it has none."""
    if own_description(path) is None:
        return None
    try:
        with robot_file(str(path)) as file:
            return _arm(file, None, None)
    except ArmdynError as error:
        complain(f"note: {error} Checked without; --robot names another.")
        return None
