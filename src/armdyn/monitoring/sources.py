"""Where logs and results of a fleet are: local paths, or addresses of `fsspec`.

An address with ``://`` is one of fsspec (``s3://``, ``sftp://``, ``memory://``), all others are
local paths, which need no further package.
"""

from __future__ import annotations

import glob
import hashlib
import importlib
import importlib.util
import os
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from armdyn.errors import FileError, InputError, LogError, MissingExtraError, shown
from armdyn.log.formats import format_of_folder, is_log_path, read_in_words
from armdyn.writing import check_target, scratch_folder, write_whole

REMOTE = "://"
LOCAL = "file://"


@dataclass(frozen=True)
class LogSource:
    """A log of an arm.

    Attributes:
        arm: the folder of the arm.
        address: path or address of the log.
        inner: its path below the folder of the arm, or its name.
        size: in bytes.
        version: changes with the content: the time of the last change, or what fsspec tells.
    """

    arm: str
    address: str
    inner: str
    size: int
    version: str


def plain_address(address: str | os.PathLike[str]) -> str:
    """Return an address as text; ``file://`` is a local path."""
    return os.fspath(address).removeprefix(LOCAL)


def is_remote(address: str) -> bool:
    """Whether an address is one of fsspec."""
    return REMOTE in address


def filesystem(address: str) -> tuple[Any, str]:
    """Return the file system of a remote address, and the path in it.

    Raises:
        MissingExtraError: fsspec, or what it needs for this address, is not installed.
        InputError: there is no such file system.
    """
    if importlib.util.find_spec("fsspec") is None:
        raise MissingExtraError(
            "fsspec", "cluster", f"the address {shown(address)}", "pip install fsspec"
        )
    try:
        return importlib.import_module("fsspec.core").url_to_fs(address)
    except ImportError as error:
        package = str(error).partition(" ")[2] or "a package"
        raise MissingExtraError(
            error.name or package, "cluster", f"the address {shown(address)}",
            f"fsspec says: {error}",
        ) from error  # fmt: skip
    except ValueError as error:
        raise InputError(f"the address is {shown(address)}: {error}.") from error


# Logs that match a pattern. The arm is the first folder below the part without wildcards.


def find_logs(pattern: str) -> list[LogSource]:
    """Return the logs of a pattern, by arm and name.

    Raises:
        InputError: nothing matches, or no log is there.
    """
    found = _remote_logs(pattern) if is_remote(pattern) else _local_logs(pattern)
    if not found:
        raise InputError(
            f"the pattern {shown(pattern)} matches no log. Expected one folder per arm, such as "
            f"'logs/*/'. {read_in_words()}",
            argument="pattern",
        )
    return sorted(found, key=lambda log: (log.arm, log.inner))


def _fixed(pattern: str) -> str:
    """Return the folder of a pattern before its first wildcard; its parent without any."""
    parts = pattern.rstrip("/").split("/")
    plain = next((k for k, part in enumerate(parts) if glob.has_magic(part)), len(parts) - 1)
    return "/".join(parts[:plain])


def _named(pattern: str, fixed: str, path: str) -> tuple[str, str]:
    """Return the arm of a path, and its name below the folder of the arm."""
    inner = PurePosixPath(path).relative_to(fixed or ".") if fixed else PurePosixPath(path)
    if len(inner.parts) > 1:
        return inner.parts[0], "/".join(inner.parts[1:])
    return PurePosixPath(fixed).name or "arm", inner.name


def _local_logs(pattern: str) -> list[LogSource]:
    # a path with characters of patterns in it may exist
    matches = [pattern] if os.path.exists(pattern) else glob.glob(pattern, recursive=True)
    paths = [path for match in sorted(matches) for path in _logs_below(Path(match))]
    fixed = _fixed(Path(pattern).as_posix())
    listed: dict[Path, LogSource] = {}
    for path in paths:
        arm, inner = _named(pattern, fixed, path.as_posix())
        files = [path] if path.is_file() else sorted(f for f in path.rglob("*") if f.is_file())
        stats = [file.stat() for file in files]
        version = "-".join(str(one.st_mtime_ns) for one in stats)
        size = sum(one.st_size for one in stats)
        listed[path] = LogSource(arm, str(path), inner, size, _short(version))
    return list(listed.values())


def _logs_below(path: Path) -> list[Path]:
    """Return the logs of a match: itself, or all below a folder; some folders are logs."""
    if path.is_file():
        return [path] if is_log_path(path) else []
    if not path.is_dir():
        return []
    try:
        if format_of_folder(path) is not None:
            return [path]
    except LogError:  # a dataset with missing parts: its row tells
        return [path]
    return [log for item in sorted(path.iterdir()) if not item.name.startswith(".")
            for log in _logs_below(item)]  # fmt: skip


def _remote_logs(pattern: str) -> list[LogSource]:
    files, path = filesystem(pattern)
    scheme = pattern.partition(REMOTE)[0]
    matches: list[str] = [path] if files.exists(path) else files.glob(path)
    listed: dict[str, LogSource] = {}
    for match in sorted(matches):
        below: list[str] = [match] if files.isfile(match) else files.find(match)
        for name in below:
            if is_log_path(Path(name)):
                arm, inner = _named(path, _fixed(path), name)
                size = int(files.size(name) or 0)
                address = f"{scheme}{REMOTE}{name.removeprefix('/')}"
                listed[name] = LogSource(arm, address, inner, size, _short(str(files.ukey(name))))
    return list(listed.values())


def _short(words: str) -> str:
    return words if len(words) <= 32 else hashlib.sha256(words.encode()).hexdigest()[:32]


@contextmanager
def local_paths(logs: Sequence[LogSource]) -> Generator[list[Path]]:
    """Yield local paths of logs; those of remote ones are copies, removed at the end.

    Raises:
        LogError: a log cannot be copied.
    """
    with ExitStack() as stack:
        made: list[Path] = []
        for k, log in enumerate(logs):
            if not is_remote(log.address):
                made.append(Path(log.address))
                continue
            folder = stack.enter_context(scratch_folder())
            made.append(folder / f"{k}{PurePosixPath(log.inner).suffix}")
            files, path = filesystem(log.address)
            try:
                files.get_file(path, str(made[-1]))
            except OSError as error:
                raise LogError(log.address, f"cannot be read: {error}.") from error
        yield made


# Results: small files and tables.


def joined_address(folder: str, name: str) -> str:
    """Return the address of a file in a folder."""
    return f"{folder}/{name}" if is_remote(folder) else str(Path(folder) / name)


def check_output(address: str) -> None:
    """Raise an error, before any work, if a file cannot be written at an address.

    Raises:
        FileError: it cannot be written.
    """
    if not is_remote(address):
        check_target(Path(address))
        if not os.access(Path(address).absolute().parent, os.W_OK):
            raise FileError(address, "cannot be written: its folder is read-only for this user.")
        return
    filesystem(address)


def make_folder(address: str) -> None:
    """Create a folder.

    Raises:
        FileError: it cannot be created.
    """
    try:
        if is_remote(address):
            files, path = filesystem(address)
            files.makedirs(path, exist_ok=True)
        else:
            os.makedirs(address, exist_ok=True)
    except OSError as error:
        raise FileError(address, f"cannot be made a folder: {error.strerror or error}.") from error


def read_bytes(address: str) -> bytes | None:
    """Return the content of a file; None if it is not there or cannot be read."""
    try:
        if is_remote(address):
            files, path = filesystem(address)
            return files.cat_file(path)
        return Path(address).read_bytes()
    except OSError:
        return None


def write_bytes(address: str, data: bytes) -> None:
    """Write a file: completely or not at all.

    Remote files are written under another name first, and then moved.

    Raises:
        FileError: it cannot be written.
    """
    if not is_remote(address):
        write_whole(address, data)
        return
    files, path = filesystem(address)
    partial = f"{path}.{os.urandom(8).hex()}.tmp"
    try:
        files.pipe_file(partial, data)
        files.mv(partial, path)
    except OSError as error:
        raise FileError(address, f"cannot be written: {error.strerror or error}.") from error
