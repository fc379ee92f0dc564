"""The robot of a verb: its argument, the options for reading it, and motions of it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.cli.console import plain, printed_warnings
from armdyn.cli.option_names import WORDS, option
from armdyn.errors import ArmdynError, InputError, RobotWarning, shown
from armdyn.log.formats import format_read as log_format
from armdyn.log.formats import format_written, is_log_path, written_in_words
from armdyn.log.stamps import MAX_POSITION
from armdyn.present.html import check_page
from armdyn.present.pictures import check_picture
from armdyn.robot.files import into_options
from armdyn.robot.formats.registry import format_read, suffixes_in_words
from armdyn.robot.leniency import WAIVABLE
from armdyn.robot.library import bundled_names
from armdyn.writing import check_target, scratch_folder


def _bundled(incomplete: str) -> list[str]:
    """Return bundled robots for shell completion; if none matches, the shell completes files."""
    return [name for name in bundled_names() if name.startswith(incomplete)]


def _check_robot_first(ctx: typer.Context, robot: str) -> str:
    """Refuse a log in the place of the robot, in a verb that reads both.

    A recording with a description of its robot may stand there, before the logs.
    """
    arguments = [p for p in ctx.command.params if p.param_type_name == "argument"]
    if len(arguments) < 2 or not is_log_path(Path(robot)):
        return robot
    words: list[str] = ctx.meta[WORDS]
    values = cast(Any, ctx.command).make_parser(ctx).parse_args(args=list(words))[0]
    place = words.index(robot)
    is_described = own_description(Path(robot)) is not None
    for argument in arguments[1:]:
        value = values.get(argument.name or "")
        if value and is_described:
            return robot
        for other in [value] if isinstance(value, str) else value or ():
            if other in bundled_names() or format_read(Path(other)):
                words[words.index(other)] = robot
                words[place] = other
                break
    if words[place] == robot:
        words.insert(place, robot if is_described else "ROBOT")
    if is_described:
        raise InputError(
            f"{plain(robot)} is a log that describes its robot; name it as the robot and as the "
            f"log: {ctx.command_path} {plain(shlex.join(words))}"
        )
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
    tip: str | None = option(
        "Tip link (end of the chain).", "LINK", shown="where the arm ends or branches"
    )
    tips: str | None = option(
        'Tip links of a tree, or "all" ends that move; in place of --tip.', "LINK,LINK"
    )
    followers: str = option(
        'Joints that follow others, such as mimic joints: "move" or "freeze" them.',
        "HOW",
        default="freeze",
    )
    base: str | None = option("Base link (start of the chain).", "LINK", shown="the root")
    without_links: str | None = option(
        "Remove these links and everything attached to them, such as a gripper.", "L,L"
    )
    strict: bool = option(
        "Refuse physically inconsistent inertias; --no-strict warns.", default=True
    )
    waive: str | None = option(f"Downgrade these checks to warnings: {', '.join(WAIVABLE)}.", "C,C")
    snap: bool = option("Round near-right angles of the geometry to exact ones.", default=True)
    arguments: list[str] | None = option("xacro argument; repeatable.", "NAME=VALUE", name="--arg")
    packages: list[str] | None = option(
        "Search path of ROS packages, includes and meshes; repeatable.", "FOLDER"
    )

    def __str__(self) -> str:
        """Return the robot's name or file."""
        return self.robot

    def words(self) -> str:
        """Return the robot and these options as on the command line."""
        parts = [shlex.quote(self.robot)]
        moving = None if self.followers == "freeze" else self.followers
        for name, value in (("tip", self.tip), ("tips", self.tips), ("followers", moving),
                            ("base", self.base), ("waive", self.waive),
                            ("without-links", self.without_links)):  # fmt: skip
            parts += [f"--{name} {shlex.quote(value)}"] if value is not None else []
        parts += [f"--arg {shlex.quote(one)}" for one in self.arguments or ()]
        parts += [f"--packages {shlex.quote(one)}" for one in self.packages or ()]
        parts += [] if self.strict else ["--no-strict"]
        return " ".join([*parts, *([] if self.snap else ["--no-snap"])])

    def of_file(self, wanted: Collection[str] | None = None) -> dict[str, Any]:
        """Return the arguments of `load` that depend on the format of the file: all, or some."""
        values: dict[str, Any] = {
            name: [word.strip() for word in text.split(",")]
            for name, text in (("without", self.without_links), ("waive", self.waive))
            if text is not None
        }
        if self.tips is not None:
            names = [word.strip() for word in self.tips.split(",")]
            values["tips"] = "all" if names == ["all"] else names
        if self.followers != "freeze":
            values["followers"] = self.followers
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


def own_description(path: Path) -> str | None:
    """Return the URDF that a recording of ROS has; None if it has none, or is another file."""
    if not is_log_path(path) or not path.exists() or ".mcap" not in log_format(path).suffixes:
        return None
    from armdyn.log.ros.rosbag import robot_description  # other files do without it

    return robot_description(path)


@contextmanager
def robot_file(name: str) -> Generator[str]:
    """Yield the name of a robot; for a recording of ROS, the file of its own description.

    Raises:
        ArmdynError: the description cannot be used; the message names the recording.
    """
    text = own_description(Path(name))
    if text is None:
        yield name
        return
    with scratch_folder() as folder:
        file = folder / "robot.urdf"
        file.write_text(text, encoding="utf-8")
        try:
            yield str(file)
        except ArmdynError as error:
            words = str(error).replace(f"{file}: ", "").replace(str(file), "it")
            error.args = (f"{name}: its robot description cannot be used: {words}",)
            raise


def open_arm(robot: RobotOptions, *, meshes: bool = False) -> tuple[Arm, list[str]]:
    """Load a robot; return it and its warnings, which are also printed.

    With `meshes`, --packages are folders of meshes too: files that include no others may have them.
    """
    options = robot.of_file()
    if meshes and "packages" not in into_options(Path(robot.robot)):
        options.pop("packages", None)
    with printed_warnings(RobotWarning) as messages:
        try:
            with robot_file(robot.robot) as file:
                arm = load(
                    file, base=robot.base, tip=robot.tip, strict=robot.strict, snap=robot.snap,
                    **options,
                )  # fmt: skip
        except ArmdynError as error:
            raise _without_links(error) from None
    return arm, messages


def _without_links(error: ArmdynError) -> ArmdynError:
    """Return the error with `without` called `without_links`: some verbs have another `without`."""
    error.args = (str(error).replace("`without`", "`without_links`"),)
    if error.argument == "without":
        error.argument = "without_links"
    return error


# Options of verbs that compute a motion: limits, and files to write.

PER_JOINT = "one number, or one per joint by commas"
VELOCITY = option(f"Velocity limit: {PER_JOINT}.", "V", shown="of the robot file")
ACCELERATION = option(f"Acceleration limit: {PER_JOINT}.", "A")
EFFORT = option(
    f"Torque or force limit: {PER_JOINT}.", "TAU", name="--effort", shown="of the robot file"
)
OUT_MOTION = option(
    f"Write the motion (t, q, qd, qdd) as {written_in_words()}.", "FILE", name="--out"
)
DEGREES = option(
    "Unit of the angles on the command line.", name="--degrees/--radians", shown="radians"
)


def check_outputs(
    what: str, logs: Sequence[Path | None], plot: Path | None, page: Path | None = None
) -> None:
    """Refuse, before any work, files that cannot be written.

    Args:
        what: motions or runs, for the error message.
        logs: files in formats of logs.
        plot: a picture.
        page: a web page.
    """
    for path in filter(None, logs):
        format_written(path, what)
        check_target(path)
    if plot:
        check_picture(plot)
    if page:
        check_page(page)


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
