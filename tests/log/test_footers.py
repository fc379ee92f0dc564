"""Footers of Parquet files: values of columns with and without a shortcut."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from armdyn.log import footers

ROWS = 40


def _table() -> pa.Table:
    numbers = np.arange(ROWS)
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(3.0 * ROWS, dtype="f4")), 3)
    return pa.table({
        "frame": numbers, "flag": numbers % 2 == 0, "a.name with points": numbers / 7,
        "state": vectors, "lists": [[1.0] * (k % 4) for k in range(ROWS)],
        "text": ["x" * k for k in range(ROWS)], "n" * 300: numbers,
        "deep": [{"a": {"b": [k, k]}} for k in range(ROWS)],
    })  # fmt: skip


@pytest.mark.parametrize("shortcut", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"row_group_size": 7},
        {"write_statistics": False},
        {"write_page_index": True, "write_page_checksum": True},
        {"use_dictionary": False, "compression": "zstd", "data_page_version": "2.0"},
        {"data_page_size": 16, "row_group_size": 20, "version": "1.0"},
    ],
)
def test_values_are_those_of_pyarrow(
    tmp_path: Path, options: dict[str, Any], shortcut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(_table(), path, **options)
    if not shortcut:
        monkeypatch.setattr(footers, "_usual_column", lambda: re.compile(b"(?!)"))
    data = pq.ParquetFile(path).metadata
    expected: Counter[str] = Counter()
    for group in range(data.num_row_groups):
        for column in range(data.num_columns):
            chunk = data.row_group(group).column(column)
            expected[chunk.path_in_schema] += chunk.num_values
    assert footers.values_by_column(path) == expected


def test_most_columns_go_the_short_way(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(_table().select(["frame", "state", "a.name with points"]), path)
    assert len(footers._usual_column().findall(path.read_bytes())) == 3


def test_damaged_footers_are_an_error_or_numbers(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(_table(), path, row_group_size=7)
    data, rng = path.read_bytes(), np.random.default_rng(0)
    length = int.from_bytes(data[-8:-4], "little")
    for _ in range(500):
        changed = bytearray(data)
        for at in rng.integers(len(data) - 8 - length, len(data) - 8, rng.integers(1, 4)):
            changed[at] = rng.integers(256)
        path.write_bytes(changed)
        try:
            values = footers.values_by_column(path)
        except ValueError:
            continue
        assert all(count >= 0 for count in values.values())
