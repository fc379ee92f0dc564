"""`armdyn convert`: the file of an arm in another format."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from armdyn.cli.console import JsonOption, complain, print_json, show
from armdyn.cli.conversion import TOLERANCE, Comparison, Item, compared
from armdyn.cli.option_names import argument
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.errors import ArmdynError, InputError, RobotFileError, RobotWarning
from armdyn.present.tables import Grid, Tone, Toned
from armdyn.robot.files import checked_writer, lost_on_export, read_robot, write_robot
from armdyn.robot.model import Robot
from armdyn.writing import check_target, check_writable, scratch_folder, write_whole

OTHERS = Item(
    "visuals, sensors and whatever else the file has",
    "lost",
    "only the arm is written; `armdyn.save(..., into=FILE)` keeps all of a file",
)

TONES: dict[str, Tone] = {"kept": "good", "changed": "fair", "lost": "bad"}


def convert(
    robot: RobotOptions,
    out: Path = argument("OUT", "File to write; the suffix sets the format."),
    as_json: JsonOption = False,
) -> None:
    """Convert a robot file to another format; exit status 1 if the torques differ."""
    checked_writer(out)
    source = str(robot)
    if os.path.exists(out) and os.path.exists(source) and out.samefile(source):
        raise InputError(f"{out} is the file to read; give the new one another name.")
    check_target(out, RobotFileError)
    check_writable(out.parent, [out.name])
    arm, said = open_arm(robot)
    data, again = _converted(arm.robot, out)
    found = compared(arm.robot, again)
    if arm.robot.frames:  # from a file of links, which has more than an arm
        found = replace(found, items=(*found.items, OTHERS))
    if found.agrees:
        write_whole(out, data, RobotFileError)
    told = {
        "reading": [*said, *arm.robot.notes],
        "not seen by other programs": lost_on_export(arm.robot, out),
    }
    if as_json:
        print_json(_as_json(source, out, found, told))
    else:
        _show(source, out, found, told)
    if not found.agrees:
        complain(
            f"error: {out} was not written: what it holds differs from {robot} by "
            f"{max(found.torque_error, found.pose_error):.1e}, more than {TOLERANCE:.0e}."
        )
        raise typer.Exit(1)


def _converted(robot: Robot, out: Path) -> tuple[bytes, Robot]:
    """Return the bytes of the new file, and the arm that is read from them."""
    try:
        with scratch_folder() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", RobotWarning)  # the table says it
            path = folder / out.name
            write_robot(robot, path)
            return path.read_bytes(), read_robot(path, strict=False)
    except OSError as error:
        raise ArmdynError(f"no temporary folder for a trial: {error.strerror or error}.") from error


def _show(robot: str, out: Path, found: Comparison, told: dict[str, list[str]]) -> None:
    rows = tuple(
        (item.what, Toned(item.verdict, TONES[item.verdict]), item.detail) for item in found.items
    )
    title = f"{robot} -> {out}, compared at {found.states} random states"
    show(Grid(title, ("part of the arm", "is", ""), 3, rows))
    for what, sentences in told.items():
        if sentences:
            show("", f"{what}:", *(f"- {sentence}" for sentence in sentences))


def _as_json(
    robot: str, out: Path, found: Comparison, told: dict[str, list[str]]
) -> dict[str, Any]:
    return {
        "in": robot,
        "out": str(out),
        "agrees": found.agrees,
        "torque_error": found.torque_error,
        "pose_error": found.pose_error,
        "states": found.states,
        "parts": [
            {"what": item.what, "verdict": item.verdict, "detail": item.detail}
            for item in found.items
        ],
        **{what.replace(" ", "_"): sentences for what, sentences in told.items()},
    }
