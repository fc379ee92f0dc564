"""Rows that do not fit in memory: in a scratch file, read slice by slice."""

from __future__ import annotations

import tempfile
import weakref
from typing import Any, BinaryIO, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import FileError, InputError, shown

Array = NDArray[np.float64]


class _Scratch:
    """An unnamed file, removed with the last column that uses it."""

    def __init__(self) -> None:
        try:
            made = tempfile.TemporaryFile(prefix="armdyn-", buffering=0)
        except OSError as error:
            raise _no_room(error) from error
        self.file = cast(BinaryIO, made)
        weakref.finalize(self, made.close)


def _no_room(error: OSError) -> FileError:
    return FileError(
        tempfile.gettempdir(),
        f"cannot keep the samples of a long log: {error.strerror or error}. Set TMPDIR to a folder "
        "with room for them.",
    )


class FileRows:
    """Rows ``(N,)`` or ``(N, k)`` in a scratch file; parts of them share it."""

    def __init__(self, *width: int) -> None:
        """Begin without rows.

        Args:
            width: of the rows; none for a single column ``(N,)``.
        """
        self._scratch = _Scratch()
        self._width, self._first, self._count = width, 0, 0

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
            self._scratch.file.seek((self._first + self._count) * self._row_bytes)
            left = memoryview(cast(Any, data).reshape(-1).view(np.uint8))
            while len(left):
                left = left[self._scratch.file.write(left) :]
        except OSError as error:
            raise _no_room(error) from error
        self._count += len(data)

    def part(self, a: int, b: int) -> FileRows:
        """Return rows a to b, unread."""
        made = object.__new__(FileRows)
        made._scratch, made._width = self._scratch, self._width
        made._first, made._count = self._first + a, b - a
        return made

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
        self._scratch.file.seek((self._first + a) * self._row_bytes)
        while len(left):
            got = cast(Any, self._scratch.file).readinto(left)
            if not got:
                raise FileError(tempfile.gettempdir(), "the samples of a long log are gone.")
            left = left[got:]
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return all rows, for a caller that has the memory."""
        return self[0 : self._count]

    def __reduce__(self) -> NoReturn:
        raise InputError(
            "a long log lies in a scratch file of this process and cannot be sent to another; "
            "send its path."
        )

    @property
    def _row_bytes(self) -> int:
        return 8 * int(np.prod(self._width, dtype=np.int64))
