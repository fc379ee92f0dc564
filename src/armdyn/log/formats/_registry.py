"""The table of log file formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armdyn.errors import FileError, LogError
from armdyn.files import FileFormat, check_regular, listed, reading, writing
from armdyn.log.columns._table import Table

if TYPE_CHECKING:
    from armdyn.log._log import Log


@dataclass(frozen=True, kw_only=True)
class LogFormat(FileFormat):
    """A format of log files.

    The reader is called as ``reader(path, **options)`` and returns a `Table`; `blocks` is called
    the same way and yields tables of consecutive rows. The writer is called with a binary file, as
    ``writer(log, file)``.

    Attributes:
        blocks: function that reads a long file block by block; None if it is read as a whole.
        options: the arguments of `Log.read` that the reader takes.
    """

    blocks: str | None = None
    options: tuple[str, ...] = ()

    def table(self, path: Path, given: dict[str, Any]) -> Table:
        """Return all rows of a file."""
        read = self.function(self.reader, "reading")
        return read(path, **{key: given[key] for key in self.options})

    def tables(self, path: Path, given: dict[str, Any]) -> Iterator[Table]:
        """Yield the rows of a file block by block."""
        if self.blocks is None:
            return iter([self.table(path, given)])
        read = self.function(self.blocks, "reading")
        return read(path, **{key: given[key] for key in self.options})


FORMATS: list[LogFormat] = [
    LogFormat(
        name="CSV",
        suffixes=(".csv", ".txt", ".tsv"),
        unlisted=(".dat", ".log", ""),
        reader="armdyn.log.formats.csv:read_csv",
        blocks="armdyn.log.formats.csv:csv_blocks",
        options=("delimiter",),
        writer="armdyn.log.formats.csv:write_csv",
        written=(".csv",),
        unlisted_written=(".txt",),
    ),
    LogFormat(
        name="NPZ",
        suffixes=(".npz",),
        reader="armdyn.log.formats._npz:read_npz",
        blocks="armdyn.log.formats._npz:npz_blocks",
        writer="armdyn.log.formats._npz:write_npz",
    ),
    LogFormat(name="MAT", suffixes=(".mat",), reader="armdyn.log.formats._mat:read_mat"),
    LogFormat(
        name="Parquet",
        suffixes=(".parquet",),
        unlisted=(".pq",),
        reader="armdyn.log.formats._parquet:read_parquet",
        blocks="armdyn.log.formats._parquet:parquet_blocks",
        writer="armdyn.log.formats._parquet:write_parquet",
        unlisted_written=(".pq",),
        extra=("pyarrow", "parquet"),
    ),
]


def format_read(path: Path) -> LogFormat:
    """Return the format of an existing log file.

    Raises:
        LogError: its suffix is unknown, or it is not a regular file.
    """
    found = reading(FORMATS, path)
    if not found:
        raise LogError(path, f"{path.suffix.lower()} files are not read. {read_in_words()}")
    if not check_regular(path, "a log", LogError):
        raise LogError(path, "there is no such file.")
    return found[0]


def format_written(path: Path, what: str = "logs") -> LogFormat:
    """Return the format that a file of this name is written in.

    Args:
        path: of the file.
        what: the things to write, for the error message.

    Raises:
        FileError: its suffix is unknown.
    """
    found = writing(FORMATS, path)
    if found is None:
        raise FileError(path, f"{what} are written as {written_in_words()}.")
    return found


def is_log_path(path: Path) -> bool:
    """Whether a path has a suffix that only log files have."""
    return bool(path.suffix) and bool(reading(FORMATS, path))


def read_in_words() -> str:
    """Return a sentence on the suffixes of logs."""
    return f"Logs are {listed([suffix for one in FORMATS for suffix in one.suffixes])}."


def written_in_words() -> str:
    """Return the suffixes that logs are written as: ".csv, .npz or .parquet"."""
    return listed([suffix for one in FORMATS for suffix in one.listed_written])


def write_log(log: Log, path: Path) -> None:
    """Write a log in the format of the suffix: the whole file or, on any failure, nothing."""
    from armdyn.files import whole_file

    found = format_written(path)
    assert found.writer is not None
    write = found.function(found.writer, "writing")
    with whole_file(path) as file:
        write(log, file)
