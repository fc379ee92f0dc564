"""A folder that only the user can have written to, and the files in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class Refusal(OSError):
    """Somebody else may have written to the folder."""


class PrivateFolder:
    """An open folder that was checked to be the user's own; names refer to files in it.

    If the system supports it, names are resolved relative to the open descriptor: replacing the
    folder at its path after the check has no effect. Otherwise `descriptor` is None and paths are
    used.
    """

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path = path
        self._descriptor = descriptor

    def _at(self, name: str) -> str:
        return name if self._descriptor is not None else str(self._path / name)

    def stat(self, name: str) -> os.stat_result:
        """Return the status of a file; links are not followed."""
        return os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)

    def open(self, name: str, mode: str) -> BinaryIO:
        """Open a file like `open`, never through a link; a new file is private to the user."""

        def opener(path: str, flags: int) -> int:
            # Non-blocking: opening a pipe in place of a file would wait for a writer forever.
            flags |= _flag("O_NOFOLLOW") | _flag("O_NONBLOCK")
            return os.open(path, flags, 0o600, dir_fd=self._descriptor)

        return cast(BinaryIO, open(self._at(name), mode, opener=opener))

    def write_whole(self, name: str, parts: Iterable[bytes]) -> None:
        """Write a file under a temporary name, then rename it atomically.

        The data is not synced to disk: readers must detect a file that a crash left incomplete.
        """
        from armdyn.files._temporary import temporary_file  # reading does without it

        with temporary_file(self._path, self._descriptor, 0o600) as temporary:
            temporary.file.writelines(parts)
            temporary.rename(self._at(name))

    def touch(self, name: str) -> None:
        """Set the times of a file to now."""
        follow = os.utime not in os.supports_follow_symlinks
        os.utime(self._at(name), dir_fd=self._descriptor, follow_symlinks=follow)

    def remove(self, name: str) -> bool:
        """Remove a file, a link (not its target) or an empty folder; return whether it existed."""
        try:
            if stat.S_ISDIR(self.stat(name).st_mode):
                os.rmdir(self._at(name), dir_fd=self._descriptor)
            else:
                os.unlink(self._at(name), dir_fd=self._descriptor)
        except FileNotFoundError:  # another process was faster
            return False
        return True

    def scan(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield the names in the folder, each with its status as from `stat`."""
        where: Any = self._path if self._descriptor is None else self._descriptor
        with os.scandir(where) as items:
            for item in items:
                with suppress(FileNotFoundError):  # removed by another process meanwhile
                    yield item.name, item.stat(follow_symlinks=False)


@contextmanager
def open_private(path: Path) -> Generator[PrivateFolder, None, None]:
    """Open and check the folder.

    Raises:
        OSError: it does not exist or cannot be opened.
        Refusal: somebody else may have written to it.
    """
    _refuse(path, os.lstat(path))
    needed = {os.open, os.stat, os.unlink, os.rmdir, os.rename, os.utime}
    if not (needed <= os.supports_dir_fd and os.scandir in os.supports_fd):
        yield PrivateFolder(path, None)
        return
    flags = os.O_RDONLY | _flag("O_DIRECTORY") | _flag("O_NOFOLLOW") | _flag("O_CLOEXEC")
    descriptor = os.open(path, flags)
    try:
        _refuse(path, os.fstat(descriptor))
        yield PrivateFolder(path, descriptor)
    finally:
        os.close(descriptor)


def make_private(path: Path) -> None:
    """Create the folder and its missing parents, private to the user."""
    if path.is_dir():
        return
    for folder in (*reversed(path.parents), path):
        if not folder.is_dir():
            with suppress(FileExistsError):  # another process was faster; opening checks it
                folder.mkdir(mode=0o700)


def is_own_file(info: os.stat_result) -> bool:
    """Return whether this is the status of a regular file that only the user can have written."""
    return stat.S_ISREG(info.st_mode) and _fault_of_owner(info) is None


def _refuse(path: Path, info: os.stat_result) -> None:
    fault = _fault(info)
    if fault:
        raise Refusal(
            f"{path} {fault}, so object code in it is not to be trusted and not used; set "
            "ARMDYN_CACHE to a folder of your own that only you can write to (mode 700), or to "
            "`off`."
        )


def _fault(info: os.stat_result) -> str | None:
    """Return why a folder with this status must not be used; None if it may be."""
    if stat.S_ISLNK(info.st_mode):
        return "is a symbolic link"
    if not stat.S_ISDIR(info.st_mode):
        return "is not a folder"
    return _fault_of_owner(info)


def _fault_of_owner(info: os.stat_result) -> str | None:
    if not hasattr(os, "geteuid"):  # Windows: folders of a user's profile are private by default
        return None
    if info.st_uid != os.geteuid():
        return "belongs to another user"
    if info.st_mode & WRITABLE_BY_OTHERS:
        return "can be written to by other users"
    return None


def _flag(name: str) -> int:
    """Return a flag of `os.open`, 0 where the system lacks it."""
    return getattr(os, name, 0)
