"""Triangles thinned out: corners that are near each other become one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Faces = NDArray[np.int64]

# Corners nearer than this share of the size of a mesh are the same.
SAME = 1e-6
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
    corners, faces = _clustered(points - low, SAME * size)
    if len(faces) > most:
        # few triangles: cells as large as the mesh; many: as small as that many need
        coarse, fine = size, SAME * size
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
