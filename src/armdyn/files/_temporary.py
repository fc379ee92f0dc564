"""Temporary files: locked while their writer lives; the next writer removes those of dead ones.

A POSIX record lock belongs to one process: a killed process loses it at once, and a forked child
that lives on does not keep it. It does not exclude its own process, so the names that this process
uses are listed here, too. Windows does not remove a file that is open; no lock is needed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

NAME = re.compile(r"\.armdyn-[0-9a-f]{16}\.tmp")
# Where locks tell nothing, a file that has not changed for this long [s] is a dead writer's. On
# Windows: longer than a file is closed before it is renamed. Otherwise, the file system has no
# locks or the file cannot be opened: longer than any file is written.
ABANDONED = 60.0 if fcntl is None else 24 * 3600.0

_in_use: set[str] = set()


class Temporary:
    """An open temporary file."""

    def __init__(self, path: str, file: BinaryIO, descriptor: int | None) -> None:
        self.path, self.file, self._descriptor = path, file, descriptor

    def rename(self, target: str) -> None:
        """Put the file in place of a target; call nothing else afterwards."""
        self.file.flush()
        if fcntl is None:  # Windows renames no open file; elsewhere the lock lasts until the end
            self.file.close()
        os.replace(self.path, target, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)


@contextmanager
def temporary_file(
    folder: str | os.PathLike[str], descriptor: int | None = None, mode: int = 0o666
) -> Generator[Temporary]:
    """Yield a new file in a folder, which is removed at the end unless it was renamed.

    What killed processes left in the folder is removed before.

    Args:
        folder: the path of the folder.
        descriptor: the open folder, if names are to be resolved relative to it.
        mode: permissions of the file, before the mask of the process.
    """
    remove_leftovers(folder, descriptor)
    while True:
        name = f".armdyn-{os.urandom(8).hex()}.tmp"
        path = name if descriptor is not None else os.path.join(folder, name)
        _in_use.add(name)
        try:
            file = os.fdopen(_opened(path, os.O_CREAT | os.O_EXCL, descriptor, mode), "wb")
            try:
                with file:
                    # another process may have removed the file before it was locked
                    if _lock(file.fileno()) is False or not _is_at(path, descriptor):
                        continue
                    yield Temporary(path, cast(BinaryIO, file), descriptor)
                    return
            finally:
                with suppress(OSError):
                    os.unlink(path, dir_fd=descriptor)
        finally:
            _in_use.discard(name)


@contextmanager
def scratch_folder() -> Generator[Path]:
    """Yield a new folder among the temporary files of the system, which is removed at the end.

    Raises:
        OSError: it cannot be created.
    """
    import shutil
    import tempfile

    with temporary_file(tempfile.gettempdir()) as lock:
        folder = _folder_of(lock.path)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(folder: str | os.PathLike[str], descriptor: int | None = None) -> None:
    """Remove the temporary files in a folder whose writers are dead."""
    names: list[str] = []
    with suppress(OSError), os.scandir(folder if descriptor is None else descriptor) as items:
        names = [item.name for item in items if NAME.fullmatch(item.name)]
    for name in names:
        if name not in _in_use:
            with suppress(OSError):  # another process was faster, or permission is missing
                path = name if descriptor is not None else os.path.join(folder, name)
                _remove_if_dead(path, descriptor)


def _remove_if_dead(path: str, descriptor: int | None) -> None:
    import shutil

    opened = None
    try:
        if fcntl is not None:
            with suppress(PermissionError):
                opened = _opened(path, 0, descriptor)
        is_dead = None if opened is None else _lock(opened)
        if is_dead is None:
            info = os.stat(path, dir_fd=descriptor, follow_symlinks=False)
            is_dead = time.time() - info.st_mtime > ABANDONED
        if is_dead:
            if descriptor is None:
                shutil.rmtree(_folder_of(path), ignore_errors=True)
            os.unlink(path, dir_fd=descriptor)
    finally:
        if opened is not None:
            os.close(opened)  # and the lock, which kept others from removing the file meanwhile


def _lock(file: int) -> bool | None:
    """Return whether this process has the lock of a file now; None if there are no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks
        return None
    return True


def _opened(path: str, flags: int, descriptor: int | None, mode: int = 0) -> int:
    """Open a file for writing, never through a link, and without waiting for a pipe's reader."""
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"):
        flags |= getattr(os, name, 0)
    return os.open(path, os.O_WRONLY | flags, mode, dir_fd=descriptor)


def _is_at(path: str, descriptor: int | None) -> bool:
    try:
        os.stat(path, dir_fd=descriptor, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _folder_of(path: str) -> Path:
    """Return the scratch folder that lasts as long as a temporary file."""
    return Path(path).with_suffix(".d")
