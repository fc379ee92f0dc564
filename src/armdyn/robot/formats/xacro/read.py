"""xacro files to `Robot`: expanded in an isolated process, then read as URDF."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from armdyn.errors import shown
from armdyn.robot.formats.isolated.process import Isolated
from armdyn.robot.formats.records import Fault, listed, naming
from armdyn.robot.formats.urdf.read import parse_urdf
from armdyn.robot.formats.urdf.write import into_text
from armdyn.robot.formats.xacro.reach import PACKAGE_FILE
from armdyn.robot.meshes import package_folders
from armdyn.robot.model import Robot

_xacro = Isolated("armdyn.robot.formats.xacro.worker", "xacro")


def read_xacro(
    path: str | os.PathLike[str],
    arguments: Mapping[str, object] | None = None,
    packages: Sequence[str | os.PathLike[str]] = (),
    **options: Any,
) -> Robot:
    """Return the serial arm that a xacro file describes.

    Args:
        path: of the file.
        arguments: values of the file's arguments, <xacro:arg>.
        packages: folders of packages, or in which packages are; those of ROS_PACKAGE_PATH and
            AMENT_PREFIX_PATH are searched too.
        options: fields of `ArmOptions`.

    Raises:
        RobotFileError: it cannot be expanded, or does not describe a serial arm.
    """
    return parse_urdf(expanded(path, arguments, packages), path, **options)


def xacro_into(
    robot: Robot,
    original: str | os.PathLike[str],
    *,
    merge_branches: bool = False,
    arguments: Mapping[str, object] | None = None,
    packages: Sequence[str | os.PathLike[str]] = (),
) -> bytes:
    """Return the bytes of the URDF that a xacro file expands to, with the numbers of an arm in it.

    Raises:
        RobotFileError: the file cannot be expanded, describes another arm, or cannot take the
            change.
    """
    text = expanded(original, arguments, packages)
    with naming(original):
        return into_text(robot, text.encode(), merge_branches=merge_branches)


def expanded(
    path: str | os.PathLike[str],
    arguments: Mapping[str, object] | None = None,
    packages: Sequence[str | os.PathLike[str]] = (),
) -> str:
    """Return the URDF that a xacro file expands to.

    Raises:
        RobotFileError: it cannot be expanded; the message names the file, line and macro.
    """
    file = Path(os.path.abspath(path))
    trusted = list(package_folders())
    folders = [os.path.realpath(folder) for folder in packages]
    own = next((up for up in file.parents if os.path.isfile(up / PACKAGE_FILE)), file.parent)
    request = {
        "path": str(file),
        "cwd": os.getcwd(),
        "arguments": {name: _text(value) for name, value in (arguments or {}).items()},
        "own": str(own),
        "folders": [*folders, *trusted],
        "roots": [os.path.realpath(file.parent), os.path.realpath(own), *folders],
        "trusted": trusted,
    }
    with naming(path):
        answer = _xacro.ask(request)
        if "error" in answer:
            raise Fault(f"cannot be expanded: {_error_text(answer)}")
        unknown = [name for name in request["arguments"] if name not in answer["arguments"]]
        if unknown:
            known = listed(sorted(answer["arguments"])) or "none"
            raise Fault(f"it has no argument {shown(unknown[0])}; its arguments are: {known}.")
        if "<link" not in answer["text"] and b"<xacro:" in file.read_bytes():
            raise Fault(_no_link(file))
    return answer["text"]


def _no_link(file: Path) -> str:
    """Return what to do about a file of xacro that expands to nothing: most define macros."""
    users: list[str] = []
    for one in sorted(file.parent.glob("*.xacro")):
        with suppress(OSError):  # one that nobody can read includes nothing
            if one != file and os.path.isfile(one) and file.name.encode() in one.read_bytes():
                users.append(one.name)
    using = f"; it is included by {listed(users)}" if users else ""
    return (
        "it expands to no <link>: it may only define macros. Read the file that uses them, or give "
        f"the arguments that choose what it has{using}."
    )


def _text(value: object) -> str:
    """Return a value as the command line of xacro has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _error_text(answer: dict[str, Any]) -> str:
    """Return the error of xacro as a sentence, with its place."""
    at = f"{answer['file']}, line {answer['line']}" if answer["line"] else answer["file"]
    calls = "".join(
        f", in macro {name!r} (line {line} of {file})" for name, file, line in answer["macros"]
    )
    return f"{at}{calls}: {answer['error'].strip().rstrip('.')}."
