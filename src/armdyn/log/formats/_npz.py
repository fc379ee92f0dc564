"""Files of `numpy.savez`: arrays are columns ``(N,)`` or blocks ``(N, k)``."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError
from armdyn.log.columns._table import ROWS, Table, one_line
from armdyn.log.formats._arrays import JOINT_NAMES, is_time, table_of
from armdyn.log.formats._inflation import check_inflation
from armdyn.log.formats._written import extra_name, is_far, time_name

if TYPE_CHECKING:
    from armdyn.log._log import Log

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
    effort = "currents" if log.effort == "current" else "tau"
    names = time_name(log), "q [SI]" if is_far(log) else "q"
    arrays: dict[str, Any] = dict(zip(names, (log.t, log.q), strict=True))
    arrays[JOINT_NAMES] = np.array(log.joint_names)
    for name, block in (("qd", log.qd), ("qdd", log.qdd), (effort, log.tau)):
        if block is not None:
            arrays[name] = block
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
