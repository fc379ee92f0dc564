"""Robots by name: which reader or writer a name means.

What only some files need is imported when one of them is read or written.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from armdyn._checks import checked_flag, checked_path, checked_text
from armdyn.errors import InputError, RobotFileError, shown
from armdyn.files import write_whole
from armdyn.robot._bundled import bundled_file, bundled_names
from armdyn.robot._robot import Robot
from armdyn.robot.formats._toml import read_toml, robot_from_toml, toml_text

URDF_SUFFIXES = (".urdf", ".xml")
KINDS_OF_FILE = ".toml (a table of joints) and .urdf or .xml (URDF)"

# Files that people have where a URDF is wanted, and how to make one of them.
ADVICE = {
    ".xacro": "expand it first: `xacro {name} > {stem}.urdf`",
    ".sdf": "convert it to URDF first",
    ".json": "write it as TOML: a bundled robot shows the keys",
    ".yaml": "write it as TOML: a bundled robot shows the keys",
    ".yml": "write it as TOML: a bundled robot shows the keys",
}


def read_robot(
    source: str | os.PathLike[str],
    *,
    base: str | None = None,
    tip: str | None = None,
    strict: bool = True,
    snap: bool = True,
) -> Robot:
    """Return the robot of a file, or a bundled one by its name.

    Args:
        source: a name from `bundled_names`, or the path of a .toml, .urdf or .xml file. A name that
            is bundled means the bundled robot; write ``./name`` for a file.
        base: link of a URDF at which the arm begins; URDF only.
        tip: link of a URDF at which the arm ends; URDF only.
        strict: refuse masses, inertias and units that cannot be right; False only warns.
        snap: snap nearly right angles and nearly zero lengths of a URDF. TOML is taken as written.

    Raises:
        RobotFileError: there is no such robot or file, or it does not describe an arm.
        InputError: `base` or `tip` is given for a robot that has no named links, or an argument
            is of the wrong type.
    """
    for key, link in (("base", base), ("tip", tip)):
        if link is not None:
            checked_text(link, key, empty=True, what="the name of a link")
    strict, snap = checked_flag(strict, "strict"), checked_flag(snap, "snap")
    path = checked_path(source, "source", what="the name of a robot or a path")
    name = str(source)
    if isinstance(source, str) and name in bundled_names():
        _no_links(name, base, tip)
        return robot_from_toml(bundled_file(name).read_bytes(), f"{name}.toml", strict)
    _check_readable(path, name)
    suffix = path.suffix.lower()
    if suffix == ".toml":
        _no_links(name, base, tip)
        return read_toml(path, strict)
    if suffix in URDF_SUFFIXES:
        from armdyn.robot.formats.urdf import read_urdf

        return read_urdf(path, base=base, tip=tip, strict=strict, snap=snap)
    raise RobotFileError(path, _unknown_suffix(path, "read"))


def write_robot(robot: Robot, path: str | os.PathLike[str]) -> None:
    """Write a robot to a .toml, .urdf or .xml file: the whole file or, on any failure, nothing.

    Raises:
        RobotFileError: the name ends in something else, or the file cannot be written.
    """
    if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"`robot` is {shown(robot)}, expected a Robot.", argument="robot")
    target = checked_path(path)
    suffix = target.suffix.lower()
    if suffix == ".toml":
        text = toml_text(robot)
    elif suffix in URDF_SUFFIXES:
        from armdyn.robot.formats.urdf import urdf_text

        text = urdf_text(robot)
    else:
        raise RobotFileError(target, _unknown_suffix(target, "written"))
    write_whole(target, text, RobotFileError)


def _check_readable(path: Path, name: str) -> None:
    """Raise an error that helps unless the path is a regular file."""
    try:
        if path.is_dir():
            raise RobotFileError(path, "is a folder; give the path of a robot file in it.")
        if path.is_file():
            return
        if path.exists():
            raise RobotFileError(path, "is not a regular file.")
        if path.is_symlink():
            raise RobotFileError(path, f"is a link to {path.readlink()}, which is not there.")
    except OSError as error:  # the name is too long, or a folder on the way may not be entered
        raise RobotFileError(path, f"cannot be read: {error.strerror or error}.") from error
    raise RobotFileError(path, _not_found(path, name))


def _not_found(path: Path, name: str) -> str:
    bundled = bundled_names()
    listed = f"Bundled are: {', '.join(bundled)}."
    if not path.suffix and path.name == name:
        close = difflib.get_close_matches(name.lower(), bundled, n=2, cutoff=0.5)
        meant = f"; did you mean {' or '.join(map(repr, close))}?" if close else "."
        return f"there is no bundled robot and no file of this name{meant} {listed}"
    if path.stem in bundled:
        return f"there is no such file; for the bundled robot write {path.stem!r}. {listed}"
    there = [p.name for p in path.parent.glob("*")] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, there, n=2)
    if close:
        return f"there is no such file; did you mean {' or '.join(map(repr, close))} beside it?"
    return f"there is no such file. {listed}"


def _unknown_suffix(path: Path, verb: str) -> str:
    kind = f"{path.suffix} files" if path.suffix else "files without a suffix"
    advice = ADVICE.get(path.suffix.lower()) if verb == "read" else None
    hint = f"; {advice.format(name=path.name, stem=path.stem)}" if advice else ""
    return f"{kind} cannot be {verb}{hint}. Robots are {verb} as {KINDS_OF_FILE}."


def _no_links(name: str, base: str | None, tip: str | None) -> None:
    for key, value in (("base", base), ("tip", tip)):
        if value is not None:
            raise InputError(
                f"`{key}` is {value!r}, but {name} has no named links to choose from, as URDFs "
                f"have. Leave `{key}` out.",
                argument=key,
            )
