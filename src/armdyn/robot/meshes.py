"""Read meshes as triangles: find their files, parse STL, OBJ and COLLADA, thin them out."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import MissingExtraError
from armdyn.files import imported
from armdyn.robot.model import Colour, Shape

# Meshes in COLLADA files (.dae), by pycollada: triangles in metres with their colours.


def collada_parts(data: bytes) -> list[tuple[Array, Colour | None]]:
    """Return triangles ``(T, 3, 3)`` of each colour.

    The unit of length counts; the upward axis does not, as in other readers of URDF meshes.

    Raises:
        MissingExtraError: pycollada is not installed.
        ValueError: the file is none that can be read.
    """
    collada: Any = imported("collada", "a mesh in a .dae file", "view", "pycollada")
    if data[:2] == b"PK" or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ValueError("no plain COLLADA")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            document = collada.Collada(io.BytesIO(data), ignore=[collada.common.DaeError])
            unit = float(getattr(document.assetInfo, "unitmeter", None) or 1.0)
            found = list(_triangles(document))
        except Exception as error:  # whatever a damaged file makes it stumble over
            raise ValueError(str(error)) from None
    return [(unit * corners, colour) for corners, colour in found]


def _triangles(document: Any) -> list[tuple[Array, Colour | None]]:
    found: list[tuple[Array, Colour | None]] = []
    if document.scene is None:
        return found
    for geometry in document.scene.objects("geometry"):
        for primitive in geometry.primitives():
            kind = type(primitive).__name__
            if kind in ("BoundPolylist", "BoundPolygons"):
                primitive = primitive.triangleset()
            elif kind != "BoundTriangleSet":
                continue
            if primitive.vertex is None or not len(primitive.vertex_index):
                continue
            corners = np.asarray(primitive.vertex, dtype=float)[primitive.vertex_index]
            found.append((corners, _colour(primitive.material)))
    return found


def _colour(material: Any) -> Colour | None:
    diffuse = getattr(getattr(material, "effect", None), "diffuse", None)
    if not isinstance(diffuse, tuple) or len(diffuse) < 3:  # pyright: ignore[reportUnknownArgumentType]
        return None
    r, g, b = (min(max(float(x), 0.0), 1.0) for x in diffuse[:3])  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return (r, g, b, 1.0)


# Find the file of a mesh: within permitted folders, or above the file of the robot.

PACKAGES = ("package", "model")


def package_folders() -> Iterator[str]:
    """Yield the folders that ROS finds packages in, from the environment."""
    for folder in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
        if folder and os.path.isdir(folder):
            yield os.path.abspath(folder)
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        share = os.path.join(prefix, "share")
        if prefix and os.path.isdir(share):
            yield os.path.abspath(share)


def mesh_path(shape: Shape, packages: Sequence[Path] = ()) -> Path | str:
    """Return the file of a mesh, or why there is none.

    Nothing is opened but what is in the folder of the robot's file, in `packages`, or in a folder
    of packages that the environment names; links in the file system count by where they lead.

    Args:
        shape: the mesh.
        packages: folders of packages, or in which packages are.
    """
    folder = Path(shape.folder)
    places = [folder, *packages, *map(Path, package_folders())]
    found = next((path for path in _tries(shape, places) if _is_file(path)), None)
    if found is None:
        above = found_above(shape)
        return "not found" if above is None else _outside(shape, above)
    real = Path(os.path.realpath(found))
    if not any(real.is_relative_to(os.path.realpath(place)) for place in places):
        return _outside(shape, real)
    return real


def found_above(shape: Shape) -> Path | None:
    """Return the file of a mesh wherever it is; packages are looked for above the robot's file."""
    folder = Path(shape.folder)
    places = [folder, *folder.parents, *map(Path, package_folders())]
    return next((path for path in _tries(shape, places) if _is_file(path)), None)


def _tries(shape: Shape, places: Sequence[Path]) -> Iterator[Path]:
    """Yield where the file of a mesh may be."""
    name, folder = shape.file.strip(), Path(shape.folder)
    scheme, _, rest = name.rpartition("://")
    if scheme not in PACKAGES:
        yield folder / (rest if scheme == "file" else name)
        return
    package, _, inside = rest.partition("/")
    for place in places:
        yield place / rest
        if place.name == package:
            yield place / inside


def _outside(shape: Shape, path: Path) -> str:
    """Return the refusal of a file, and what to pass so that it may be opened."""
    scheme, _, rest = shape.file.strip().rpartition("://")
    there = str(path.parent)
    if scheme in PACKAGES:  # the folder in which the package is, or the package itself
        inside = rest.partition("/")[2]
        there = str(path).removesuffix(rest if str(path).endswith(rest) else inside).rstrip("/")
    return (
        "outside of the folder of the robot's file; to permit that, give the folder "
        f"{there!r} as `packages` (--packages)"
    )


def _is_file(path: Path) -> bool:
    try:
        return os.path.isfile(path)
    except (OSError, ValueError):
        return False


# Read meshes as triangles: STL and OBJ here, COLLADA by pycollada, others by trimesh.

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
    trimesh: Any = imported("trimesh", f"a mesh in a {suffix} file", "view")
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


# Triangles thinned out: corners that are near each other become one.

Faces = NDArray[np.int64]

# Corners nearer than this share of the size of a mesh are the same.
EQUAL_CORNER_SHARE = 1e-6
# Halvings of the range of cell sizes.
ROUNDS = 14


def thinned(triangles: Array, most: int) -> tuple[Array, Faces]:
    """Return corners ``(V, 3)`` and faces ``(F, 3)`` of at most `most` triangles.

    The corners in each cell of a grid become their mean; the grid is as fine as `most` allows.
    What is smaller than a cell vanishes, and a surface never moves farther than across a cell.

    Args:
        triangles: ``(T, 3, 3)``.
        most: number of triangles, at least 1.
    """
    points = triangles.reshape(-1, 3)
    low = points.min(axis=0)
    size = float((points.max(axis=0) - low).max()) or 1.0
    corners, faces = _clustered(points - low, EQUAL_CORNER_SHARE * size)
    if len(faces) > most:
        # few triangles: cells as large as the mesh; many: as small as that many need
        coarse, fine = size, EQUAL_CORNER_SHARE * size
        best = _clustered(corners, coarse, faces)
        for _ in range(ROUNDS):
            cell = float(np.sqrt(coarse * fine))
            found = _clustered(corners, cell, faces)
            if len(found[1]) <= most:
                best, coarse = found, cell
            else:
                fine = cell
        corners, faces = best
    return corners + low, faces


def _clustered(points: Array, cell: float, faces: Faces | None = None) -> tuple[Array, Faces]:
    """Return corners and faces with the corners of each cell joined."""
    if faces is None:
        faces = np.arange(len(points)).reshape(-1, 3)
    keys = np.rint(points / cell).astype(np.int64)
    span = keys.max(axis=0) + 1
    flat = (keys[:, 0] * span[1] + keys[:, 1]) * span[2] + keys[:, 2]
    _, owner = np.unique(flat, return_inverse=True)
    owner = owner.reshape(-1)
    count = np.bincount(owner)
    corners = np.stack([np.bincount(owner, x) / count for x in points.T], axis=1)
    joined = owner[faces]
    a, b, c = joined.T
    joined = joined[(a != b) & (b != c) & (c != a)]
    # the same three corners in any order are one triangle
    _, first = np.unique(np.sort(joined, axis=1), axis=0, return_index=True)
    joined = joined[np.sort(first)]
    used, index = np.unique(joined, return_inverse=True)
    return corners[used], index.reshape(-1, 3)
