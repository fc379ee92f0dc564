"""LeRobot datasets: folders of Parquet files with the motions of an arm, in episodes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import LogError, shown
from armdyn.files import check_regular
from armdyn.log.arrays import HARMLESS, LARGEST_FACTOR
from armdyn.log.columns import ROWS, Table
from armdyn.log.formats import EPISODE, LEROBOT_INFO, dataset_of
from armdyn.log.lerobot_signals import TIME, Sample, Signals, default_role, is_goal, readable
from armdyn.log.parquet import declared_bytes, numbers_in, opened
from armdyn.log.recognition.names import Meaning

# A dataset: meta/info.json has the rate and the names of the numbers in each vector, the Parquet
# files have the vectors. Versions 2.0 and 2.1 have a file for each episode, version 3.0 has many
# episodes in a file.

# Versions that are read, by their number before the last point.
VERSIONS = ("2", "3")
DATA_PATH = "data/chunk-*/*.parquet"
# Larger files [bytes] are no list of features: datasets of many cameras have 20 kB.
LARGEST_INFO = 1 << 24
FRAME = "frame_index"
# A sample of the frames shows units, and whether the action is a goal: runs of frames, evenly
# spread, and frames of each.
RUNS, RUN = 16, 2048

# Stamps of `frame_index / fps` are stored with single precision; LeRobot accepts this error [s].
STAMP_TOLERANCE = 1e-4


def read_lerobot(path: Path, units: object = None, joints: Sequence[str] | None = None) -> Table:
    """Read all episodes of a dataset.

    Args:
        path: the folder, or one of its data files.
        units: of positions, as for `Log.read`.
        joints: names of the joints of an arm; None for those of the dataset.
    """
    dataset = _Dataset(path, units, joints)
    parts = [vectors for file in dataset.files for vectors in dataset.parts(file, None)]
    table = dataset.table(
        path,
        {
            name: first if len(parts) == 1 else np.concatenate([part[name] for part in parts])
            for name, first in parts[0].items()
        },
    )
    table.lost += dataset.lost(len(table.columns[TIME]))
    return table


def lerobot_blocks(
    path: Path, units: object = None, joints: Sequence[str] | None = None
) -> Iterator[Table]:
    """Yield the rows of a dataset block by block; the arguments are those of `read_lerobot`."""
    dataset = _Dataset(path, units, joints)
    count = 0
    vectors: dict[str, NDArray[Any]] = {}
    for file in dataset.files:
        for vectors in dataset.parts(file, ROWS):
            count += len(vectors[TIME])
            yield dataset.table(file, vectors)
    last = dataset.table(path, {name: vector[:0] for name, vector in vectors.items()})
    last.lost += dataset.lost(count)
    yield last


@dataclass(frozen=True)
class _Info:
    """The part of meta/info.json that is used.

    Attributes:
        rate: frames per second; NaN if it is not there.
        frames: number of all frames; None if it is not there.
        pattern: of the data files.
        features: names of the numbers of each vector, None if they are not there.
    """

    rate: float
    frames: int | None
    pattern: str
    features: Mapping[str, tuple[str, ...] | None]

    @staticmethod
    def read(folder: Path) -> _Info:
        """Read and check the file."""
        path = folder / LEROBOT_INFO
        check_regular(path, "meta/info.json", LogError)
        if path.stat().st_size > LARGEST_INFO:
            raise LogError(path, f"has {path.stat().st_size} bytes, expected some kilobytes.")
        try:
            data: Any = json.loads(path.read_bytes())
        except (ValueError, RecursionError) as error:
            raise LogError(path, "is not JSON; copy the file from the dataset again.") from error
        data = _mapping(data)
        features = _mapping(data.get("features"))
        if not features:
            raise LogError(path, "has no features; a LeRobot dataset names its vectors there.")
        _check_version(path, data.get("codebase_version"))
        rate, frames = data.get("fps"), data.get("total_frames")
        is_rate = isinstance(rate, int | float) and math.isfinite(rate) and rate > 0
        return _Info(
            rate=float(rate) if is_rate else math.nan,
            frames=frames if isinstance(frames, int) else None,
            pattern=_pattern(path, data.get("data_path")),
            features={
                name: _names_in(_mapping(feature).get("names"))
                for name, feature in features.items()
            },
        )


def _mapping(value: object) -> dict[str, Any]:
    """Return an object of JSON; an empty one for other values."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _check_version(path: Path, version: object) -> None:
    number = version.removeprefix("v") if isinstance(version, str) else ""
    if number.partition(".")[0] not in VERSIONS:
        raise LogError(
            path,
            f"codebase_version is {shown(version)}, expected v2.0, v2.1 or v3.0. Convert the "
            "dataset by the scripts of LeRobot.",
        )


def _pattern(path: Path, template: object) -> str:
    """Return the pattern of the data files for a template with places in braces."""
    if not isinstance(template, str) or not template:
        return DATA_PATH
    parts = Path(template).parts
    if Path(template).is_absolute() or ".." in parts or "**" in template:
        raise LogError(path, f"data_path is {shown(template)}, expected a path in the dataset.")
    return re.sub(r"\{[^{}]*\}", "*", template)


def _names_in(names: Any) -> tuple[str, ...] | None:
    """Return names of a flat list, a list in a list, or a mapping; None if there are none."""
    if mapping := _mapping(names):
        values = list(mapping.values())
        if all(type(k) is int for k in values) and sorted(values) == [*range(len(values))]:
            names = sorted(mapping, key=lambda name: mapping[name])
        else:
            names = [name for part in values for name in _list(part)]
    if len(_list(names)) == 1 and _list(_list(names)[0]):
        (names,) = names
    if not all(isinstance(name, str) for name in _list(names)):
        return None
    return tuple(map(readable, _list(names))) or None


def _list(value: object) -> list[Any]:
    """Return a list of JSON; an empty one for other values."""
    return cast("list[Any]", value) if isinstance(value, list) else []


class _Dataset:
    """A dataset, with the meaning of its vectors.

    Attributes:
        path: the folder.
        files: the data files, in order.
        notes: findings.
        doubts: assumptions that a warning tells.
    """

    def __init__(self, path: Path, units: object, joints: Sequence[str] | None) -> None:
        folder = dataset_of(path)  # the path may be one of its data files
        self.path, self._is_whole = folder or path, folder is None
        self._info = _Info.read(self.path)
        self.files = [path] if folder else _data_files(path, self._info.pattern)
        self._limit = max(HARMLESS, LARGEST_FACTOR * sum(k.stat().st_size for k in self.files))
        self._checked: set[Path] = set()
        self._declared = self._empty = 0
        self._is_told = False
        self._sample = Sample(path, self._runs())
        found = Signals(path, self._info.features, self._sample, units, joints)
        self._signals, self._scales, self._chosen = found.signals, found.scales, found.chosen
        self.notes, self.doubts = found.notes, found.doubts
        self._meanings = {
            one.column: Meaning(one.role, one.joint, one.unit) for one in self._signals
        }
        self._meanings |= {TIME: Meaning("t", unit="s"), EPISODE: Meaning("episode")}
        self._is_nominal = self._has_nominal_stamps()

    @property
    def features(self) -> list[str]:
        """Names of the vectors that are read."""
        return list(dict.fromkeys(one.feature for one in self._signals))

    def lost(self, count: int) -> list[str]:
        """Return sentences on frames that are not there."""
        words: list[str] = []
        if self._empty:
            words.append(f"{self._empty} files have no frames: their episodes are left out.")
        if self._is_whole and self._info.frames not in (None, count):
            words.append(
                f"the data files have {count} frames, meta/info.json says {self._info.frames}: "
                "files are missing, or the dataset was changed."
            )
        return words

    @contextmanager
    def opened(
        self, path: Path, wanted: Sequence[str], *, is_whole: bool = False
    ) -> Generator[tuple[Any, Any, list[str]]]:
        """Yield pyarrow, an open data file and the names that it has, if sizes are plausible."""
        with opened(path, is_checked=True, is_whole=is_whole) as (arrow, file):
            if path not in self._checked:
                self._checked.add(path)
                self._declared += declared_bytes(path, file, [*self.vectors, EPISODE])
            if self._declared > self._limit:
                raise LogError(
                    path,
                    f"the dataset would take more than {self._limit / 1e9:.3g} GB of memory, "
                    f"{LARGEST_FACTOR} times the size of its files, as no recorded motion does.",
                )
            there = file.schema_arrow.names
            names = [name for name in wanted if name in there]
            yield arrow, file, names

    @property
    def vectors(self) -> list[str]:
        """Names of all vectors that may be quantities of joints, and of the stamps."""
        named = [k for k in self._info.features if is_goal(k) or default_role(k)]
        return list(dict.fromkeys([TIME, FRAME, *named]))

    def _runs(self) -> Iterator[dict[str, NDArray[Any]]]:
        """Yield runs of frames from files and groups of rows that are evenly spread."""
        files = _spread(self.files, RUNS)
        for path in files:
            with self.opened(path, self.vectors) as (arrow, file, names):
                for group in _spread(range(file.num_row_groups), max(RUNS // len(files), 1)):
                    batch = next(file.iter_batches(RUN, row_groups=[group], columns=names), None)
                    if batch is None or not batch.num_rows:
                        continue
                    data = arrow.Table.from_batches([batch])
                    blocks = {name: numbers_in(arrow, data.column(name)) for name in names}
                    yield {k: x.reshape(len(x), -1) for k, x in blocks.items() if x is not None}

    def parts(self, path: Path, rows: int | None) -> Iterator[dict[str, NDArray[Any]]]:
        """Yield the vectors of a file, at most `rows` frames together; all if it is None."""
        wanted = [TIME, FRAME, EPISODE, *self.features]
        with self.opened(path, wanted, is_whole=rows is None) as (arrow, file, names):
            if not file.metadata.num_rows:
                self._empty += 1
                return
            if rows is None:
                yield self._vectors(path, arrow, file.read(columns=names))
                return
            for batch in file.iter_batches(batch_size=rows, columns=names):
                yield self._vectors(path, arrow, arrow.Table.from_batches([batch]))

    def _vectors(self, path: Path, arrow: Any, data: Any) -> dict[str, NDArray[Any]]:
        """Return the vectors ``(N, k)`` of frames, and their times [s] and episodes ``(N,)``."""
        vectors = {name: _vector(path, arrow, data, name) for name in self.features}
        for name, vector in vectors.items():
            if vector.shape[1] != self._sample.widths[name]:
                raise LogError(
                    path,
                    f"{name!r} has {vector.shape[1]} numbers a frame, expected "
                    f"{self._sample.widths[name]} as in {self.files[0]}.",
                )
        vectors[TIME] = self._stamps(path, arrow, data)
        vectors[EPISODE] = _single(path, arrow, data, EPISODE)
        return vectors

    def table(self, path: Path, vectors: Mapping[str, NDArray[Any]]) -> Table:
        """Return vectors as columns with their meaning, and once what was found."""
        columns: dict[str, Array] = {name: vectors[name] for name in (TIME, EPISODE)}
        columns |= {one.column: vectors[one.feature][:, one.index] for one in self._signals}
        table = Table(
            path, columns, meanings=self._meanings, scales=self._scales, said=self._chosen
        )
        if not self._is_told:
            table.notes += self.notes
            table.lost += self.doubts
            self._is_told = True
        return table

    def _stamps(self, path: Path, arrow: Any, data: Any) -> Array:
        if self._is_nominal:
            return _single(path, arrow, data, FRAME) / self._info.rate
        return _single(path, arrow, data, TIME).astype(np.float64)

    def _has_nominal_stamps(self) -> bool:
        """Whether frames have the times of an ideal clock; tell it."""
        frames, stamps = self._sample.column(FRAME), self._sample.column(TIME)
        if frames is None or math.isnan(self._info.rate):
            if stamps is None:
                raise LogError(
                    self.path / LEROBOT_INFO,
                    f"has no fps, and the data files no {TIME!r}.",
                )
            return False
        off = 0.0 if stamps is None else np.abs(stamps - frames / self._info.rate)
        if not np.all(off <= STAMP_TOLERANCE):
            return False
        self.notes.append(
            f"time stamps are nominal, frame_index / {self._info.rate:g} Hz: when a frame was "
            "really taken is not known."
        )
        return True


def _data_files(folder: Path, pattern: str) -> list[Path]:
    """Return the data files in the order of the numbers in their names."""

    def numbers(file: Path) -> list[int]:
        return [int(k) for k in re.findall(r"\d+", file.relative_to(folder).as_posix())]

    files = sorted(folder.glob(pattern), key=lambda file: (numbers(file), file.name))
    if not files:
        raise LogError(folder, f"is a LeRobot dataset without data files {pattern}.")
    for file in files:
        check_regular(file, "a data file", LogError)
    return files


def _vector(path: Path, arrow: Any, data: Any, name: str) -> NDArray[Any]:
    """Return a column of lists as an array ``(N, k)``."""
    block = numbers_in(arrow, data.column(name)) if name in data.column_names else None
    if block is None:
        what = "is not there" if name not in data.column_names else "is no list of equal lengths"
        raise LogError(path, f"{name!r} {what} in this file.")
    return block.reshape(len(block), -1)


def _single(path: Path, arrow: Any, data: Any, name: str) -> NDArray[Any]:
    """Return a column of one number a frame."""
    block = _vector(path, arrow, data, name)
    if block.shape[1] != 1:
        raise LogError(path, f"{name!r} has {block.shape[1]} numbers a frame, expected one.")
    return block[:, 0]


def _spread(items: Sequence[Any], count: int) -> list[Any]:
    """Return up to `count` items, evenly spread."""
    if len(items) <= count:
        return list(items)
    return [items[k * (len(items) - 1) // max(count - 1, 1)] for k in range(count)]
