"""Parquet files: a column of lists of equal length is a block."""

from __future__ import annotations

import importlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError
from armdyn.log.arrays import JOINT_NAMES, check_inflation
from armdyn.log.columns import ROWS, Table, one_line
from armdyn.log.formats import WrittenColumns

if TYPE_CHECKING:
    from armdyn.log.log import Log

# Rows that are written together.
GROUP = 1 << 20


def read_parquet(path: Path) -> Table:
    """Read a Parquet file."""
    with _opened(path) as (arrow, file):
        return _from_arrow(path, arrow, file.read())


def parquet_blocks(path: Path) -> Iterator[Table]:
    """Yield a Parquet file block by block."""
    with _opened(path) as (arrow, file):
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
def _opened(path: Path) -> Generator[tuple[Any, Any]]:
    """Yield pyarrow and the open file, if its size is plausible."""
    arrow, parquet = _arrow()
    try:
        with parquet.ParquetFile(path) as file:
            meta = file.metadata
            check_inflation(path, 8 * meta.num_rows * meta.num_columns)
            yield arrow, file
    except (arrow.ArrowException, OSError) as error:
        raise LogError(path, f"is not a Parquet file ({one_line(error)}).") from error


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
