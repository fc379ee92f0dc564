"""URDF files to `Robot`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from armdyn.errors import RobotError, RobotFileError
from armdyn.robot._leniency import Leniency
from armdyn.robot._robot import Robot
from armdyn.robot.formats._assemble import assembled
from armdyn.robot.formats._records import Fault
from armdyn.robot.formats.urdf._parse import parse_description
from armdyn.robot.formats.urdf._xml import LARGEST_FILE, too_large


def read_urdf(
    path: str | os.PathLike[str],
    base: str | None = None,
    tip: str | None = None,
    strict: bool = True,
    snap: bool = True,
    without: Sequence[str] = (),
    waive: tuple[str, ...] = (),
) -> Robot:
    """Return the serial arm that a URDF file describes.

    The joints keep the URDF's zero, sign and names. Joints off the chain and mimic joints stand
    still, and the links they carry are merged; ``Robot.notes`` says what was done.

    Args:
        path: of the file; nothing else is opened.
        base: link the arm stands on; default the root. Gravity is along -z of the root, and fixed
            joints carry it to the base.
        tip: link at the end; default: as far as the path is unique, to the gripper's base.
        strict: refuse links that cannot exist or lack an <inertial>, and duplicate elements; False
            warns instead.
        snap: take right angles and zeros that are written with few digits as exact.
        without: links to leave out with all that they carry; nothing in them is checked.
        waive: names of checks that only warn.

    Raises:
        RobotFileError: the file does not describe a serial arm; the message names the element.
    """
    text = read_text(path)
    return parse_urdf(text, base, tip, strict, snap, without, waive, source=path)


def read_text(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a URDF file."""
    try:
        with open(path, "rb") as file:
            text = file.read(LARGEST_FILE + 1)
            size = os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RobotFileError(os.fspath(path), f"cannot be read: {reason}.") from None
    if len(text) > LARGEST_FILE:
        raise RobotFileError(os.fspath(path), too_large(size))
    return text


def parse_urdf(
    text: str | bytes,
    base: str | None = None,
    tip: str | None = None,
    strict: bool = True,
    snap: bool = True,
    without: Sequence[str] = (),
    waive: tuple[str, ...] = (),
    source: str | os.PathLike[str] = "<URDF text>",
) -> Robot:
    """Return the serial arm that the text of a URDF describes; arguments as of `read_urdf`.

    Args:
        text: of the URDF.
        base: link the arm stands on.
        tip: link at the end.
        strict: refuse links that cannot exist.
        snap: take nearly right angles as right.
        without: links to leave out.
        waive: names of checks that only warn.
        source: what errors call the text.
    """
    try:
        folder = os.path.dirname(os.path.abspath(source))
        description = parse_description(text, strict, folder, without)
        return assembled(
            description, base=base, tip=tip, leniency=Leniency(strict, waive), snapping=snap
        )
    except Fault as fault:
        raise RobotFileError(Path(source), str(fault)) from None
    except RobotError as error:
        raise RobotFileError(Path(source), str(error)) from error
