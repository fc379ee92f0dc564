"""Logs as text: a header, then all digits of every number."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, BinaryIO

from armdyn.log.formats._written import WrittenColumns

if TYPE_CHECKING:
    from armdyn.log._log import Log

# Rows that are written together.
ROWS = 10_000


def write_csv(log: Log, file: BinaryIO) -> None:
    """Write a log as comma-separated text."""
    columns = WrittenColumns(log)
    header = io.StringIO()
    csv.writer(header, lineterminator="\n").writerow(columns.names)
    file.write(header.getvalue().encode("utf-8"))
    for a in range(0, len(log), ROWS):
        rows = columns.rows(a, a + ROWS).tolist()
        text = "\n".join([",".join(map(repr, row)) for row in rows])
        file.write(f"{text}\n".encode())
