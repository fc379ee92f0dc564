"""Rows of a log in memory or in a scratch file, and slices of them."""

from __future__ import annotations

import bisect
import mmap
import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO, cast
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import FileError, InputError, shown
from armdyn.writing import scratch_folder

# Rows that do not fit in memory: in a scratch file, read slice by slice.
#
# A scratch file is unnamed, or has a name in the folder of `shared_scratch`. Files with names can
# be read by other processes, and take no file descriptor while nobody reads them.


class _Folder:
    """A folder of scratch files, made for the first of them."""

    def __init__(self) -> None:
        self._stack, self._lock = ExitStack(), threading.Lock()
        self._path: Path | None = None

    @property
    def path(self) -> Path:
        """The folder."""
        with self._lock:
            if self._path is None:
                try:
                    self._path = self._stack.enter_context(scratch_folder())
                except OSError as error:
                    raise _no_space(error) from error
                _owned.add(self._path)
            return self._path

    def remove(self) -> None:
        """Remove the folder with its files."""
        self._stack.close()
        _owned.discard(self._path)


_current: ContextVar[_Folder | Path | None] = ContextVar("armdyn_scratch_folder", default=None)
# Folders that this process made: it removes a file with the last column that uses it.
_owned: set[Path | None] = set()
_scratches: WeakValueDictionary[Path, _Scratch] = WeakValueDictionary()


@contextmanager
def shared_scratch() -> Generator[None]:
    """Keep new rows in named files within the block, in a folder that is removed at its end.

    Other processes that see the folder can be sent the rows; see `scratch_in`. Within another
    such block, its folder is used.
    """
    if _current.get() is not None:
        yield
        return
    folder = _Folder()
    token = _current.set(folder)
    try:
        yield
    finally:
        _current.reset(token)
        folder.remove()


def scratch_path() -> Path | None:
    """Return the folder of `shared_scratch`; None outside of such a block."""
    current = _current.get()
    return current.path if isinstance(current, _Folder) else current


@contextmanager
def scratch_in(folder: Path) -> Generator[None]:
    """Keep new rows in a folder of another process within the block.

    Raises:
        FileError: the folder is not there.
    """
    if not os.path.isdir(folder):
        raise FileError(
            folder,
            "a worker does not see this folder, which keeps the samples of long logs. Set TMPDIR "
            "to a folder that all machines share under one path.",
        )
    token = _current.set(folder)
    try:
        yield
    finally:
        _current.reset(token)


def done_in(folder: Path | None, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function makes of its arguments, with new rows in a folder, unless None."""
    with nullcontext() if folder is None else scratch_in(folder):
        return function(*arguments)


class _Scratch:
    """A file, removed with the last column that uses it."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        if path is None:
            try:
                made = tempfile.TemporaryFile(prefix="armdyn-", buffering=0)
            except OSError as error:
                raise _no_space(error) from error
            self._file = cast(BinaryIO, made)
            weakref.finalize(self, made.close)
        elif path.parent in _owned:
            weakref.finalize(self, path.unlink, missing_ok=True)

    @contextmanager
    def opened(self) -> Generator[BinaryIO]:
        """Yield the file, open for reading and writing."""
        if self.path is None:
            yield self._file
            return
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            yield cast(BinaryIO, file)


def _new_scratch() -> _Scratch:
    folder = scratch_path()
    return _Scratch() if folder is None else _named(folder / f"{os.urandom(16).hex()}.rows")


def _named(path: Path) -> _Scratch:
    """Return the file of a path: one object in this process, so that its last user removes it."""
    found = _scratches.get(path)
    if found is None:
        found = _scratches[path] = _Scratch(path)
    return found


def _sent(path: Path, width: tuple[int, ...], first: int, count: int) -> FileRows:
    """Return rows in a named file."""
    return FileRows.at(_named(path), width, first, count)


def _no_space(error: OSError) -> FileError:
    return FileError(
        tempfile.gettempdir(),
        f"cannot keep the samples of a long log: {error.strerror or error}. Set TMPDIR to a folder "
        "with space for them.",
    )


class FileRows:
    """Rows ``(N,)`` or ``(N, k)`` in a scratch file; parts of them share it."""

    def __init__(self, *width: int) -> None:
        """Begin without rows.

        Args:
            width: of the rows; none for a single column ``(N,)``.
        """
        self._scratch = _new_scratch()
        self._width, self._first, self._count = width, 0, 0

    @classmethod
    def at(cls, scratch: _Scratch, width: tuple[int, ...], first: int, count: int) -> FileRows:
        """Return rows of a file that is there, unread."""
        made = object.__new__(cls)
        made._scratch, made._width, made._first, made._count = scratch, width, first, count
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the whole, as for an array."""
        return (self._count, *self._width)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return 1 + len(self._width)

    def __len__(self) -> int:
        return self._count

    def append(self, rows: Array) -> None:
        """Add rows at the end."""
        data = np.ascontiguousarray(rows, dtype=np.float64)
        try:
            with self._scratch.opened() as file:
                file.seek((self._first + self._count) * self._row_bytes)
                left = memoryview(cast(Any, data).reshape(-1).view(np.uint8))
                while len(left):
                    left = left[file.write(left) :]
        except OSError as error:
            raise _no_space(error) from error
        self._count += len(data)

    def part(self, a: int, b: int) -> FileRows:
        """Return rows a to b, unread."""
        return FileRows.at(self._scratch, self._width, self._first + a, b - a)

    def __getitem__(self, rows: slice | int) -> Array:
        """Return rows ``[a:b]``, or one, read from the file."""
        if isinstance(rows, int):
            k = range(self._count)[rows]
            return self[k : k + 1][0]
        if not isinstance(rows, slice) or rows.step not in (None, 1):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"columns in a file are read as [a:b], got {shown(rows)}.")
        a, b, _ = rows.indices(self._count)
        result = np.empty((max(b - a, 0), *self._width))
        left = memoryview(cast(Any, result).reshape(-1).view(np.uint8))
        with self._scratch.opened() as file:
            file.seek((self._first + a) * self._row_bytes)
            while len(left):
                got = cast(Any, file).readinto(left)
                if not got:
                    raise FileError(tempfile.gettempdir(), "the samples of a long log are gone.")
                left = left[got:]
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return all rows, for a caller that has the memory."""
        return self[0 : self._count]

    @property
    def is_shared(self) -> bool:
        """Whether other processes can read the rows; see `shared_scratch`."""
        return self._scratch.path is not None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._scratch.path is None:
            raise InputError(
                "a long log lies in a scratch file of this process and cannot be sent to another; "
                "send its path."
            )
        return _sent, (self._scratch.path, self._width, self._first, self._count)

    @property
    def _row_bytes(self) -> int:
        return 8 * int(np.prod(self._width, dtype=np.int64))


# Rows in memory, filled from the front.

# For arrays of more bytes, one system call that maps all pages pays off.
LARGE_ARRAY_BYTES = 1 << 22


class MemoryRows:
    """Rows in memory, filled from the front; the counterpart of `FileRows`."""

    def __init__(self, *shape: int) -> None:
        """Allocate memory for all rows."""
        self.rows = _uninitialised(shape)
        self._at = 0

    def append(self, rows: Array) -> None:
        """Add rows at the end."""
        self.rows[self._at : self._at + len(rows)] = rows
        self._at += len(rows)


def _uninitialised(shape: tuple[int, ...]) -> Array:
    """Return an uninitialised array.

    For a large array, Linux can map all pages at once, which takes a fraction of the time of
    mapping each at first access.
    """
    size = 8 * int(np.prod(shape, dtype=np.int64))
    populate = getattr(mmap, "MAP_POPULATE", 0)
    if size < LARGE_ARRAY_BYTES or not populate:
        return np.empty(shape)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | populate
    return np.frombuffer(mmap.mmap(-1, size, flags=flags), dtype=np.float64).reshape(shape)


# Slices of columns in memory or in a file: the same code serves both.

# Rows of a block.
BLOCK = 1 << 14

# Rows that are compared together: NumPy is slow on short rows.
SIDE = 64


def is_shared(column: object) -> bool:
    """Whether a column lies in a file that other processes can read."""
    return isinstance(column, FileRows) and column.is_shared


def is_in_file(column: object) -> bool:
    """Whether a column lies in a file."""
    return isinstance(column, FileRows)


def part_of(column: Array, a: int, b: int) -> Array:
    """Return rows a to b of a column, as a view or unread."""
    if isinstance(column, FileRows):
        return cast(Array, column.part(a, b))
    return column[a:b]


def part_of_episodes(episodes: Sequence[slice], a: int, b: int) -> list[slice]:
    """Return the episodes of rows a to b, counted from a."""
    cut = [(max(one.start, a) - a, min(one.stop, b) - a) for one in episodes]
    return [slice(start, stop) for start, stop in cut if start < stop]


def blocks(count: int, least: int = 1) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of consecutive blocks of rows, no shorter than `least`."""
    size = max(BLOCK, least)
    for a in range(0, count, size):
        yield a, min(a + size, count)


def extremes(columns: Sequence[Array]) -> tuple[Array, Array]:
    """Return the lowest and highest of each column of arrays ``(N, n)``."""
    n = columns[0].shape[1]
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    for column in columns:
        for a, b in blocks(len(column)):
            side = SIDE if (b - a) % SIDE == 0 else 1
            rows = column[a:b].reshape(-1, side * n)
            low = np.minimum(low, rows.min(axis=0).reshape(side, n).min(axis=0))
            high = np.maximum(high, rows.max(axis=0).reshape(side, n).max(axis=0))
    return low, high


def picked(column: Array, rows: NDArray[np.int64]) -> Array:
    """Return single rows of a column, given in order."""
    if not isinstance(column, FileRows):
        return column[rows]
    found = [np.zeros((0, *column.shape[1:]))]
    for a, b in blocks(len(column)):
        first, last = np.searchsorted(rows, (a, b)).tolist()
        if last > first:
            found.append(column[a:b][rows[first:last] - a])
    return np.concatenate(found)


def runs(count: int, most: int, length: int) -> list[tuple[int, int]]:
    """Return (start, stop) of up to `most` runs of rows, evenly spread; all rows if they are few.

    Such runs represent a long log where a sample of it suffices.
    """
    if count <= most * length:
        return [(0, count)] if count else []
    starts = [round(k * (count - length) / max(most - 1, 1)) for k in range(most)]
    return [(a, a + length) for a in starts]


def first_not_before(t: Array, time: float) -> int:
    """Return the first row of increasing stamps that is not before a time."""
    return bisect.bisect_left(range(len(t)), time, key=lambda k: float(t[k : k + 1][0]))
