"""Files that can be read: regular ones, not folders, pipes or devices."""

from __future__ import annotations

from pathlib import Path

from armdyn.errors import FileError


def check_regular(path: Path, what: str, error: type[FileError] = FileError) -> bool:
    """Return whether there is a file at a path.

    A pipe would block until somebody writes to it, and a device may never end: both are refused.

    Args:
        path: of the file.
        what: the kind of file that is wanted, as in "a log".
        error: class of the errors.

    Raises:
        FileError: the path is a folder, a pipe or a device, or cannot be looked up.
    """
    try:
        if path.is_dir():
            raise error(path, f"is a folder; give the path of {what} in it.")
        if path.is_file():
            return True
        if path.exists():
            raise error(path, "is not a regular file.")
        if path.is_symlink():
            raise error(path, f"is a link to {path.readlink()}, which is not there.")
    except OSError as fault:  # the name is too long, or a folder on the way may not be entered
        raise error(path, f"cannot be read: {fault.strerror or fault}.") from fault
    return False
