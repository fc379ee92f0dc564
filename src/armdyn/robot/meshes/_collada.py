"""Meshes in COLLADA files (.dae), by pycollada: triangles in metres with their colours."""

from __future__ import annotations

import io
import warnings
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import MissingExtraError
from armdyn.robot._shape import Colour

Array = NDArray[np.float64]


def collada_parts(data: bytes) -> list[tuple[Array, Colour | None]]:
    """Return triangles ``(T, 3, 3)`` of each colour.

    The unit of length counts; the upward axis does not, as in other readers of URDF meshes.

    Raises:
        MissingExtraError: pycollada is not installed.
        ValueError: the file is none that can be read.
    """
    try:
        collada: Any = import_module("collada")
    except ImportError:
        raise MissingExtraError("pycollada", "view", "a mesh in a .dae file") from None
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
