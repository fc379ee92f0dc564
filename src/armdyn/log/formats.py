"""The table of log file formats, and the column names that are written."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import FileError, InputError, LogError
from armdyn.files import FileFormat, check_regular, listed, reading, writing
from armdyn.log.columns import Table
from armdyn.log.recognition.names import EXTRA, joint_key, meaning
from armdyn.log.recognition.patterns import understood
from armdyn.log.rows import extremes
from armdyn.log.stamps import STEPS

if TYPE_CHECKING:
    from armdyn.log.log import Log

# The table of log file formats.


@dataclass(frozen=True, kw_only=True)
class LogFormat(FileFormat):
    """A format of log files.

    The reader is called as ``reader(path, **options)`` and returns a `Table`; `blocks` is called
    the same way and yields tables of consecutive rows. The writer is called with a binary file, as
    ``writer(log, file)``.

    Attributes:
        blocks: function that reads a long file block by block; None if it is read as a whole.
        options: the arguments of `Log.read` that the reader takes.
        folder: the file by which a folder of this format is known; "" if logs are single files.
    """

    blocks: str | None = None
    options: tuple[str, ...] = ()
    folder: str = ""

    def table(self, path: Path, given: dict[str, Any]) -> Table:
        """Return all rows of a file."""
        read = self.function(self.reader, "reading")
        return read(path, **self._arguments(path, given))

    def tables(self, path: Path, given: dict[str, Any]) -> Iterator[Table]:
        """Yield the rows of a file block by block."""
        if self.blocks is None:
            return iter([self.table(path, given)])
        read = self.function(self.blocks, "reading")
        return read(path, **self._arguments(path, given))

    def marks(self, path: Path) -> bool:
        """Whether a path is a folder that is one log of this format."""
        if not self.folder or not (path / self.folder).exists():
            return False
        names = [one.name for one in path.iterdir()]
        return not self.suffixes or any(end in name for name in names for end in self.suffixes)

    def _arguments(self, path: Path, given: dict[str, Any]) -> dict[str, Any]:
        if "topic" in given["columns"] and "columns" not in self.options:
            raise LogError(path, 'has no topics; leave columns["topic"] out.')
        return {key: given[key] for key in self.options}


# The file by which a LeRobot dataset is known.
LEROBOT_INFO = "meta/info.json"

FORMATS: list[LogFormat] = [
    LogFormat(
        name="CSV",
        suffixes=(".csv", ".txt", ".tsv"),
        unlisted=(".dat", ".log", ""),
        reader="armdyn.log.text.csv:read_csv",
        blocks="armdyn.log.text.csv:csv_blocks",
        options=("delimiter",),
        writer="armdyn.log.text.csv:write_csv",
        written=(".csv",),
        unlisted_written=(".txt",),
    ),
    LogFormat(
        name="NPZ",
        suffixes=(".npz",),
        reader="armdyn.log.arrays:read_npz",
        blocks="armdyn.log.arrays:npz_blocks",
        writer="armdyn.log.arrays:write_npz",
    ),
    LogFormat(name="MAT", suffixes=(".mat",), reader="armdyn.log.arrays:read_mat"),
    LogFormat(
        name="Parquet",
        suffixes=(".parquet",),
        unlisted=(".pq",),
        reader="armdyn.log.parquet:read_parquet",
        blocks="armdyn.log.parquet:parquet_blocks",
        writer="armdyn.log.parquet:write_parquet",
        unlisted_written=(".pq",),
        extra=("pyarrow", "parquet"),
    ),
    LogFormat(
        name="LeRobot datasets",
        suffixes=(),
        folder=LEROBOT_INFO,
        reader="armdyn.log.lerobot:read_lerobot",
        blocks="armdyn.log.lerobot:lerobot_blocks",
        options=("units", "joints"),
        extra=("pyarrow", "parquet"),
    ),
    LogFormat(
        name="ROS 2 recordings",
        suffixes=(".mcap", ".db3"),
        reader="armdyn.log.ros.rosbag:read_rosbag",
        blocks="armdyn.log.ros.rosbag:rosbag_blocks",
        options=("joints", "columns"),
        folder="metadata.yaml",
    ),
    LogFormat(
        name="HDF5",
        suffixes=(".h5", ".hdf5"),
        reader="armdyn.log.hdf5:read_hdf5",
        blocks="armdyn.log.hdf5:hdf5_blocks",
        options=("joints", "columns"),
        extra=("h5py", "hdf5"),
    ),
]


# How to convert files that are not read.
ADVICE = {
    ".bag": "Convert this recording of ROS 1 by the package rosbags, and read the folder: "
    "rosbags-convert --src FILE --dst STEM",
    ".xlsx": "Save the sheet as CSV.",
    ".xls": "Save the sheet as CSV.",
    ".ods": "Save the sheet as CSV.",
    ".gz": "Unpack it: gunzip --keep FILE",
    ".zip": "Unpack it: unzip FILE",
    ".zst": "Unpack it: unzstd FILE",
}


def format_read(path: Path) -> LogFormat:
    """Return the format of an existing log file, or of a folder that is one log.

    Raises:
        LogError: its suffix is unknown, or it is neither a regular file nor a folder of a format.
    """
    if (folder := format_of_folder(dataset_of(path) or path)) is not None:
        return folder
    if path.is_dir():
        raise LogError(path, f"is a folder. {logs_in_words(path)}")
    found = reading(FORMATS, path)
    if not found:
        suffix = path.suffix.lower()
        fix = ADVICE.get(suffix, "")
        fix = fix.replace("FILE", shlex.quote(str(path))).replace("STEM", shlex.quote(path.stem))
        raise LogError(path, f"{suffix} files are not read. {fix or read_in_words()}")
    if not check_regular(path, "a log", LogError):
        raise LogError(path, "there is no such file.")
    check_content(path)
    return found[0]


# What a file of a repository begins with whose content has not been fetched.
POINTER = b"version https://git-lfs.github.com/"


def check_content(path: Path) -> None:
    """Raise an error if a file only names its content, as in a clone without Git LFS."""
    with path.open("rb") as file:
        if file.read(len(POINTER)) == POINTER:
            raise LogError(
                path, "is a pointer of Git LFS, not the file itself. Fetch it: git lfs pull."
            )


def dataset_of(path: Path) -> Path | None:
    """Return the folder of the LeRobot dataset that a data file is a part of; None if of none."""
    folders = [*path.parents][:3]
    if path.suffix.lower() != ".parquet" or [one.name for one in folders[1:2]] != ["data"]:
        return None
    return folders[2] if (folders[2] / LEROBOT_INFO).is_file() else None


# Folders that are looked into for logs, and how deep.
MOST_FOLDERS, DEEPEST = 100, 3


def logs_in_words(folder: Path) -> str:
    """Return a sentence on where logs are: this folder is a part of one, or it has some."""
    parents = [one for one in folder.absolute().parents if (one / LEROBOT_INFO).is_file()]
    if parents:
        return f"It is a part of the LeRobot dataset {parents[0]}: read that folder."
    level = [folder]
    for depth in range(1, DEEPEST + 1):
        level = [item for one in level for item in _items(one)][:MOST_FOLDERS]
        logs = [item for item in level if not item.name.startswith(".") and is_log_path(item)]
        if logs:
            several = f", or all that '{folder}{'/*' * depth}' matches" if len(logs) > 1 else ""
            return f"Read the log in it, {logs[0]}{several}."
        level = [item for item in level if item.is_dir()]
    return read_in_words()


def _items(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def format_of_folder(path: Path) -> LogFormat | None:
    """Return the format of a folder that is one log; None if it is none.

    Raises:
        LogError: it is one, but a file is missing.
    """
    try:
        is_folder = path.is_dir()
        known = [one for one in FORMATS if one.marks(path)]
        is_bare = is_folder and not known and any(path.glob("data/chunk-*/*.parquet"))
    except (OSError, ValueError):  # a name that is too long, or has a NUL: its reader reports it
        return None
    if is_bare:
        raise LogError(
            path,
            f"has data files of a LeRobot dataset but no {LEROBOT_INFO}, which names its joints. "
            'Copy it from the dataset, or read a data file with columns={"q": "observation.state"} '
            "(--columns q=observation.state).",
        )
    return known[0] if known else None


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
    """Whether a path has a suffix that only log files have, or is a folder that is one log."""
    try:
        if path.suffix and reading(FORMATS, path) and not path.is_dir():
            return True
        return format_of_folder(path) is not None
    except LogError:  # a dataset without its description
        return True
    except (OSError, ValueError):  # a name that is too long, or has a NUL: its reader reports it
        return bool(path.suffix and reading(FORMATS, path))


def read_in_words() -> str:
    """Return a sentence on the suffixes of logs."""
    suffixes = [suffix for one in FORMATS for suffix in one.suffixes]
    folders = [f"{one.name} (folders)" for one in FORMATS if one.folder]
    return f"Logs are {listed([*suffixes, *folders])}."


def written_in_words() -> str:
    """Return the suffixes that logs are written as: ".csv, .npz or .parquet"."""
    return listed([suffix for one in FORMATS for suffix in one.listed_written])


def write_log(log: Log, path: Path) -> None:
    """Write a log in the format of the suffix: the whole file or, on any failure, nothing."""
    from armdyn.writing import whole_file  # 4 ms; reading does without it

    found = format_written(path)
    assert found.writer is not None
    write = found.function(found.writer, "writing")
    with whole_file(path) as file:
        write(log, file)


# Column names for writing a log, chosen so that reading recognises every column.

# Characters that no name of a column may have.
BREAKS = set("\r\n\0")


# Name of the column of the number of the episode.
EPISODE = "episode_index"

# Positions beyond this [rad] could be taken for degrees.
DEGREE_LIKE_POSITION = 3.0

# Beyond this median step [s], half of what is surely in seconds, stamps could be taken for those of
# another unit.
DOUBTFUL_STEP = STEPS[1] / 2


class WrittenColumns:
    """Single columns by name; rows are read slice by slice, also for a log in scratch files."""

    def __init__(self, log: Log) -> None:
        """Name the columns.

        Raises:
            InputError: the name of a joint or column cannot be written to a file.
        """
        _check_joint_names(log.joint_names)
        names: dict[str, None] = {time_name(log): None}
        self._blocks: list[Array] = [log.t]
        far = is_far(log)
        for role, block in written_blocks(log):
            said = far and role == "q"
            names.update(dict.fromkeys(_name(role, joint, said) for joint in log.joint_names))
            self._blocks.append(block)
        if len(log.episodes) > 1:
            names[EPISODE] = None
            self._blocks.append(episode_numbers(log))
        for name, column in log.extra.items():
            parts = [name]
            if column.ndim == 2:
                parts = [f"{name}.{k}" for k in range(1, column.shape[1] + 1)]
            for part in parts:
                names[extra_name(part, names)] = None
            self._blocks.append(column)
        self.names = tuple(names)

    def rows(self, a: int, b: int) -> Array:
        """Return rows a to b of all columns, ``(b - a, k)``."""
        parts = [block[a:b] for block in self._blocks]
        return np.concatenate([p[:, None] if p.ndim == 1 else p for p in parts], axis=1)


def _check_joint_names(names: Sequence[str]) -> None:
    """Check that names of columns tell all joints apart: "0" and "00" are the same number."""
    by_key: dict[str, str] = {}
    for name in names:
        other = by_key.setdefault(joint_key(name), name)
        if other != name:
            raise InputError(
                f"the joint names {other!r} and {name!r} cannot be told apart in the names of "
                "columns; write an .npz file."
            )


def written_blocks(log: Log) -> list[tuple[str, Array]]:
    """Return the quantities of all joints by name."""
    named = [(name, getattr(log, name)) for name in log.measured]
    currents = log.effort == "current"
    return [("current" if currents and name == "tau" else name, block) for name, block in named]


def episode_numbers(log: Log) -> Array:
    """Return the number of the episode of each sample, from 0."""
    return np.repeat(
        np.arange(len(log.episodes), dtype=np.float64),
        [one.stop - one.start for one in log.episodes],
    )


def time_name(log: Log) -> str:
    """Return the name of the stamps, with the unit if their steps could be milliseconds."""
    return "t [s]" if log.median_step > DOUBTFUL_STEP else "t"


def is_far(log: Log) -> bool:
    """Whether positions could be taken for degrees unless a name says that they are not."""
    return bool(len(log.q)) and float(np.abs(extremes([log.q])).max()) > DEGREE_LIKE_POSITION


def extra_name(name: str, taken: Mapping[str, object]) -> str:
    """Return the name of an extra column, marked if it could be read as a quantity."""
    clear = understood(name) is None and not name.startswith(EXTRA) and name not in taken
    result = name if clear else f"{EXTRA}{name}"
    if result in taken or not name.strip() or set(name) & BREAKS:
        raise InputError(f"an extra column cannot be called {name!r} in a file; rename it.")
    return result


def _name(role: str, joint: str, said: bool) -> str:
    # Brackets hold the unit: they are added if the name of a joint could be misread, or the unit.
    # There "q_cmd_x" is the position of a joint "cmd_x".
    word = "command" if role == "q_cmd" else role
    plain, full = f"{role}_{joint}", f"{word}_{joint} [SI]"
    for name in (full,) if said else (plain, full):
        read = meaning(name)
        is_same = read is not None and (read.role, read.joint, read.unit) == (role, joint, None)
        if is_same and not set(name) & BREAKS:
            return name
    raise InputError(
        f"the joint name {joint!r} cannot be a part of the name of a column; write an .npz file."
    )
