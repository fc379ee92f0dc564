"""Parquet files: a column of lists of equal length is a block."""

from __future__ import annotations

import importlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError
from armdyn.log.arrays import JOINT_NAMES, check_inflation
from armdyn.log.columns import ROWS, Table, one_line
from armdyn.log.footers import values_by_column
from armdyn.log.formats import WrittenColumns, check_content

if TYPE_CHECKING:
    from armdyn.log.log import Log

# Bytes of each column that are read together, where a file is read block by block.
BUFFER = 1 << 16
# Larger files [bytes] are no pointers of Git LFS.
LARGEST_POINTER = 1024
# Rows that are written together.
GROUP = 1 << 20


def read_parquet(path: Path) -> Table:
    """Read a Parquet file."""
    with opened(path) as (arrow, file):
        return _from_arrow(path, arrow, file.read())


def parquet_blocks(path: Path) -> Iterator[Table]:
    """Yield a Parquet file block by block."""
    with opened(path, is_whole=False) as (arrow, file):
        for batch in file.iter_batches(batch_size=ROWS):
            table = arrow.Table.from_batches([batch], schema=file.schema_arrow)
            yield _from_arrow(path, arrow, table)


def write_parquet(log: Log, file: BinaryIO) -> None:
    """Write a log as Parquet, a group of rows at a time."""
    arrow, parquet = _arrow()
    columns = WrittenColumns(log)
    schema = arrow.schema(
        [(name, arrow.float64()) for name in columns.names],
        metadata={JOINT_NAMES: "\0".join(log.joint_names)},
    )
    with parquet.ParquetWriter(file, schema) as writer:
        for a in range(0, len(log), GROUP):
            rows = columns.rows(a, a + GROUP)
            arrays = [arrow.array(np.ascontiguousarray(column)) for column in rows.T]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def _arrow() -> tuple[Any, Any]:
    return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")


@contextmanager
def opened(
    path: Path, *, is_checked: bool = False, is_whole: bool = True
) -> Generator[tuple[Any, Any]]:
    """Yield pyarrow and the open file.

    Args:
        path: of the file.
        is_checked: whether its size is known to be plausible.
        is_whole: whether all of it is read at once. Otherwise it goes through a small buffer: by
            default pyarrow holds the bytes of all columns while it yields blocks of them.
    """
    arrow, parquet = _arrow()
    try:
        if path.stat().st_size < LARGEST_POINTER:
            check_content(path)
        buffer = {} if is_whole else {"pre_buffer": False, "buffer_size": BUFFER}
        with parquet.ParquetFile(path, **buffer) as file:
            if not is_checked:
                check_inflation(path, declared_bytes(path, file))
            yield arrow, file
    except LogError:
        raise
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise LogError(path, f"is not a Parquet file ({one_line(error)}).") from error


def declared_bytes(path: Path, file: Any, names: Sequence[str] | None = None) -> int:
    """Return the bytes that the numbers of some columns, or of all, take in memory."""
    values = values_by_column(path)
    if names is not None:
        values = {
            k: v for k, v in values.items() if any(f"{k}.".startswith(f"{n}.") for n in names)
        }
    return 8 * max(sum(values.values()), file.metadata.num_rows * len(values))


def numbers_in(arrow: Any, column: Any) -> NDArray[Any] | None:
    """Return a column of numbers ``(N,)``, or of lists of equal length ``(N, k)``; None if other.

    Missing numbers and lists are NaN.
    """
    kind = column.type
    if arrow.types.is_floating(kind) or arrow.types.is_integer(kind):
        return np.asarray(column.to_numpy())
    if not (arrow.types.is_list(kind) or arrow.types.is_fixed_size_list(kind)):
        return None
    if not (arrow.types.is_floating(kind.value_type) or arrow.types.is_integer(kind.value_type)):
        return None
    width = kind.list_size if arrow.types.is_fixed_size_list(kind) else _common_length(column)
    if not width:
        return None
    parts = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in column.chunks]
    values = parts[0] if len(parts) == 1 else np.concatenate(parts)
    block = values.reshape(-1, width)
    if not column.null_count:
        return block
    whole = np.full((len(column), width), np.nan)
    whole[column.is_valid().to_numpy()] = block
    return whole


def _common_length(column: Any) -> int:
    """Return the length of all lists of a column; 0 if they differ or there is none."""
    compute = importlib.import_module("pyarrow.compute")
    ends = compute.min_max(compute.list_value_length(column)).as_py()
    return ends["min"] or 0 if ends["min"] == ends["max"] else 0


def _from_arrow(path: Path, arrow: Any, table: Any) -> Table:
    columns: dict[str, NDArray[np.float64]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if arrow.types.is_timestamp(kind):
            column, name = column.cast(arrow.timestamp("ns")).cast(arrow.int64()), f"{name} [ns]"
        numbers = numbers_in(arrow, column)
        if numbers is not None:
            columns[name] = np.asarray(numbers, dtype=np.float64)
    if not columns or not table.num_rows:
        raise LogError(path, "has no rows of numbers.")
    metadata: dict[bytes, bytes] = table.schema.metadata or {}
    names = metadata.get(JOINT_NAMES.encode(), b"").decode()
    return Table(path, columns, joint_names=tuple(names.split("\0")) if names else ())
