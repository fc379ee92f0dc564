"""Files of named arrays: NumPy's NPZ and MATLAB's MAT."""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError
from armdyn.log.columns import ROWS, Table, one_line
from armdyn.log.formats import (
    EPISODE,
    episode_numbers,
    extra_name,
    is_far,
    time_name,
    written_blocks,
)
from armdyn.log.recognition.patterns import understood

if TYPE_CHECKING:
    from armdyn.log.log import Log

# Files of named arrays: find the arrays with one row per sample.

# Name of the array of joint names in files that armdyn writes.
JOINT_NAMES = "joint_names"


def is_time(name: str) -> bool:
    """Whether the name of an array means time stamps."""
    meaning = understood(name)
    return meaning is not None and meaning.role == "t"


def sample_count(arrays: Mapping[str, Any]) -> int:
    """Return the number of samples in arrays.

    It is the number of time stamps or, if no array is named as time, the most frequent longest
    side of the arrays.
    """
    times = {int(a.size) for name, a in arrays.items() if is_time(name)}
    if len(times) == 1:
        return times.pop()
    longest = Counter(max(a.shape) for a in arrays.values() if a.ndim in (1, 2))
    return max(longest, key=lambda k: (longest[k], k), default=0)


def table_of(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Table:
    """Return the arrays with one row per sample; those with one column per sample transposed."""
    names: tuple[str, ...] = ()
    numbers: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        if name == JOINT_NAMES and array.dtype.kind == "U":
            names = tuple(str(k) for k in array.ravel())
        elif array.dtype.kind in "iuf" and array.size and array.ndim:
            numbers[name] = array.squeeze() if array.ndim > 2 else array
    if not numbers:
        raise LogError(path, f"has no arrays of numbers; it has {', '.join(arrays) or 'nothing'}.")
    rows = sample_count(numbers)
    columns: dict[str, NDArray[np.float64]] = {}
    for name, array in numbers.items():
        if array.ndim == 2 and array.shape[0] != rows and array.shape[1] == rows:
            array = array.T
        if array.ndim in (1, 2) and array.shape[0] == rows:
            columns[name] = np.asarray(array, dtype=np.float64)
    return Table(path, columns, joint_names=names)


# Refuse compressed files that would grow too large, by their declared sizes, before reading.

# Logs up to this size [bytes] are always read.
HARMLESS = 1 << 28
# Larger ones may grow by this factor. Measured signals compress by 2 to 10, columns that never
# change by 1000.
LARGEST_FACTOR = 100


def largest_size(path: Path) -> int:
    """Return the bytes that the numbers of a compressed file may take in memory."""
    return max(HARMLESS, LARGEST_FACTOR * path.stat().st_size)


def check_inflation(path: Path, declared: int) -> None:
    """Refuse a file whose numbers take far more memory than the file itself.

    Args:
        path: of the file.
        declared: bytes of all numbers.
    """
    if declared > largest_size(path):
        raise LogError(path, f"would take {declared / 1e9:.3g} GB of memory, {_advice(path)}")


def inflation_error(path: Path) -> LogError:
    """Return the error for a file that does not declare its uncompressed size."""
    size = largest_size(path) / 1e9
    return LogError(path, f"would take more than {size:.3g} GB of memory, {_advice(path)}")


def _advice(path: Path) -> str:
    return (
        f"more than {LARGEST_FACTOR} times the {path.stat().st_size / 1e6:.3g} MB of the file, as "
        "no log of a motion does. If it is one, save it without compression."
    )


# Files of `numpy.savez`: arrays are columns ``(N,)`` or blocks ``(N, k)``.

# The first bytes of a file of `numpy.save`.
SINGLE = b"\x93NUMPY"


@dataclass(frozen=True)
class _Member:
    """An array of the archive, open at its first number."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]
    file: Any

    @property
    def n_bytes(self) -> int:
        return int(np.prod(self.shape, dtype=object)) * self.dtype.itemsize

    def values(self) -> NDArray[Any]:
        order = "F" if self.fortran else "C"
        return np.ndarray(self.shape, self.dtype, self.file.read(), order=order)


def read_npz(path: Path) -> Table:
    """Read a file of `numpy.savez`."""
    with _members(path) as members:
        arrays = {name: member.values() for name, member in members.items()}
    return table_of(path, arrays)


def npz_blocks(path: Path) -> Iterator[Table]:
    """Yield a file of `numpy.savez` block by block; as a whole if arrays must be transposed."""
    with _members(path) as members:
        rows = {math.prod(m.shape) for name, m in members.items() if m.shape and is_time(name)}
        turned = [
            m.fortran or (len(m.shape) > 1 and m.shape[0] not in rows) for m in members.values()
        ]
        if len(rows) == 1 and not any(turned):
            yield from _together(path, members, rows.pop())
            return
    yield read_npz(path)


def write_npz(log: Log, file: BinaryIO) -> None:
    """Write a log as `numpy.savez` does, slice by slice."""
    arrays: dict[str, Any] = {time_name(log): log.t, JOINT_NAMES: np.array(log.joint_names)}
    in_file = {"q": "q [SI]" if is_far(log) else "q", "current": "currents"}
    for role, block in written_blocks(log):
        arrays[in_file.get(role, role)] = block
    if len(log.episodes) > 1:
        arrays[EPISODE] = episode_numbers(log)
    for name, column in log.extra.items():
        arrays[extra_name(name, arrays)] = column
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                dtype = np.dtype(getattr(array, "dtype", np.float64))
                head = {
                    "descr": np.lib.format.dtype_to_descr(dtype),
                    "fortran_order": False,
                    "shape": tuple(array.shape),
                }
                np.lib.format.write_array_header_1_0(member, head)
                for a in range(0, len(array), ROWS):
                    member.write(np.ascontiguousarray(array[a : a + ROWS]).tobytes())


@contextmanager
def _members(path: Path) -> Generator[dict[str, _Member]]:
    """Yield the arrays of an archive if their sizes are plausible; turn errors into `LogError`."""
    try:
        with path.open("rb") as file:
            if file.read(len(SINGLE)) == SINGLE:
                raise LogError(path, "is one array without names; save arrays by numpy.savez.")
            with zipfile.ZipFile(file) as archive, ExitStack() as stack:
                check_inflation(path, sum(info.file_size for info in archive.infolist()))
                members: dict[str, _Member] = {}
                for info in archive.infolist():
                    member = _member(stack.enter_context(archive.open(info)))
                    if member.n_bytes > info.file_size:
                        raise ValueError(f"{info.filename} is shorter than it says")
                    members[info.filename.removesuffix(".npy")] = member
                yield members
    except (LogError, GeneratorExit):
        raise
    except Exception as error:  # damaged archives raise errors of every kind
        raise LogError(path, f"is not an .npz file of numbers ({one_line(error)}).") from error


def _member(file: Any) -> _Member:
    """Return an array with its file positioned at the first number."""
    read: Any = np.lib.format
    version = read.read_magic(file)
    if version == (1, 0):
        shape, fortran, dtype = read.read_array_header_1_0(file)
    else:
        shape, fortran, dtype = read.read_array_header_2_0(file)
    if dtype.hasobject:
        raise ValueError("it has an array of objects")
    return _Member(shape, fortran, dtype, file)


def _together(path: Path, members: Mapping[str, _Member], rows: int) -> Iterator[Table]:
    """Yield blocks of all arrays of numbers that have this many rows."""
    names: tuple[str, ...] = ()
    if JOINT_NAMES in members:
        names = tuple(members[JOINT_NAMES].values().tolist())
    wanted = {
        name: m for name, m in members.items()
        if m.shape and m.shape[0] == rows and len(m.shape) < 3 and m.dtype.kind in "iuf"
    }  # fmt: skip
    for a in range(0, rows, ROWS):
        count = min(ROWS, rows - a)
        columns: dict[str, NDArray[np.float64]] = {}
        for name, m in wanted.items():
            part = (count, *m.shape[1:])
            data = m.file.read(int(np.prod(part)) * m.dtype.itemsize)
            columns[name] = np.frombuffer(data, m.dtype).reshape(part).astype(np.float64)
        yield Table(path, columns, joint_names=names)


# Arrays of numbers in .mat files of MATLAB, versions 5 to 7.
#
# SciPy's reader can crash the process on a damaged file, so the small part of the format that logs
# need is read here. A file is a header of 128 bytes and elements: a tag (type, size), then the
# data, filled up to 8 bytes; up to 4 bytes of data stand in the tag itself. An array (type 14) is
# made of elements: flags, dimensions, name, and then the numbers, or the fields of a structure,
# which are arrays themselves. Type 15 is an element in compressed form.

HEADER = 128
ARRAY, COMPRESSED = 14, 15
NUMBERS = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8",
}  # fmt: skip

# Classes of arrays: structures, and numbers from double to uint64.
STRUCTURE = 2
NUMERIC = range(6, 16)
# Structures in structures that are read: a guard against damaged files; logs have two or three.
DEEPEST = 20


def read_mat(path: Path) -> Table:
    """Read a file of MATLAB; fields of structures are called ``structure.field``."""
    return table_of(path, _arrays(path))


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of numbers of a file."""
    data = path.read_bytes()
    order = {b"IM": "<", b"MI": ">"}.get(data[HEADER - 2 : HEADER])
    if order is None or data[HEADER - 4 : HEADER - 2] not in (b"\x00\x01", b"\x01\x00"):
        raise LogError(path, "is not a .mat file of version 5 to 7; save it with '-v7'.")
    arrays: dict[str, NDArray[Any]] = {}
    try:
        for kind, body in _elements(memoryview(data)[HEADER:], order):
            inner = [(kind, body)]
            if kind == COMPRESSED:
                inner = list(_elements(memoryview(_inflated(path, body)), order))
            for k, part in inner:
                if k == ARRAY:
                    _collect("", part, order, arrays, 0)
    except (ValueError, IndexError, struct.error, zlib.error) as error:
        raise LogError(path, f"is a damaged .mat file ({error}).") from error
    return arrays


def _inflated(path: Path, body: memoryview) -> bytes:
    """Return an element in plain form, unless it becomes far too large."""
    stream = zlib.decompressobj()
    data = stream.decompress(body, largest_size(path))
    if not stream.eof:
        if stream.unconsumed_tail:
            raise inflation_error(path)
        raise ValueError("a compressed element is cut off")
    return data


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Yield type and data of every element."""
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from(f"{order}II", data, at)
        begin, step = at + 8, 8 + size + (0 if kind == COMPRESSED else -size % 8)
        if kind >> 16:
            kind, size, begin, step = kind & 0xFFFF, kind >> 16, at + 4, 8
        if begin + size > min(len(data), at + max(step, 8)):
            raise ValueError("an element ends after the file")
        yield kind, data[begin : begin + size]
        at += step


def _collect(
    prefix: str, body: memoryview, order: str, arrays: dict[str, NDArray[Any]], depth: int
) -> None:
    """Add an array of numbers, or the fields of a structure; leave out what is neither."""
    parts = [*_elements(body, order)]
    if not parts or depth > DEEPEST:
        return
    (flags,) = struct.unpack_from(f"{order}I", parts[0][1])
    kind = flags & 0xFF
    if kind not in NUMERIC and kind != STRUCTURE:
        return  # text, cells, objects, which are made of other parts
    size = [int(k) for k in np.frombuffer(parts[1][1], f"{order}i4")]
    name = prefix + bytes(parts[2][1]).decode("latin-1")
    if kind in NUMERIC and name:
        stored, numbers = parts[3]
        if stored not in NUMBERS:
            raise ValueError(f"numbers of the unknown type {stored}")
        array = np.frombuffer(numbers, order + NUMBERS[stored])
        if array.size != math.prod(size) or min(size) < 0:
            raise ValueError(f"{name} has {array.size} numbers, not {' x '.join(map(str, size))}")
        arrays[name] = array.reshape(size, order="F").squeeze()
    elif kind == STRUCTURE and math.prod(size) == 1:
        (width,) = struct.unpack_from(f"{order}i", parts[3][1])
        names = bytes(parts[4][1])
        if width < 1:
            raise ValueError("fields without names")
        fields = [names[k : k + width].split(b"\0")[0] for k in range(0, len(names), width)]
        for field, (_, part) in zip(fields, parts[5:], strict=True):
            _collect(f"{name}.{field.decode('latin-1')}", part, order, arrays, depth + 1)
