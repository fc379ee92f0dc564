"""The robot argument of the command line, and the options for reading a robot."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.cli.console import complain, plain
from armdyn.cli.option_names import reading_options
from armdyn.errors import ArmdynError, FileError, InputError, RobotWarning
from armdyn.log.formats import format_written
from armdyn.present.pictures import check_picture
from armdyn.robot.files import into_options
from armdyn.robot.formats.registry import suffixes_in_words
from armdyn.robot.library import bundled_names


def _bundled(incomplete: str) -> list[str]:
    """Return bundled robots for shell completion; if none matches, the shell completes files."""
    return [name for name in bundled_names() if name.startswith(incomplete)]


RobotArgument = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help=f"A bundled robot's name, or a {suffixes_in_words()} file.",
        autocompletion=_bundled,
    ),
]
TipOption = Annotated[str | None, typer.Option(help="The link at which the arm ends.")]
BaseOption = Annotated[str | None, typer.Option(help="The link at which the arm begins.")]
StrictOption = Annotated[
    bool, typer.Option("--strict/--no-strict", help="Refuse inertias that no body can have.")
]
# Where --strict is about something else.
LenientOption = Annotated[
    bool, typer.Option(" /--no-strict", help="Accept inertias that no body can have.")
]
SnapOption = Annotated[
    bool, typer.Option("--snap/--no-snap", help="Take almost right angles for exact.")
]


def open_arm(
    robot: str,
    base: str | None,
    tip: str | None,
    strict: bool,
    snap: bool,
    *,
    meshes: bool = False,
) -> tuple[Arm, list[str]]:
    """Load a robot; return it and its warnings, which are also printed.

    With `meshes`, --packages are folders of meshes too: files that include no others may have them.
    """
    options = reading_options()
    if meshes and "packages" not in into_options(Path(robot)):
        options.pop("packages", None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotWarning)
        try:
            arm = load(robot, base=base, tip=tip, strict=strict, snap=snap, **options)
        except ArmdynError as error:
            raise _without_links(error) from None
    said = [str(w.message) for w in caught if issubclass(w.category, RobotWarning)]
    for sentence in said:
        complain(f"warning: {sentence}")
    return arm, said


def _without_links(error: ArmdynError) -> ArmdynError:
    """Return the error with `without` called `without_links`: some verbs have another --without."""
    error.args = (str(error).replace("`without`", "`without_links`"),)
    if error.argument == "without":
        error.argument = "without_links"
    return error


# Options of verbs that make a motion: numbers for all joints or one each, files to write.


def check_motion_files(output: Path | None, plot: Path | None) -> None:
    """Refuse, before any work, files that cannot be written."""
    if output:
        format_written(output, "motions")
        if not output.parent.is_dir():
            raise FileError(output, f"cannot be written: no folder {output.parent}; make it first.")
    if plot:
        check_picture(plot)


def numbers(name: str, words: str | None) -> float | list[float] | None:
    """Return one number, or one for each joint by commas."""
    if words is None:
        return None
    try:
        found = [float(word) for word in words.split(",")]
    except ValueError:
        raise InputError(
            f"--{name} is {plain(words)!r}, expected a number, or one for each joint by commas."
        ) from None
    return found[0] if len(found) == 1 else found
