"""Files of arrays: .npz of NumPy, .mat of MATLAB, Parquet."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError, MissingExtraError
from armdyn.log._mat import mat_arrays
from armdyn.log._match import understood
from armdyn.log._table import Table

JOINT_NAMES = "joint_names"


def read_npz(path: Path) -> Table:
    """Read a file of `numpy.savez`; arrays are columns ``(N,)`` or blocks ``(N, k)``."""
    try:
        with path.open("rb") as file:
            loaded: Any = np.load(file, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                raise LogError(path, "is one array without names; save arrays by numpy.savez.")
            arrays: dict[str, NDArray[Any]] = {name: loaded[name] for name in loaded.files}
    except LogError:
        raise
    except Exception as error:  # damaged archives raise errors of every kind
        raise LogError(path, f"is not an .npz file of numbers ({_line(error)}).") from error
    return _table(path, arrays)


def read_mat(path: Path) -> Table:
    """Read a file of MATLAB; fields of structures are called ``structure.field``."""
    return _table(path, mat_arrays(path))


def read_parquet(path: Path) -> Table:
    """Read a Parquet file; a column of lists of equal length is a block."""
    try:
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "reading Parquet") from None
    arrow: Any = importlib.import_module("pyarrow")
    try:
        table = parquet.read_table(path)
    except (arrow.ArrowException, OSError) as error:
        raise LogError(path, f"is not a Parquet file ({_line(error)}).") from error
    columns: dict[str, NDArray[np.float64]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if arrow.types.is_timestamp(kind):
            column, name = column.cast(arrow.timestamp("ns")).cast(arrow.int64()), f"{name} [ns]"
        elif arrow.types.is_list(kind) or arrow.types.is_fixed_size_list(kind):
            rows = column.to_pylist()
            if len({None if row is None else len(row) for row in rows}) == 1 and rows[0]:
                columns[name] = np.array(rows, dtype=np.float64)
            continue
        elif not (arrow.types.is_floating(kind) or arrow.types.is_integer(kind)):
            continue
        columns[name] = np.asarray(column.to_numpy(), dtype=np.float64)
    if not columns or not table.num_rows:
        raise LogError(path, "has no rows of numbers.")
    metadata: dict[bytes, bytes] = table.schema.metadata or {}
    names = metadata.get(JOINT_NAMES.encode(), b"").decode()
    return Table(path, columns, joint_names=tuple(names.split("\0")) if names else ())


def _line(error: Exception) -> str:
    """Return what an error says, short and on one line."""
    return " ".join(str(error).split())[:120].rstrip(".")


def _table(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Table:
    """Return the arrays that have a row for every sample.

    There are as many samples as time stamps or, if the time is not known by its name, as the
    longest side has that most arrays share. Arrays with a column for every sample are turned.
    """
    names: tuple[str, ...] = ()
    numbers: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        if name == JOINT_NAMES and array.dtype.kind == "U":
            names = tuple(str(k) for k in array.ravel())
        elif array.dtype.kind in "iuf" and array.size and array.ndim:
            numbers[name] = array.squeeze() if array.ndim > 2 else array
    longest = Counter(max(a.shape) for a in numbers.values() if a.ndim in (1, 2))
    if not longest:
        there = ", ".join(arrays) or "nothing"
        raise LogError(path, f"has no arrays of numbers; it has {there}.")
    times = {a.size for name, a in numbers.items() if (m := understood(name)) and m.role == "t"}
    rows = times.pop() if len(times) == 1 else max(longest, key=lambda k: (longest[k], k))
    columns: dict[str, NDArray[np.float64]] = {}
    for name, array in numbers.items():
        if array.ndim == 2 and array.shape[0] != rows and array.shape[1] == rows:
            array = array.T
        if array.ndim in (1, 2) and array.shape[0] == rows:
            columns[name] = np.asarray(array, dtype=np.float64)
    return Table(path, columns, joint_names=names)
