"""Object code on disk, so that a function is compiled once per machine, not once per process.

Data from here runs as machine code, so it is trusted only if nobody but the user can have written
it: the folder and every file in it belong to the user, only the user can write to them, and neither
is a symbolic link. A digest over key and contents detects corruption by a full disk or a crash.
Code that fails a check is compiled again, never run.

A failure of the cache is a miss: `get` and `put` raise no errors of disk, folder or file.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import stat
import struct
import sys
import warnings
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from armdyn.errors import ArmdynError, CacheWarning, InputError, shown
from armdyn.files import PrivateFolder, Refusal, is_own_file, make_private, open_private

FORMAT = 1
MAX_BYTES = 256 * 2**20
MAX_ENTRIES = 2000

MAGIC = b"armdyn object\n\0\0"
# Magic, format, key, length of the data; then the digest of all that and of the data.
HEAD = struct.Struct(">16sI32sQ")
OVERHEAD = HEAD.size + hashlib.sha256().digest_size

KEY = re.compile(r"[0-9a-f]{64}")
ENTRY_NAME = re.compile(r"([0-9a-f]{64})\.o")


def key(*parts: str | bytes) -> str:
    """Return the key of these parts: 64 hexadecimal digits.

    Every part is preceded by its length, so ("ab", "c") and ("a", "bc") differ. Text is encoded as
    UTF-8. The file format is always one of the parts.
    """
    digest = hashlib.sha256(MAGIC + FORMAT.to_bytes(4, "big"))
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


@dataclass(frozen=True)
class Entry:
    """An entry: its key, its bytes on disk, and when it was last used (Unix time)."""

    key: str
    size: int
    used: float


class Cache:
    """A folder of object code, one file per key, with least-recently-used eviction.

    Processes may share it. A file appears complete or not at all; a file that vanishes is a miss.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        max_bytes: int | None = None,
        max_entries: int = MAX_ENTRIES,
    ) -> None:
        """Use a folder; it is created on the first write.

        Args:
            folder: default is armdyn's folder in the user's cache directory.
            max_bytes: default is ARMDYN_CACHE_SIZE (in MiB), or 256 MiB.
            max_entries: maximum number of keys.

        Raises:
            ArmdynError: no folder is given and the user has no home directory.
        """
        chosen = folder or _user_folder()
        if chosen is None:
            raise ArmdynError("the user has no home directory, so the cache needs a folder.")
        self.folder = chosen
        self.max_bytes = _bytes_from_environment() if max_bytes is None else max_bytes
        self.max_entries = max_entries

    def get(self, key: str) -> bytes | None:
        """Return the data of a key, or None; an invalid entry is removed."""
        name = _entry_name(key)
        with _forgiven(), open_private(self.folder) as folder:
            data = self._read(folder, key)
            if data is None:
                folder.remove(name)
                return None
            with suppress(OSError):  # reading still works on a read-only disk
                folder.touch(name)
            return data
        return None

    def put(self, key: str, data: bytes) -> None:
        """Store data under a key, unless it exceeds the size limit of the whole cache."""
        name = _entry_name(key)
        if len(data) + OVERHEAD > self.max_bytes or self.max_entries < 1:
            return
        with _forgiven():
            make_private(self.folder)
            with open_private(self.folder) as folder:
                folder.write_whole(name, (_seal(key, data), data))
                self._trim(folder, newest=key)

    def entries(self) -> list[Entry]:
        """Return the entries, least recently used first."""
        with _forgiven(), open_private(self.folder) as folder:
            return _entries(folder.scan())
        return []

    def size(self) -> int:
        """Return the total size of all entries in bytes."""
        return sum(entry.size for entry in self.entries())

    def fault(self) -> str | None:
        """Return why the folder is not used, as a sentence; None if it is or does not exist yet."""
        try:
            with open_private(self.folder):
                return None
        except FileNotFoundError:
            return None
        except Refusal as refusal:
            return str(refusal)
        except OSError as error:
            return f"{self.folder} cannot be opened: {error.strerror or error}."

    def clear(self) -> int:
        """Remove every entry, and no other files; return how many entries there were.

        Raises:
            ArmdynError: the folder is not the user's own, or a file cannot be removed.
        """
        from armdyn.writing import NAME as TEMPORARY_NAME

        removed = 0
        failures: list[OSError] = []
        try:
            with open_private(self.folder) as folder:
                for name in [name for name, _ in folder.scan()]:
                    is_entry = ENTRY_NAME.fullmatch(name) is not None
                    if not (is_entry or TEMPORARY_NAME.fullmatch(name)):
                        continue
                    try:
                        removed += folder.remove(name) and is_entry
                    except OSError as error:
                        failures.append(error)
        except FileNotFoundError:  # the folder was never created
            return 0
        except Refusal as refusal:
            raise ArmdynError(str(refusal)) from refusal
        except OSError as error:
            failures.append(error)
        if failures:
            why = failures[0].strerror or str(failures[0])
            raise ArmdynError(
                f"{self.folder} is not cleared: {removed} entries were removed, then: {why}."
            ) from failures[0]
        return removed

    def _read(self, folder: PrivateFolder, key: str) -> bytes | None:
        """Return the data of an entry; None if the file is not a valid entry of this key.

        Raises:
            OSError: the file does not exist or cannot be read.
        """
        name = _entry_name(key)
        if not is_own_file(folder.stat(name)):
            return None
        with folder.open(name, "rb") as file:
            info = os.fstat(file.fileno())
            if not (is_own_file(info) and OVERHEAD <= info.st_size <= self.max_bytes):
                return None
            content = file.read(info.st_size)
        data = content[OVERHEAD:]
        return data if content[:OVERHEAD] == _seal(key, data) else None

    def _trim(self, folder: PrivateFolder, newest: str) -> None:
        """Remove the least recently used entries until the rest is within the limits."""
        entries = _entries(folder.scan())
        size, count = sum(entry.size for entry in entries), len(entries)
        for entry in entries:
            if size <= self.max_bytes and count <= self.max_entries:
                break
            if entry.key != newest:
                folder.remove(_entry_name(entry.key))
                size, count = size - entry.size, count - 1


def default_cache() -> Cache | None:
    """Return the cache that the environment asks for.

    ARMDYN_CACHE=off means no cache, ARMDYN_CACHE=/a/folder means that folder. The default is
    armdyn's folder in the user's cache directory, or no cache if the user has no home directory.
    """
    asked = os.environ.get("ARMDYN_CACHE", "")
    if asked.lower() == "off":
        return None
    if not asked:
        folder = _user_folder()
        return None if folder is None else Cache(folder)
    path = Path(os.path.expanduser(asked))
    if path.is_absolute():
        return Cache(path)
    _warn_once(
        f"ARMDYN_CACHE is {shown(asked)}, expected `off` or the absolute path of a folder; "
        "compiled functions are not kept."
    )
    return None


def _seal(key: str, data: bytes) -> bytes:
    """Return the bytes that precede the data in the file of an entry."""
    head = HEAD.pack(MAGIC, FORMAT, bytes.fromhex(key), len(data))
    digest = hashlib.sha256(head)
    digest.update(data)
    return head + digest.digest()


def _entries(there: Iterable[tuple[str, os.stat_result]]) -> list[Entry]:
    """Return the entries among the files in the folder, least recently used first."""
    found = [
        Entry(match[1], info.st_size, info.st_mtime)
        for name, info in there
        if (match := ENTRY_NAME.fullmatch(name)) and stat.S_ISREG(info.st_mode)
    ]
    return sorted(found, key=lambda entry: (entry.used, entry.key))


def _entry_name(key: str) -> str:
    if not KEY.fullmatch(key):
        raise InputError(f"{shown(key)} is not the key of an entry; make it with `key`.")
    return f"{key}.o"


@contextmanager
def _forgiven() -> Generator[None, None, None]:
    """Treat a disk error as a miss; warn once if the folder may not be used."""
    try:
        yield
    except Refusal as refusal:
        _warn_once(str(refusal))
    except OSError:
        pass


def _user_folder() -> Path | None:
    """Return armdyn's folder in the user's cache directory, None if there is no home directory."""
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        variable, usual = "LOCALAPPDATA", home / "AppData" / "Local"
    elif sys.platform == "darwin":
        variable, usual = "XDG_CACHE_HOME", home / "Library" / "Caches"
    else:
        variable, usual = "XDG_CACHE_HOME", home / ".cache"
    asked = Path(os.environ.get(variable, ""))
    directory = asked if asked.is_absolute() else usual
    return directory / "armdyn" if directory.is_absolute() else None


def _bytes_from_environment() -> int:
    asked = os.environ.get("ARMDYN_CACHE_SIZE", "")
    if not asked:
        return MAX_BYTES
    try:
        size = float(asked)
    except ValueError:
        size = math.nan
    if 0 <= size < math.inf:
        return int(size * 2**20)
    _warn_once(
        f"ARMDYN_CACHE_SIZE is {shown(asked)}, expected a number of MiB; "
        f"{MAX_BYTES // 2**20} is used."
    )
    return MAX_BYTES


_warned: set[str] = set()


def _warn_once(sentence: str) -> None:
    """Warn once per process: the cache is used for every function."""
    if sentence not in _warned:
        _warned.add(sentence)
        warnings.warn(sentence, CacheWarning, stacklevel=3)
