"""The robot of a verb: its argument, the options for reading it, and motions of it."""

from __future__ import annotations

import math
import shlex
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.cli.console import complain, plain
from armdyn.cli.option_names import WORDS
from armdyn.errors import ArmdynError, FileError, InputError, RobotWarning, shown
from armdyn.log.formats import format_written, is_log_path, written_in_words
from armdyn.log.stamps import MAX_POSITION
from armdyn.present.pictures import check_picture
from armdyn.robot.files import into_options
from armdyn.robot.formats.registry import format_read, suffixes_in_words
from armdyn.robot.leniency import WAIVABLE
from armdyn.robot.library import bundled_names


def _bundled(incomplete: str) -> list[str]:
    """Return bundled robots for shell completion; if none matches, the shell completes files."""
    return [name for name in bundled_names() if name.startswith(incomplete)]


def _check_robot_first(ctx: typer.Context, robot: str) -> str:
    """Refuse a log in the place of the robot, in a verb that reads both."""
    arguments = [p for p in ctx.command.params if p.param_type_name == "argument"]
    if len(arguments) < 2 or not is_log_path(Path(robot)):
        return robot
    words: list[str] = ctx.meta[WORDS]
    values = cast(Any, ctx.command).make_parser(ctx).parse_args(args=list(words))[0]
    place = words.index(robot)
    for argument in arguments[1:]:
        value = values.get(argument.name or "")
        for other in [value] if isinstance(value, str) else value or ():
            if other in bundled_names() or format_read(Path(other)):
                words[words.index(other)] = robot
                words[place] = other
                break
    if words[place] == robot:
        words.insert(place, "ROBOT")
    raise InputError(
        f"{plain(robot)} is a log; the robot comes first: "
        f"{ctx.command_path} {plain(shlex.join(words))}"
    )


@dataclass(frozen=True)
class RobotOptions:
    """The robot of a verb, and the options for reading its file."""

    robot: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT",
            help=f"Bundled robot, or a {suffixes_in_words()} file.",
            autocompletion=_bundled,
            callback=_check_robot_first,
        ),
    ]
    tip: Annotated[
        str | None,
        typer.Option(
            metavar="LINK",
            help="Tip link (end of the chain).",
            show_default="where the arm ends or branches",
        ),
    ] = None
    base: Annotated[
        str | None,
        typer.Option(
            metavar="LINK", help="Base link (start of the chain).", show_default="the root"
        ),
    ] = None
    without_links: Annotated[
        str | None,
        typer.Option(
            metavar="L,L",
            help="Remove these links and everything attached to them, such as a gripper.",
        ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option(
            "--strict/--no-strict",
            help="Refuse physically inconsistent inertias; --no-strict warns.",
        ),
    ] = True
    waive: Annotated[
        str | None,
        typer.Option(
            metavar="C,C", help=f"Downgrade these checks to warnings: {', '.join(WAIVABLE)}."
        ),
    ] = None
    snap: Annotated[
        bool,
        typer.Option(
            "--snap/--no-snap", help="Round near-right angles of the geometry to exact ones."
        ),
    ] = True
    arguments: Annotated[
        list[str] | None,
        typer.Option("--arg", metavar="NAME=VALUE", help="xacro argument; repeatable."),
    ] = None
    packages: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FOLDER", help="Search path of ROS packages, includes and meshes; repeatable."
        ),
    ] = None

    def __str__(self) -> str:
        """Return the robot's name or file."""
        return self.robot

    def of_file(self, wanted: Collection[str] | None = None) -> dict[str, Any]:
        """Return the arguments of `load` that depend on the format of the file: all, or some."""
        values: dict[str, Any] = {
            name: [word.strip() for word in text.split(",")]
            for name, text in (("without", self.without_links), ("waive", self.waive))
            if text is not None
        }
        if self.packages:
            values["packages"] = self.packages
        if self.arguments:
            values["arguments"] = dict(_argument(text) for text in self.arguments)
        return {name: values[name] for name in values if wanted is None or name in wanted}


def _argument(text: str) -> tuple[str, str]:
    """Return the name and the value of a xacro argument; ROS separates them by :=."""
    name, equals, value = text.partition("=")
    if not equals or not name.rstrip(":").strip():
        raise InputError(
            f"`arguments` is {shown(text)}, expected NAME=VALUE.", argument="arguments"
        )
    return name.rstrip(":").strip(), value


def open_arm(robot: RobotOptions, *, meshes: bool = False) -> tuple[Arm, list[str]]:
    """Load a robot; return it and its warnings, which are also printed.

    With `meshes`, --packages are folders of meshes too: files that include no others may have them.
    """
    options = robot.of_file()
    if meshes and "packages" not in into_options(Path(robot.robot)):
        options.pop("packages", None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotWarning)
        try:
            arm = load(
                robot.robot, base=robot.base, tip=robot.tip, strict=robot.strict, snap=robot.snap,
                **options,
            )  # fmt: skip
        except ArmdynError as error:
            raise _without_links(error) from None
    messages = [str(w.message) for w in caught if issubclass(w.category, RobotWarning)]
    for message in messages:
        complain(f"warning: {message}")
    return arm, messages


def _without_links(error: ArmdynError) -> ArmdynError:
    """Return the error with `without` called `without_links`: some verbs have another `without`."""
    error.args = (str(error).replace("`without`", "`without_links`"),)
    if error.argument == "without":
        error.argument = "without_links"
    return error


# Options of verbs that compute a motion: limits, and files to write.

PER_JOINT = "one number, or one per joint by commas"
VelocityOption = Annotated[
    str | None,
    typer.Option(
        metavar="V", help=f"Velocity limit: {PER_JOINT}.", show_default="of the robot file"
    ),
]
AccelerationOption = Annotated[
    str | None,
    typer.Option(metavar="A", help=f"Acceleration limit: {PER_JOINT}."),
]
EffortOption = Annotated[
    str | None,
    typer.Option(
        "--effort", metavar="TAU", help=f"Torque or force limit: {PER_JOINT}.",
        show_default="of the robot file",
    ),
]  # fmt: skip
OutMotionOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE",
        help=f"Write the motion (t, q, qd, qdd) as {written_in_words()}.",
    ),
]  # fmt: skip
DegreesOption = Annotated[
    bool | None,
    typer.Option(
        "--degrees/--radians", help="Unit of the angles on the command line.",
        show_default="radians",
    ),
]  # fmt: skip


def check_motion_files(output: Path | None, plot: Path | None) -> None:
    """Refuse, before any work, files that cannot be written."""
    if output:
        format_written(output, "motions")
        if not output.parent.is_dir():
            raise FileError(output, f"cannot be written: no folder {output.parent}; make it first.")
    if plot:
        check_picture(plot)


def in_radians(arm: Arm, option: str, positions: list[float], degrees: bool | None) -> list[float]:
    """Return positions in radians; ask for the unit if they could be degrees.

    Args:
        arm: the arm.
        option: the option that has the positions.
        positions: one for each joint.
        degrees: whether angles are degrees; None: radians if none is more than a turn.
    """
    revolute = [joint.is_revolute for joint in arm.robot.joints]
    if degrees:
        return [
            math.radians(x) if turns else x for x, turns in zip(positions, revolute, strict=True)
        ]
    for name, x, turns in zip(arm.joint_names, positions, revolute, strict=True):
        if degrees is None and turns and math.tau < abs(x) <= MAX_POSITION:
            raise InputError(
                f"{option} has {x:g} for {plain(name)}, more than a turn in radians: is it in "
                "degrees? Add --degrees, or --radians if it is right."
            )
    return positions
