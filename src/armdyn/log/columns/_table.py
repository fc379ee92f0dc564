"""The columns of a file by name, before their meaning is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError

Array = NDArray[np.float64]

# Rows of a block of a long file of arrays.
ROWS = 1 << 16


@dataclass
class Table:
    """Columns ``(N,)`` and blocks of columns ``(N, k)`` by name.

    Attributes:
        path: the file.
        columns: the numbers; an empty cell is NaN.
        lines: line in the file of every row, if it is a text file.
        text: columns that are not numbers, each with a cell that is not a number and its line.
        joint_names: if the file has them.
        notes: findings while reading.
        lost: parts of the file that could not be used.
    """

    path: Path
    columns: dict[str, Array]
    lines: NDArray[np.int64] | None = None
    text: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    joint_names: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])

    def place(self, row: int) -> int | None:
        """Return the line of a row, None if the file has no lines."""
        return None if self.lines is None else int(self.lines[row])

    def error(self, row: int, message: str) -> LogError:
        """Return an error at a row."""
        if self.lines is None:
            return LogError(self.path, f"sample {row}: {message}")
        return LogError(self.path, message, self.place(row))


def one_line(error: Exception) -> str:
    """Return the message of an error, short and on one line."""
    return " ".join(str(error).split())[:120].rstrip(".")
