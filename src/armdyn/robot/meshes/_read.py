"""Read meshes as triangles: STL and OBJ here, COLLADA by pycollada, others by trimesh."""

from __future__ import annotations

import io
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import MissingExtraError
from armdyn.robot._shape import Colour, Shape
from armdyn.robot.meshes._collada import collada_parts
from armdyn.robot.meshes._find import found_above

Array = NDArray[np.float64]

# Larger files [bytes] are no geometry of a link.
LARGEST_FILE = 200_000_000

# Formats that trimesh reads without further files.
OTHERS = (".ply", ".glb", ".off")

# Binary STL: a header of 80 bytes, the number of triangles, and 50 bytes for each.
HEADER, TRIANGLE = 84, np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])


def triangles_of(shape: Shape) -> Array | str:
    """Return the triangles of a mesh in its own frame, ``(T, 3, 3)``, or why there are none."""
    path = found_above(shape)
    if path is None:
        return f"{shape.file} was not found"
    if path.suffix.lower() not in (".stl", ".obj"):
        return f"{shape.file}: meshes are read from .stl and .obj, not {path.suffix.lower()}"
    parts = parts_in(path)
    if isinstance(parts, str):
        return f"{shape.file}: {parts}"
    return np.concatenate([corners for corners, _ in parts]) * np.array(shape.size)


def parts_in(path: Path) -> list[tuple[Array, Colour | None]] | str:
    """Return the triangles ``(T, 3, 3)`` of each colour in a file, or why there are none."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            return "too large"
        data = path.read_bytes()
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    try:
        match path.suffix.lower():
            case ".stl":
                parts: list[tuple[Array, Colour | None]] = [(_stl(data), None)]
            case ".obj":
                parts = [(_obj(data), None)]
            case ".dae":
                parts = collada_parts(data)
            case suffix if suffix in OTHERS:
                parts = _by_trimesh(data, suffix)
            case suffix:
                known = ", ".join((".stl", ".obj", ".dae", *OTHERS))
                return f"meshes are read from {known}, not {suffix}"
    except MissingExtraError as error:
        return str(error).rstrip(".")
    except (ValueError, IndexError):
        return "damaged"
    parts = [(corners, colour) for corners, colour in parts if len(corners)]
    if not parts or not all(np.isfinite(corners).all() for corners, _ in parts):
        return "damaged"
    return parts


def _by_trimesh(data: bytes, suffix: str) -> list[tuple[Array, Colour | None]]:
    try:
        trimesh: Any = import_module("trimesh")
    except ImportError:
        raise MissingExtraError("trimesh", "view", f"a mesh in a {suffix} file") from None
    try:
        mesh = trimesh.load(io.BytesIO(data), file_type=suffix[1:], force="mesh")
        return [(np.asarray(mesh.triangles, dtype=float).reshape(-1, 3, 3), None)]
    except Exception as error:  # whatever a damaged file makes it stumble over
        raise ValueError(str(error)) from None


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
