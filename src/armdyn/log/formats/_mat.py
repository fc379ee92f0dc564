"""Arrays of numbers in .mat files of MATLAB, versions 5 to 7.

SciPy's reader can crash the process on a damaged file, so the small part of the format that logs
need is read here. A file is a header of 128 bytes and elements: a tag (type, size), then the data,
filled up to 8 bytes; up to 4 bytes of data stand in the tag itself. An array (type 14) is made of
elements: flags, dimensions, name, and then the numbers, or the fields of a structure, which are
arrays themselves. Type 15 is an element in compressed form.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError
from armdyn.log.columns._table import Table
from armdyn.log.formats._arrays import table_of
from armdyn.log.formats._inflation import inflation_error, largest_size

HEADER = 128
ARRAY, COMPRESSED = 14, 15
NUMBERS = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8",
}  # fmt: skip

# Classes of arrays: structures, and numbers from double to uint64.
STRUCTURE = 2
NUMERIC = range(6, 16)
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
