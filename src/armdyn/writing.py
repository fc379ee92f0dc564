"""Writing files atomically: one file or several together, completely or not at all."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from armdyn.checks import checked_path
from armdyn.errors import FileError

# Temporary files: locked while their writer lives; the next writer removes those of dead ones.
#
# A POSIX record lock belongs to one process: a killed process loses it at once, and a forked child
# that lives on does not keep it. It does not exclude its own process, so the names that this
# process uses are listed here, too. Windows does not remove a file that is open; no lock is needed.

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


# Atomic writing: a file is written completely or not at all.


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
        check_target(asked, error)
        mode = target.stat().st_mode & 0o7777 if os.path.exists(target) else None
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


def check_target(asked: Path, error: type[FileError] = FileError) -> None:
    """Raise an error if no file can be written at a path: a folder is there, or no folder for it.

    Call this before long computations, so that they do not fail at the end.
    """
    target = Path(os.path.realpath(asked))
    if os.path.isdir(target):
        raise error(asked, "is a folder; give the name of a file in it.")
    if os.path.exists(target) and not os.path.isfile(target):
        raise error(asked, "is not a regular file and will not be replaced by one.")
    if not os.path.isdir(target.parent):
        folder = target.parent if asked.is_symlink() else asked.parent
        raise error(asked, f"cannot be written: no folder {folder}; make it first.")


# Write several files into a folder together: all of them, or leave the folder unchanged.
#
# If the process is killed, the folder has the old files, the new ones, or only some of either. It
# never has old files beside new ones.


def write_together(
    folder: Path, texts: Mapping[str, str] | Mapping[str, str | bytes], mark: str | None
) -> tuple[Path, ...]:
    """Write files by name into a folder, created if missing; return their paths.

    Args:
        folder: the target folder.
        texts: contents of the files by name; "inner/name" is a file in a subfolder.
        mark: only files with this in their first line may be replaced; None to replace any file.
    """
    paths = [folder / name for name in texts]
    made: list[Path] = []
    before: dict[Path, bytes | None] = {}
    try:
        for inner in dict.fromkeys([folder, *(path.parent for path in paths)]):
            made += _make(inner)
        for path in paths:
            before[path] = _replaceable(path, mark)
        data = [encoded(path, text) for path, text in zip(paths, texts.values(), strict=True)]
        with ExitStack() as stack:
            for path, content in zip(paths, data, strict=True):
                file = stack.enter_context(whole_file(path))
                file.write(content)
                sync(file)
            # the end of the block replaces the last file first, then the others
            for path in paths[:-1]:
                _unlink(path)
    except BaseException:
        for path, old in before.items():
            with suppress(OSError, FileError):
                _put_back(path, old)
        with suppress(OSError):
            for new in reversed(made):
                new.rmdir()
        raise
    return tuple(paths)


def check_writable(folder: Path, names: Iterable[str]) -> None:
    """Raise an error if files of these names cannot be written into a folder; change nothing.

    Call this before long computations, so that they do not fail at the end.
    """
    made = _make(folder)
    try:
        with temporary_file(folder):
            for name in names:
                _replaceable(folder / name, None)
    except FileError:
        raise
    except OSError as error:
        raise FileError(folder, f"cannot be written to: {error.strerror or error}.") from error
    finally:
        for new in reversed(made):
            new.rmdir()


def _make(folder: Path) -> list[Path]:
    """Create the folder; return the folders that were missing, outermost first."""
    made: list[Path] = []
    try:
        for new in [f for f in (folder, *folder.parents) if not os.path.exists(f)][::-1]:
            new.mkdir()
            made.append(new)
        if not os.path.isdir(folder):
            raise NotADirectoryError(0, "it is not a folder")
    except OSError as error:
        for new in reversed(made):
            new.rmdir()
        raise FileError(folder, f"cannot be made a folder: {error.strerror or error}.") from error
    return made


def _replaceable(path: Path, mark: str | None) -> bytes | None:
    """Return the current content, None if there is no file; refuse a file without the mark."""
    try:
        if not os.path.exists(path):
            return None
        if not os.path.isfile(path):
            raise FileError(path, "is not a regular file and will not be replaced by one.")
        old = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"cannot be replaced: {error.strerror or error}.") from error
    if mark is not None and mark.encode() not in old.partition(b"\n")[0]:
        raise FileError(
            path,
            f"was not written by armdyn ({mark!r} is not in its first line) and will not "
            "be replaced; choose another folder, or say force=True.",
        )
    return old


def _put_back(path: Path, old: bytes | None) -> None:
    if old is None:
        path.unlink(missing_ok=True)
    elif not os.path.exists(path) or path.read_bytes() != old:
        write_whole(path, old)


def _unlink(path: Path) -> None:
    """Remove the old file, not the link to it."""
    try:
        Path(os.path.realpath(path)).unlink(missing_ok=True)
    except OSError as error:
        raise FileError(path, f"cannot be replaced: {error.strerror or error}.") from error
