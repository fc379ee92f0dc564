"""Options of verbs that make a motion: numbers for all joints or one each, files to write."""

from __future__ import annotations

from pathlib import Path

from armdyn.cli._console import plain
from armdyn.errors import FileError, InputError
from armdyn.log import format_written
from armdyn.present import check_picture


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
