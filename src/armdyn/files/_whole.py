"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from armdyn.errors import FileError, InputError, shown


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file so that the path holds the old file or the whole new one, never a part."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FileError(
            checked_path(path), f"cannot be written as UTF-8 text: {error.reason}."
        ) from error
    with whole_file(path) as file:
        file.write(data)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Generator[BinaryIO]:
    """Give a file to write to that takes the path's name when all is written, and not before.

    What is written goes to a temporary file in the same folder, which then takes the name of the
    target; on failure the temporary file is removed. A symbolic link is followed.
    """
    import secrets

    asked = checked_path(path)
    target = Path(os.path.realpath(asked))
    temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(6)}.tmp")
    try:
        _check_writable(asked, target)
        try:
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o7777)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(asked, f"cannot be written: {error.strerror or error}.") from error


def checked_path(source: object) -> Path:
    """Return a path, or raise an error if it cannot be one."""
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"{shown(source)} is not the name of a robot or a path.")
    text = os.fspath(source)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if not isinstance(text, str) or not text or "\0" in text:
        raise InputError(f"{shown(cast(object, source))} is not the name of a robot or a path.")
    return Path(text)


def _check_writable(asked: Path, target: Path) -> None:
    if target.is_dir():
        raise FileError(asked, "is a folder; give the name of a file in it.")
    if target.exists() and not target.is_file():
        raise FileError(asked, "is not a regular file and will not be replaced by one.")
    if not target.parent.is_dir():
        folder = target.parent if asked.is_symlink() else asked.parent
        raise FileError(asked, f"cannot be written: no folder {folder}; make it first.")
