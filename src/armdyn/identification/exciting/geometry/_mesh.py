"""Meshes of links: found beside the robot's file, read as triangles (STL and OBJ)."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armdyn.robot import Shape

Array = NDArray[np.float64]

# Larger files [bytes] are no simplified geometry for collisions.
LARGEST_FILE = 200_000_000

# Binary STL: a header of 80 bytes, the number of triangles, and 50 bytes for each.
HEADER, TRIANGLE = 84, np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])


def triangles_of(shape: Shape) -> Array | str:
    """Return the triangles of a mesh in its own frame, ``(T, 3, 3)``, or why there are none."""
    path = _found(shape)
    if path is None:
        return f"{shape.file} was not found"
    try:
        if path.stat().st_size > LARGEST_FILE:
            return f"{shape.file} is too large"
        data = path.read_bytes()
    except OSError as error:
        return f"{shape.file} cannot be read: {error.strerror or error}"
    try:
        match path.suffix.lower():
            case ".stl":
                corners = _stl(data)
            case ".obj":
                corners = _obj(data)
            case suffix:
                return f"{shape.file}: meshes are read from .stl and .obj, not {suffix}"
    except (ValueError, IndexError):
        return f"{shape.file} is damaged"
    if not len(corners) or not np.isfinite(corners).all():
        return f"{shape.file} is damaged"
    return corners * np.array(shape.size)


def _found(shape: Shape) -> Path | None:
    """Return the file of a mesh; packages are looked for above the robot's file."""
    name, folder = shape.file.strip(), Path(shape.folder)
    scheme, _, rest = name.rpartition("://")
    if scheme in ("package", "model"):
        package, _, inside = rest.partition("/")
        above = [folder, *folder.parents]
        places = [*above, *map(Path, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep))]
        tries = [place / rest for place in places]
        tries += [place / inside for place in places if place.name == package]
    else:
        tries = [folder / (rest if scheme == "file" else name)]
    try:
        return next((path for path in tries if path.is_file()), None)
    except (OSError, ValueError):
        return None


def _stl(data: bytes) -> Array:
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= HEADER and len(data) == HEADER + count * TRIANGLE.itemsize:
        return np.frombuffer(data, TRIANGLE, count, HEADER)["corners"].astype(np.float64)
    words = data.split()
    at = [k for k, word in enumerate(words) if word == b"vertex"]
    numbers = [[float(x) for x in words[k + 1 : k + 4]] for k in at]
    return np.array(numbers, dtype=np.float64).reshape(-1, 3, 3)


def _obj(data: bytes) -> Array:
    points: list[list[float]] = []
    corners: list[tuple[int, int, int]] = []
    for line in data.splitlines():
        words = line.split()
        if words[:1] == [b"v"]:
            points.append([float(x) for x in words[1:4]])
        elif words[:1] == [b"f"]:
            ids = [int(word.split(b"/")[0]) for word in words[1:]]
            ids = [k - 1 if k > 0 else len(points) + k for k in ids]
            corners.extend((ids[0], b, c) for b, c in pairwise(ids[1:]))
    return np.array(points, dtype=np.float64)[np.array(corners, dtype=np.int64).reshape(-1, 3)]
