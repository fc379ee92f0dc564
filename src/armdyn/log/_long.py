"""Logs that are too long for memory: read in blocks, kept in scratch files, sliced from there."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.errors import LogWarning
from armdyn.log._log import Log
from armdyn.log._read import (
    TORQUES,
    block_of,
    check_choice,
    check_file,
    checked_path,
    checked_sides,
    complete_rows,
    joint_names,
    scales,
    to_joint_side,
    to_si,
    told_with,
)
from armdyn.log._stored import Stored, extremes
from armdyn.log.columns._match import matched
from armdyn.log.columns._names import TIMES
from armdyn.log.columns._plausible import check_angles, check_gear, still_joints
from armdyn.log.columns._stamps import clock_of, ordered
from armdyn.log.formats._arrays import npz_blocks, parquet_blocks, read_mat
from armdyn.log.formats._csv import csv_blocks
from armdyn.log.formats._table import Table

Array = NDArray[np.float64]

# What identification needs of a log.
KEPT = ("q", "qd", "tau", "current")


@dataclass(frozen=True, eq=False, repr=False)
class LongLog(Log):
    """A log whose columns lie in scratch files: ``log.q[a:b]`` reads samples a to b.

    It is made by `Log.stream`, which checks what a log has to be. `identify` takes it like any
    other; measured accelerations and extra columns are not kept.
    """

    def __post_init__(self) -> None:
        pass


def stream_log(
    path: str | os.PathLike[str],
    *,
    joints: object,
    columns: Mapping[str, str | Sequence[str]] | None,
    units: str | Sequence[str] | None,
    time_unit: str | None,
    torque: str,
    gear: ArrayLike | None,
    motor_side: Sequence[str],
    delimiter: str | None,
    missing: str,
) -> LongLog:
    """Read a file block by block; the arguments are those of `Log.stream`."""
    check_choice("torque", torque, TORQUES)
    check_choice("missing", missing, ("error", "drop"))
    check_choice("time_unit", time_unit, (None, *TIMES))
    names, file = joint_names(joints), checked_path(path)
    check_file(file)
    with told_with(file):
        tables = _tables(file, delimiter)
        first = next(tables)
        match = matched(first, names, columns, torque)
        n = block_of(first, "q", match).shape[1]
        gears = None if gear is None else check_gear(gear, n)
        sides, scale = checked_sides(motor_side), scales(units, n)
        clock = clock_of(first, match.time, match.nanosec, time_unit)
        first.notes += match.notes
        made = _Columns(tuple(role for role in match.names if role in KEPT), n)
        said = True
        for table in _with(first, tables):
            blocks = {role: block_of(table, role, match) for role in made.roles}
            t = clock.seconds(table)
            rows = ordered(table, t, complete_rows(table, match, t, blocks, missing), False)
            made.check_order(table, t, rows)
            blocks = {role: block[rows] for role, block in blocks.items()}
            said = to_si(blocks, match, scale)
            if gears is not None:
                to_joint_side(blocks, gears, sides, table.notes)
            made.add(table, t[rows], blocks)
    labels = match.joints or tuple(f"joint{k}" for k in range(1, n + 1))
    last = Table(file, {})
    if not said:
        check_angles(last, labels, made.extremes["q"], joints)
    still = still_joints(labels, made.extremes)
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


def _with(first: Table, others: Iterator[Table]) -> Iterator[Table]:
    yield first
    yield from others


def _tables(file: Path, delimiter: str | None) -> Iterator[Table]:
    suffix = file.suffix.lower()
    if suffix == ".npz":
        return npz_blocks(file)
    if suffix in (".parquet", ".pq"):
        return parquet_blocks(file)
    return iter([read_mat(file)]) if suffix == ".mat" else csv_blocks(file, delimiter)


class _Columns:
    """The columns in their files, and what is known of them so far."""

    def __init__(self, roles: tuple[str, ...], n: int) -> None:
        self.roles = roles
        self.t = Stored()
        self.columns: dict[str, Any] = {role: Stored(n) for role in roles}
        self.extremes: dict[str, Array] = {}
        self.notes: list[str] = []
        self.lost: list[str] = []
        self._end = -np.inf

    def check_order(self, table: Table, t: Array, rows: NDArray[np.int64]) -> None:
        """Raise an error if a block begins before the one before it ends."""
        if len(rows) and not t[rows[0]] > self._end:
            raise table.error(
                int(rows[0]),
                f"goes back in time: {float(t[rows[0]])!r} s after {float(self._end)!r} s. "
                "Log.read with sort=True puts rows in order.",
            )

    def add(self, table: Table, t: Array, blocks: Mapping[str, Array]) -> None:
        """Keep the samples of a block."""
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
