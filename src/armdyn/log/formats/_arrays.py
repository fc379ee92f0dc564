"""Files of arrays: .npz of NumPy, .mat of MATLAB, Parquet."""

from __future__ import annotations

import importlib
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError, MissingExtraError
from armdyn.log.columns._match import understood
from armdyn.log.formats._mat import mat_arrays
from armdyn.log.formats._table import Table

JOINT_NAMES = "joint_names"
READING = "reading Parquet"

# Rows of a block of a long file.
ROWS = 1 << 16


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


def npz_blocks(path: Path) -> Iterator[Table]:
    """Yield a file of `numpy.savez` block by block; one whose arrays have to be turned, whole."""
    try:
        with zipfile.ZipFile(path) as archive, ExitStack() as stack:
            open_ones = {
                name.removesuffix(".npy"): stack.enter_context(archive.open(name))
                for name in archive.namelist()
            }
            heads = {name: _head(file) for name, file in open_ones.items()}
            rows = {shape[0] for k, (shape, _, _) in heads.items() if shape and _is_time(k)}
            turned = [
                fortran or (len(shape) > 1 and shape[0] not in rows)
                for shape, fortran, _ in heads.values()
            ]
            if len(rows) == 1 and not any(turned):
                yield from _together(path, open_ones, heads, rows.pop())
                return
    except (LogError, GeneratorExit):
        raise
    except Exception as error:  # damaged archives raise errors of every kind
        raise LogError(path, f"is not an .npz file of numbers ({_line(error)}).") from error
    yield read_npz(path)


def _is_time(name: str) -> bool:
    meaning = understood(name)
    return meaning is not None and meaning.role == "t"


def _head(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, order and type of an array whose file is read up to its numbers."""
    version = np.lib.format.read_magic(file)
    read: Any = np.lib.format
    if version == (1, 0):
        return read.read_array_header_1_0(file)
    return read.read_array_header_2_0(file)


def _together(
    path: Path, files: Mapping[str, Any], heads: Mapping[str, Any], rows: int
) -> Iterator[Table]:
    """Yield blocks of all arrays of numbers that have this many rows."""
    names: tuple[str, ...] = ()
    if JOINT_NAMES in files:
        shape, _, kind = heads[JOINT_NAMES]
        names = tuple(np.frombuffer(files[JOINT_NAMES].read(), kind).reshape(shape).tolist())
    wanted = [
        name for name, (shape, _, kind) in heads.items()
        if shape and shape[0] == rows and len(shape) < 3 and kind.kind in "iuf"
    ]  # fmt: skip
    for a in range(0, rows, ROWS):
        count = min(ROWS, rows - a)
        columns: dict[str, NDArray[np.float64]] = {}
        for name in wanted:
            shape, _, kind = heads[name]
            part = (count, *shape[1:])
            data = files[name].read(int(np.prod(part)) * kind.itemsize)
            columns[name] = np.frombuffer(data, kind).reshape(part).astype(np.float64)
        yield Table(path, columns, joint_names=names)


def read_parquet(path: Path) -> Table:
    """Read a Parquet file; a column of lists of equal length is a block."""
    arrow, parquet = arrow_for(READING)
    try:
        table = parquet.read_table(path)
    except (arrow.ArrowException, OSError) as error:
        raise LogError(path, f"is not a Parquet file ({_line(error)}).") from error
    return _from_arrow(path, arrow, table)


def parquet_blocks(path: Path) -> Iterator[Table]:
    """Yield a Parquet file block by block."""
    arrow, parquet = arrow_for(READING)
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=ROWS):
                table = arrow.Table.from_batches([batch], schema=file.schema_arrow)
                yield _from_arrow(path, arrow, table)
    except (arrow.ArrowException, OSError) as error:
        raise LogError(path, f"is not a Parquet file ({_line(error)}).") from error


def arrow_for(why: str) -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet, or raise an error that says how to get them."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", why) from None


def _from_arrow(path: Path, arrow: Any, table: Any) -> Table:
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
    times = {a.size for name, a in numbers.items() if _is_time(name)}
    rows = times.pop() if len(times) == 1 else max(longest, key=lambda k: (longest[k], k))
    columns: dict[str, NDArray[np.float64]] = {}
    for name, array in numbers.items():
        if array.ndim == 2 and array.shape[0] != rows and array.shape[1] == rows:
            array = array.T
        if array.ndim in (1, 2) and array.shape[0] == rows:
            columns[name] = np.asarray(array, dtype=np.float64)
    return Table(path, columns, joint_names=names)
