"""A log file that is too long for memory: read in blocks, samples in scratch files."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogWarning
from armdyn.log._long_log import LongLog
from armdyn.log.columns._match import matched
from armdyn.log.columns._plausible import check_angles, still_joints
from armdyn.log.columns._stamps import clock_of, ordered
from armdyn.log.columns._table import Table
from armdyn.log.formats._registry import format_read
from armdyn.log.reading._options import ReadOptions
from armdyn.log.reading._samples import block_of, complete_rows, to_joint_side, to_si, told_with
from armdyn.log.storage._file_rows import FileRows
from armdyn.log.storage._slices import extremes

Array = NDArray[np.float64]

# The quantities of a log that identification needs.
NEEDED = ("q", "qd", "tau", "current")


def stream_log(file: Path, options: ReadOptions) -> LongLog:
    """Read a file block by block."""
    found = format_read(file)
    with told_with(file):
        tables = found.tables(file, options.of_format)
        first = _with_rows(tables)
        match = matched(first, options.joint_names, options.columns, options.torque)
        n = block_of(first, "q", match).shape[1]
        gears, scale = options.gear_matrix(n), options.scales(n)
        clock = clock_of(first, match.time, match.nanosec, options.time_unit)
        first.notes += match.notes
        made = _Columns(tuple(role for role in match.names if role in NEEDED), n)
        said = True
        for table in chain([first], tables):
            blocks = {role: block_of(table, role, match) for role in made.roles}
            t = clock.seconds(table)
            complete = complete_rows(table, match, t, blocks, options.missing)
            rows = ordered(table, t, complete, False)
            made.check_order(table, t, rows)
            blocks = {role: block[rows] for role, block in blocks.items()}
            said = to_si(blocks, match, scale)
            if gears is not None:
                to_joint_side(blocks, gears, options.motor_side, table.notes)
            made.add(table, t[rows], blocks)
    labels = match.joints or tuple(f"joint{k}" for k in range(1, n + 1))
    last = Table(file, {})
    if not said:
        check_angles(last, labels, made.extremes["q"], options.joints)
    still = still_joints(labels, made.extremes) if len(made.t) > 1 else []
    for words in (*made.lost, *still):
        warnings.warn(f"{file}: {words}", LogWarning, stacklevel=3)
    effort = "current" if "current" in made.roles else "torque"
    return LongLog(
        t=cast(Array, made.t),
        q=cast(Array, made.columns["q"]),
        qd=cast("Array | None", made.columns.get("qd")),
        tau=cast("Array | None", made.columns.get("tau", made.columns.get("current"))),
        joint_names=labels,
        effort=effort if {"tau", "current"} & set(made.roles) else "none",
        source=str(file),
        notes=(*dict.fromkeys((*made.notes, *last.notes)), *made.lost, *still),
    )


def _with_rows(tables: Iterator[Table]) -> Table:
    """Return the first table that has rows; blocks of a text file may end after its header."""
    table = next(tables)
    while not any(map(len, table.columns.values())):
        following = next(tables, None)
        if following is None:
            break
        following.notes[:0] = table.notes
        table = following
    return table


class _Columns:
    """The columns in scratch files, with extremes and notes of the blocks so far."""

    def __init__(self, roles: tuple[str, ...], n: int) -> None:
        self.roles = roles
        self.t = FileRows()
        self.columns: dict[str, Any] = {role: FileRows(n) for role in roles}
        self.extremes: dict[str, Array] = {}
        self.notes: list[str] = []
        self.lost: list[str] = []
        self._end = -np.inf

    def check_order(self, table: Table, t: Array, rows: NDArray[np.int64]) -> None:
        """Raise an error if a block begins before the previous one ends."""
        if len(rows) and not t[rows[0]] > self._end:
            raise table.error(
                int(rows[0]),
                f"goes back in time: {float(t[rows[0]])!r} s after {float(self._end)!r} s. "
                "Log.read with sort=True puts rows in order.",
            )

    def add(self, table: Table, t: Array, blocks: Mapping[str, Array]) -> None:
        """Append the samples of a block."""
        self.notes += table.notes
        self.lost += table.lost
        if not len(t):
            return
        self._end = t[-1]
        self.t.append(t)
        for role, block in blocks.items():
            self.columns[role].append(block)
            seen = [block] if role not in self.extremes else [self.extremes[role], block]
            self.extremes[role] = np.stack(extremes(seen))
