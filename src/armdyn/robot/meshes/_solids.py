"""Solids of size 1 as triangles: corners ``(V, 3)`` and faces ``(F, 3)``."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mesh: TypeAlias = tuple[Array, NDArray[np.int64]]

# Corners around a surface of revolution, and rings of half a ball.
AROUND, RINGS = 24, 6


@lru_cache
def ball() -> Mesh:
    """Return a ball of radius 1."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, 2 * RINGS + 1)
    return _revolved(np.stack([np.cos(angles), np.sin(angles)], axis=1))


@lru_cache
def drum() -> Mesh:
    """Return a cylinder of radius 1 from z = -1/2 to 1/2, with bevelled ends."""
    profile = [(0, -0.5), (0.94, -0.5), (1, -0.44), (1, 0.44), (0.94, 0.5), (0, 0.5)]
    return _revolved(np.array(profile, dtype=float))


@lru_cache
def cylinder() -> Mesh:
    """Return a cylinder of radius 1 from z = -1/2 to 1/2, with ends and sharp edges."""
    return _revolved(np.array([(0, -0.5), (1, -0.5), (1, 0.5), (0, 0.5)], dtype=float))


@lru_cache
def box() -> Mesh:
    """Return a cube with edges of length 1 about the origin."""
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) - 0.5
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))]
    return corners, np.array(faces)


def capsule(start: Array, end: Array, radius: float) -> Mesh:
    """Return a cylinder between two points with half balls at its ends."""
    long = float(np.linalg.norm(end - start))
    angles = np.linspace(-np.pi / 2, np.pi / 2, 2 * RINGS + 2)
    profile = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    profile[: RINGS + 1, 1] -= long / 2
    profile[RINGS + 1 :, 1] += long / 2
    corners, faces = _revolved(profile)
    direction = end - start if long > 0.0 else np.array([0.0, 0.0, 1.0])
    return corners @ along(direction).T + (start + end) / 2, faces


def along(direction: Array) -> Array:
    """Return a rotation whose z axis has a direction."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _revolved(profile: Array) -> Mesh:
    """Return the surface of a profile (radius, height), from bottom to top, about z."""
    turn = 2 * np.pi * np.arange(AROUND) / AROUND
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    corners = np.concatenate(
        [np.column_stack([r * ring, np.full(AROUND, z)]) for r, z in profile.tolist()]
    )
    k = np.arange(AROUND)
    after = (k + 1) % AROUND
    faces: list[NDArray[np.int64]] = []
    for i in range(len(profile) - 1):
        a, b = i * AROUND + k, i * AROUND + after
        c, d = a + AROUND, b + AROUND
        faces += [np.stack([a, b, c], axis=1), np.stack([c, b, d], axis=1)]
    return corners, np.concatenate(faces)
