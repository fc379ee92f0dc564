"""Check that a file is regular: not a folder, pipe or device."""

from __future__ import annotations

from pathlib import Path

from armdyn.errors import FileError


def check_regular(path: Path, what: str, error: type[FileError] = FileError) -> bool:
    """Return whether a file exists at a path.

    A pipe would block until somebody writes to it, and a device may never end: both are refused.

    Args:
        path: path of the file.
        what: the expected kind of file, e.g. "a log".
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
    except OSError as fault:  # the name is too long, or a parent folder is not accessible
        raise error(path, f"cannot be read: {fault.strerror or fault}.") from fault
    return False
