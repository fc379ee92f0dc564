"""Robots by name: bundled ones, and files in the format of their suffix."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from armdyn.checks import (
    checked_choice,
    checked_flag,
    checked_items,
    checked_mapping,
    checked_names,
    checked_path,
    checked_text,
)
from armdyn.errors import InputError, RobotFileError, RobotWarning, shown
from armdyn.files import check_regular, listed
from armdyn.robot.formats.records import FOLLOWERS, FREEZE
from armdyn.robot.formats.registry import (
    INTO_OPTIONS,
    format_read,
    format_written,
    formats_in_words,
    formats_into,
    formats_with,
)
from armdyn.robot.leniency import checked_leniency
from armdyn.robot.library import bundled_names, read_bundled
from armdyn.robot.model import Robot

# Suffixes that cannot be read, and how to convert such a file.
ADVICE = {
    ".sdf": "convert it to URDF first",
    ".json": "write it as TOML: a bundled robot shows the keys",
    ".yaml": "write it as TOML: a bundled robot shows the keys",
    ".yml": "write it as TOML: a bundled robot shows the keys",
}

# What a file lacks if its format does not take an option.
LACKS: dict[str, str] = dict.fromkeys(
    ("base", "tip", "tips", "without"), "has no named links to choose from"
) | {
    "packages": "includes no other files",
    "followers": "says itself which joints follow others",
    "arguments": "has no arguments",
}


def read_robot(
    source: str | os.PathLike[str],
    *,
    base: str | None = None,
    tip: str | None = None,
    tips: Sequence[str] | str | None = None,
    followers: str = FREEZE,
    strict: bool = True,
    snap: bool = True,
    without: Sequence[str] = (),
    waive: Sequence[str] = (),
    packages: Sequence[str | os.PathLike[str]] = (),
    arguments: Mapping[str, object] | None = None,
) -> Robot:
    """Return the robot of a file, or a bundled one by its name.

    Args:
        source: a name from `bundled_names`, or the path of a robot file, whose suffix gives the
            format. A bundled name means the bundled robot; write ``./name`` for a file.
        base: link at which the arm begins, for formats that name links.
        tip: link at which the arm ends, for formats that name links.
        tips: links at the ends of a tree, or "all" for every end that moves; in place of `tip`.
        followers: "move" joints that follow others, or "freeze" them where they stand.
        strict: refuse masses, inertias and units that cannot be right; False only warns.
        snap: snap nearly right angles and nearly zero lengths of a URDF. TOML is taken as written.
        without: links to leave out with all that they carry, for formats that name links.
        waive: checks, of `WAIVABLE`, that only warn; all others stay strict.
        packages: folders of further files, for formats that include files.
        arguments: values for the arguments of a file, for formats that have them.

    Raises:
        RobotFileError: there is no such robot or file, or it does not describe an arm.
        InputError: an option is given that the format does not have, or an argument is of the
            wrong type.
    """
    for key, link in (("base", base), ("tip", tip)):
        if link is not None:
            checked_text(link, key, empty=True, what="the name of a link")
    if tips is not None and tip is not None:
        raise InputError("give `tip` or `tips`, not both.", argument="tips")
    if tips is not None and not (isinstance(tips, str) and tips == "all"):
        what = 'names of links, or "all"'
        tips = checked_names((tips,) if isinstance(tips, str) else tips, "tips", what=what)
        if not tips:
            raise InputError(f"`tips` is empty, expected {what}.", argument="tips")
    checked_choice(followers, "followers", FOLLOWERS, what="way of followers")
    without = checked_names(
        (without,) if isinstance(without, str) else without, "without", what="names of links"
    )
    leniency = checked_leniency(strict, waive)
    snap = checked_flag(snap, "snap")
    path = checked_path(source, "source", what="the name of a robot or a path")
    name = str(source)
    folders = checked_folders(packages)
    given: dict[str, object] = {"base": base, "tip": tip, "without": without, "packages": folders}
    given["arguments"] = _checked_arguments(arguments)
    given |= {"tips": tips, "followers": None if followers == FREEZE else followers}
    if isinstance(source, str) and name in bundled_names():
        _check_options(name, given, ())
        return read_bundled(name, leniency)
    if not check_regular(path, "a robot file", RobotFileError):
        raise RobotFileError(path, _not_found(path, name))
    found = format_read(path)
    if found is None:
        raise RobotFileError(path, _unknown_suffix(path, "read"))
    _check_options(name, given, found.options)
    given |= {"snap": snap, "waive": leniency.waive, "followers": followers}
    read = found.function(found.reader, "reading")
    robot = read(path, strict=leniency.strict, **{key: given[key] for key in found.options})
    if not any(joint.mass or any(joint.inertia) for joint in robot.joints):
        warnings.warn(
            f"{path}: no link has a mass: but for rotors and friction, the mass matrix and all "
            "torques are zero. `armdyn identify` finds masses from a log and needs none.",
            RobotWarning,
            stacklevel=3,
        )
    return robot


def write_robot(
    robot: Robot,
    path: str | os.PathLike[str],
    *,
    into: str | os.PathLike[str] | None = None,
    merge_branches: bool = False,
    packages: Sequence[str | os.PathLike[str]] = (),
    arguments: Mapping[str, object] | None = None,
) -> None:
    """Write a robot in the format of the suffix: the whole file or, on any failure, nothing.

    Args:
        robot: the robot.
        path: of the file to write.
        into: a file that describes the robot: what is written is this file with the robot's
            masses, inertias and drives in it, and every other byte as it is.
        merge_branches: see `save`.
        packages: see `read_robot`; for `into`.
        arguments: see `read_robot`; for `into`.

    Raises:
        RobotFileError: the suffix is unknown, or a file cannot be read or written.
    """
    from armdyn.writing import write_whole  # reading does without it

    if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"`robot` is {shown(robot)}, expected a Robot.", argument="robot")
    target = checked_path(path)
    merge_branches = checked_flag(merge_branches, "merge_branches")
    given = {"packages": checked_folders(packages), "arguments": _checked_arguments(arguments)}
    if into is None:
        _check_for_into({**given, "merge_branches": merge_branches or None})
        text = checked_writer(target)(robot)
    else:
        original = checked_path(into, "into")
        text = text_into(
            robot, original, target, merge_branches, packages=packages, arguments=arguments
        )
    write_whole(target, text, RobotFileError)


def checked_writer(path: str | os.PathLike[str]) -> Callable[[Robot], str]:
    """Return the function that writes the text of a file, by the suffix of its path.

    Raises:
        RobotFileError: no format writes files of this suffix.
    """
    target = checked_path(path)
    found = format_written(target)
    if found is None or found.writer is None:
        raise RobotFileError(target, _unknown_suffix(target, "written"))
    return found.function(found.writer, "writing")


def lost_on_export(robot: Robot, path: str | os.PathLike[str]) -> list[str]:
    """Return sentences about what other programs do not find in the file of a robot."""
    found = format_written(checked_path(path))
    if found is None or found.lost is None:
        return []
    return found.function(found.lost, "writing")(robot)


def name_into(original: Path) -> str:
    """Return a name for the file that is written into another: the same, or with its own suffix.

    Examples:
        >>> from armdyn.robot.files import name_into
        >>> name_into(Path("arm.urdf.xacro"))
        'arm.urdf'
    """
    found = format_read(original)
    if found is None or found.into_suffix is None:
        return original.name
    return Path(original.stem).with_suffix(found.into_suffix).name


def into_options(original: Path) -> tuple[str, ...]:
    """Return the options of `load` that are needed again to write an arm into a file.

    Examples:
        >>> from armdyn.robot.files import into_options
        >>> into_options(Path("arm.urdf.xacro"))
        ('packages', 'arguments')
    """
    found = format_read(original)
    return tuple(key for key in INTO_OPTIONS if found is not None and key in found.options)


def text_into(
    robot: Robot,
    original: Path,
    target: Path,
    merge_branches: bool = False,
    *,
    packages: Sequence[str | os.PathLike[str]] = (),
    arguments: Mapping[str, object] | None = None,
) -> bytes:
    """Return the bytes of a file with a robot written into it, for a file of the name `target`."""
    if not check_regular(original, "a robot file", RobotFileError):
        raise RobotFileError(original, _not_found(original, str(original)))
    found = format_read(original)
    if found is None or found.into is None:
        raise RobotFileError(
            original, f"an arm cannot be written into it, only into files of {formats_into()}."
        )
    suffixes = (found.into_suffix,) if found.into_suffix else (*found.suffixes, *found.unlisted)
    if target.suffix.lower() not in suffixes:
        raise RobotFileError(
            target,
            f"the suffix of what is written into a file of {found.name} must be "
            f"{listed(suffixes)}.",
        )
    given = {"packages": checked_folders(packages), "arguments": _checked_arguments(arguments)}
    _check_options(str(original), given, found.options)
    options = {key: given[key] for key in into_options(original)}
    write = found.function(found.into, "writing")
    return write(robot, original, merge_branches=merge_branches, **options)


def _checked_arguments(arguments: object) -> dict[str, object] | None:
    """Return the arguments of a file; None if there are none."""
    if arguments is None:
        return None
    what = "a mapping of names to texts, numbers or flags"
    found = checked_mapping(arguments, "arguments", what=what)
    for name, value in found.items():
        if not isinstance(value, str | bool | int | float):
            raise InputError(
                f"`arguments` has {shown(value)} for {name!r}, expected a text, number or flag.",
                argument="arguments",
            )
    return found or None


def checked_folders(packages: object) -> tuple[Path, ...]:
    """Return folders that are there."""
    what = "folders that are there"
    if isinstance(packages, str | Path):
        packages = (packages,)
    folders = checked_items(packages, "packages", what=what)
    paths = tuple(checked_path(folder, "packages", what=what) for folder in folders)
    for path in paths:
        if not os.path.isdir(path):
            raise InputError(f"`packages` has {shown(str(path))}: no folder.", argument="packages")
    return paths


def _not_found(path: Path, name: str) -> str:
    import difflib

    bundled = bundled_names()
    told = f"Bundled are: {', '.join(bundled)}."
    if not path.suffix and path.name == name:
        close = difflib.get_close_matches(name.lower(), bundled, n=2, cutoff=0.5)
        meant = f"; did you mean {' or '.join(map(repr, close))}?" if close else "."
        return f"there is no bundled robot and no file of this name{meant} {told}"
    if path.stem in bundled:
        return f"there is no such file; for the bundled robot write {path.stem!r}. {told}"
    there = [p.name for p in path.parent.glob("*")] if os.path.isdir(path.parent) else []
    close = difflib.get_close_matches(path.name, there, n=2)
    if close:
        return f"there is no such file; did you mean {' or '.join(map(repr, close))} beside it?"
    return f"there is no such file. {told}"


def _unknown_suffix(path: Path, verb: str) -> str:
    kind = f"{path.suffix} files" if path.suffix else "files without a suffix"
    advice = ADVICE.get(path.suffix.lower()) if verb == "read" else None
    hint = f"; {advice}" if advice else ""
    known = formats_in_words(written=verb == "written")
    return f"{kind} cannot be {verb}{hint}. Robots are {verb} as {known}."


def _check_for_into(given: Mapping[str, object]) -> None:
    """Refuse what only a file that is written into takes."""
    for key, value in given.items():
        if value not in (None, ()):
            raise InputError(
                f"`{key}` is {shown(value)}, but is for the file that an arm is written into. "
                f"Give that file as `into`, or leave `{key}` out.",
                argument=key,
            )


def _check_options(name: str, given: Mapping[str, object], options: tuple[str, ...]) -> None:
    """Refuse what is given for a format that does not have it: nothing may be ignored silently."""
    for key, value in given.items():
        if value not in (None, ()) and key not in options:
            raise InputError(
                f"`{key}` is {shown(value)}, but {name} {LACKS.get(key, 'has nothing of the kind')}"
                f", as files of {formats_with(key)} have. Leave `{key}` out.",
                argument=key,
            )
