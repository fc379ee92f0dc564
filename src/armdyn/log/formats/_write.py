"""Logs written as .csv, .npz or .parquet, whole or not at all; reading gives the same bits."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import FileError, InputError
from armdyn.files import whole_file
from armdyn.log.columns._match import understood
from armdyn.log.columns._names import EXTRA, Meaning, meaning
from armdyn.log.formats._arrays import JOINT_NAMES, arrow_for

if TYPE_CHECKING:
    from armdyn.log._log import Log

Array = NDArray[np.float64]

ROWS = 10_000
WRITING = "writing Parquet"


def write_log(log: Log, path: str | os.PathLike[str]) -> None:
    """Write a log; the suffix of the path says how."""
    suffix = Path(path).suffix.lower()
    writers = {".csv": _csv, ".txt": _csv, ".npz": _npz, ".parquet": _parquet, ".pq": _parquet}
    if suffix not in writers:
        raise FileError(Path(path), "logs are written as .csv, .npz or .parquet.")
    if suffix in (".parquet", ".pq"):
        arrow_for(WRITING)
    columns = None if suffix == ".npz" else _columns(log)
    with whole_file(path) as file:
        writers[suffix](log, columns or {}, file)


def _columns(log: Log) -> dict[str, Array]:
    """Return the columns by names that say what they are, also to the reader of this package."""
    effort = "current" if log.effort == "current" else "tau"
    columns: dict[str, Array] = {"t": log.t}
    for role, block in (("q", log.q), ("qd", log.qd), ("qdd", log.qdd), (effort, log.tau)):
        for j, joint in enumerate(log.joint_names):
            if block is not None:
                columns[_name(role, joint)] = block[:, j]
    for name, column in log.extra.items():
        parts = {name: column}
        if column.ndim == 2:
            parts = {f"{name}.{k}": part for k, part in enumerate(column.T, 1)}
        for key, part in parts.items():
            columns[_extra_name(key, columns)] = part
    return columns


def _name(role: str, joint: str) -> str:
    # What stands in brackets is the unit: it says so where the name of a joint could be misread.
    for name in (f"{role}_{joint}", f"{role}_{joint} [SI]"):
        if meaning(name) == Meaning(role, joint) and not set(name) & set("\r\n\0"):
            return name
    raise InputError(
        f"the joint name {joint!r} cannot be a part of the name of a column; write an .npz file."
    )


def _extra_name(name: str, taken: Mapping[str, object]) -> str:
    clear = understood(name) is None and not name.startswith(EXTRA) and name not in taken
    result = name if clear else f"{EXTRA}{name}"
    if result in taken or not name.strip() or set(name) & set("\r\n\0"):
        raise InputError(f"an extra column cannot be called {name!r} in a file; rename it.")
    return result


def _csv(log: Log, columns: dict[str, Array], file: BinaryIO) -> None:
    header = io.StringIO()
    csv.writer(header, lineterminator="\n").writerow(columns)
    file.write(header.getvalue().encode("utf-8"))
    for a in range(0, len(log), ROWS):
        rows = np.stack([column[a : a + ROWS] for column in columns.values()], axis=1).tolist()
        text = "\n".join([",".join(map(repr, row)) for row in rows])
        file.write(f"{text}\n".encode())


def _npz(log: Log, columns: dict[str, Array], file: BinaryIO) -> None:
    effort = "currents" if log.effort == "current" else "tau"
    arrays: dict[str, Any] = {"t": log.t, "q": log.q, JOINT_NAMES: np.array(log.joint_names)}
    for name, block in (("qd", log.qd), ("qdd", log.qdd), (effort, log.tau)):
        if block is not None:
            arrays[name] = block
    for name, column in log.extra.items():
        arrays[_extra_name(name, arrays)] = column
    np.savez(file, **arrays)


def _parquet(log: Log, columns: dict[str, Array], file: BinaryIO) -> None:
    arrow, parquet = arrow_for(WRITING)
    table = arrow.table(columns)
    table = table.replace_schema_metadata({JOINT_NAMES: "\0".join(log.joint_names)})
    parquet.write_table(table, file)
