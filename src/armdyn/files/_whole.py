"""Atomic writing: a file is written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from armdyn._checks import checked_path
from armdyn.errors import FileError
from armdyn.files._temporary import temporary_file


def write_whole(
    path: str | os.PathLike[str], text: str | bytes, error: type[FileError] = FileError
) -> None:
    """Write a file atomically: the path holds the old file or the complete new one."""
    data = encoded(path, text, error)
    with whole_file(path, error) as file:
        file.write(data)


def encoded(
    path: str | os.PathLike[str], text: str | bytes, error: type[FileError] = FileError
) -> bytes:
    """Return the bytes of a text file."""
    try:
        return text.encode("utf-8") if isinstance(text, str) else text
    except UnicodeEncodeError as fault:
        raise error(
            checked_path(path), f"cannot be written as UTF-8 text: {fault.reason}."
        ) from fault


@contextmanager
def whole_file(
    path: str | os.PathLike[str], error: type[FileError] = FileError
) -> Generator[BinaryIO]:
    """Yield a file to write to; it replaces the file at the path when writing is complete.

    The data goes to a temporary file in the same folder, which is then renamed to the target; on
    failure the temporary file is removed. What killed processes left in the folder is removed, for
    whatever target it was. A symbolic link is followed.
    """
    asked = checked_path(path)
    target = Path(os.path.realpath(asked))
    try:
        _check_writable(asked, target, error)
        mode = target.stat().st_mode & 0o7777 if target.exists() else None
        with temporary_file(target.parent) as temporary:
            yield temporary.file
            sync(temporary.file)
            if mode is not None:
                os.chmod(temporary.path, mode)
            temporary.rename(str(target))
    except OSError as fault:
        raise error(asked, f"cannot be written: {fault.strerror or fault}.") from fault


def sync(file: BinaryIO) -> None:
    """Write what a file has in memory to disk."""
    file.flush()
    os.fsync(file.fileno())


def _check_writable(asked: Path, target: Path, error: type[FileError]) -> None:
    if target.is_dir():
        raise error(asked, "is a folder; give the name of a file in it.")
    if target.exists() and not target.is_file():
        raise error(asked, "is not a regular file and will not be replaced by one.")
    if not target.parent.is_dir():
        folder = target.parent if asked.is_symlink() else asked.parent
        raise error(asked, f"cannot be written: no folder {folder}; make it first.")
