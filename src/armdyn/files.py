"""Reading files safely: tables of formats, regular files, numbers in text, private folders."""

from __future__ import annotations

import importlib
import os
import stat
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from armdyn.errors import FileError, MissingExtraError

# Tables of file formats: one row per format serves readers, writers and messages.


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """One file format.

    Functions are named as "module:function" and imported when a file needs them.

    Attributes:
        name: name of the format in messages.
        suffixes: file suffixes in lower case; messages list them.
        reader: function that reads a file.
        writer: function that writes a file; None if the format is read-only.
        written: suffixes for writing, if not all of `suffixes`; messages list them.
        unlisted: further suffixes for reading, which messages do not list.
        unlisted_written: further suffixes for writing, which messages do not list.
        extra: the package it needs, and the extra of armdyn that installs it.
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    writer: str | None = None
    written: tuple[str, ...] | None = None
    unlisted: tuple[str, ...] = ()
    unlisted_written: tuple[str, ...] = ()
    extra: tuple[str, str] | None = None

    def reads(self, path: Path) -> bool:
        """Whether a path has a suffix of this format."""
        return path.suffix.lower() in (*self.suffixes, *self.unlisted)

    def writes(self, path: Path) -> bool:
        """Whether files of this suffix are written in this format."""
        return path.suffix.lower() in (*self.listed_written, *self.unlisted_written)

    @property
    def listed_written(self) -> tuple[str, ...]:
        """The suffixes of written files that messages list."""
        if self.writer is None:
            return ()
        return self.suffixes if self.written is None else self.written

    def function(self, name: str, verb: str) -> Callable[..., Any]:
        """Import and return a function of the format.

        Args:
            name: "module:function", from this row.
            verb: "reading" or "writing", for the message.

        Raises:
            MissingExtraError: the package that the format needs is not installed.
        """
        if self.extra is not None:
            from importlib.util import find_spec

            if find_spec(self.extra[0]) is None:
                raise MissingExtraError(*self.extra, f"{verb} {self.name}")
        module, _, function = name.partition(":")
        return getattr(importlib.import_module(module), function)


Format = TypeVar("Format", bound=FileFormat)


def reading(formats: Iterable[Format], path: Path) -> list[Format]:
    """Return the formats that a path may be read as, by its suffix."""
    return [one for one in formats if one.reads(path)]


def writing(formats: Iterable[Format], path: Path) -> Format | None:
    """Return the format that a path is written as: the first row with its suffix."""
    return next((one for one in formats if one.writes(path)), None)


def listed(words: Sequence[str], last: str = "or") -> str:
    """Return words as a list in a sentence: "a, b or c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


# Numbers in text files.


def imported(name: str, why: str, extra: str | None = None, package: str | None = None) -> Any:
    """Return an optional library.

    Args:
        name: of the module.
        why: what needs it, for the error message.
        extra: of armdyn that installs it, if it is not called like the module.
        package: that has it, if it is not called like the module.

    Raises:
        MissingExtraError: it is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        top = name.partition(".")[0]
        raise MissingExtraError(package or top, extra or top, why) from None


def number_in(text: str) -> float | None:
    """Parse a number; return None if the text is not a number.

    Python accepts more than other programs: digits of all scripts, and ``1_000``. These are not
    numbers here.
    """
    if not text.isascii() or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


# Check that a file is regular: not a folder, pipe or device.


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
        if os.path.isdir(path):
            raise error(path, f"is a folder; give the path of {what} in it.")
        if os.path.isfile(path):
            return True
        if os.path.exists(path):
            raise error(path, "is not a regular file.")
        if path.is_symlink():
            raise error(path, f"is a link to {path.readlink()}, which is not there.")
    except OSError as fault:  # the name is too long, or a parent folder is not accessible
        raise error(path, f"cannot be read: {fault.strerror or fault}.") from fault
    return False


# A folder that only the user can have written to, and the files in it.

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
        from armdyn.writing import temporary_file  # reading does without it

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
    if os.path.isdir(path):
        return
    for folder in (*reversed(path.parents), path):
        if not os.path.isdir(folder):
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
