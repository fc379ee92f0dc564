"""What is seen of a robot: meshes and solids of its file, as triangles in the frames of links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.robot.meshes import mesh_path, parts_in, thinned
from armdyn.robot.model import Colour, Robot, Shape

# Solids of size 1 as triangles: corners ``(V, 3)`` and faces ``(F, 3)``.

Mesh: TypeAlias = tuple[Array, NDArray[np.int64]]

# Corners around a surface of revolution, and rings of half a ball.
CORNERS_AROUND, RINGS = 24, 6


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
    turn = 2 * np.pi * np.arange(CORNERS_AROUND) / CORNERS_AROUND
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    corners = np.concatenate(
        [np.column_stack([r * ring, np.full(CORNERS_AROUND, z)]) for r, z in profile.tolist()]
    )
    k = np.arange(CORNERS_AROUND)
    after = (k + 1) % CORNERS_AROUND
    faces: list[NDArray[np.int64]] = []
    for i in range(len(profile) - 1):
        a, b = i * CORNERS_AROUND + k, i * CORNERS_AROUND + after
        c, d = a + CORNERS_AROUND, b + CORNERS_AROUND
        faces += [np.stack([a, b, c], axis=1), np.stack([c, b, d], axis=1)]
    return corners, np.concatenate(faces)


# Missing meshes that a note names.
MOST_NAMED = 3


@dataclass(frozen=True)
class Part:
    """Triangles of one colour, fixed to a link.

    Attributes:
        link: 0 for the base, i for the link that joint i moves.
        corners: ``(V, 3)`` in E_i, or in the base frame for link 0 [m].
        faces: ``(F, 3)``, indices of corners.
        colour: red, green, blue and opacity from 0 to 1; None if no file says.
    """

    link: int
    corners: Array
    faces: NDArray[np.int64]
    colour: Colour | None


@dataclass(frozen=True)
class Drawn:
    """What is seen of a robot.

    Attributes:
        parts: triangles in the frames of links.
        notes: a sentence for what is missing, and what to do.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...]

    @property
    def links(self) -> frozenset[int]:
        """The links of which something is seen."""
        return frozenset(part.link for part in self.parts)


def drawn(robot: Robot, packages: Sequence[Path] = (), *, most: int) -> Drawn:
    """Return the visual solids of a robot; where a link has none, its solids for collisions.

    Args:
        robot: the robot.
        packages: folders in which meshes are looked for, besides that of the robot's file.
        most: triangles of all parts together; larger meshes are thinned out by shares.
    """
    read: dict[tuple[str, str], list[tuple[Array, Colour | None]] | str] = {}
    pieces: list[tuple[int, Array, Colour | None]] = []
    missing: dict[str, list[str]] = {}
    for shape in _seen(robot):
        found = _parts(shape, packages, read)
        if isinstance(found, str):
            missing.setdefault(found, []).append(shape.file.rpartition("/")[2])
            continue
        T = np.array(shape.placement)
        for corners, colour in found:
            placed = corners @ T[:3, :3].T + T[:3, 3]
            if shape.kind == "mesh" and np.prod(shape.size) < 0.0:
                placed = placed[:, ::-1]  # a mirrored mesh keeps its outside
            pieces.append((shape.link, placed, shape.colour or colour))
    total = sum(len(corners) for _, corners, _ in pieces)
    share = min(1.0, most / max(total, 1))
    parts = [
        Part(link, *thinned(corners, max(12, int(share * len(corners)))), colour)
        for link, corners, colour in pieces
    ]
    return Drawn(tuple(part for part in parts if len(part.faces)), tuple(_notes(missing)))


def _seen(robot: Robot) -> list[Shape]:
    visible = {shape.link for shape in robot.visuals if shape.kind != "unknown"}
    others = [shape for shape in robot.shapes if shape.link not in visible]
    return [shape for shape in (*robot.visuals, *others) if shape.kind != "unknown"]


def _parts(
    shape: Shape,
    packages: Sequence[Path],
    read: dict[tuple[str, str], list[tuple[Array, Colour | None]] | str],
) -> list[tuple[Array, Colour | None]] | str:
    """Return the triangles of a solid in its own frame, or why there are none."""
    match shape.kind:
        case "box":
            return _scaled(box(), *shape.size)
        case "sphere":
            return _scaled(ball(), *(3 * shape.size))
        case "cylinder":
            radius, long = shape.size
            return _scaled(cylinder(), radius, radius, long)
        case "capsule":
            radius, long = shape.size
            end = np.array([0.0, 0.0, long / 2])
            return _scaled(capsule(-end, end, radius), 1.0, 1.0, 1.0)
        case _:
            key = (shape.folder, shape.file)
            if key not in read:
                path = mesh_path(shape, packages)
                read[key] = path if isinstance(path, str) else parts_in(path)
            found = read[key]
            if isinstance(found, str):
                return found
            return [(corners * np.array(shape.size), colour) for corners, colour in found]


def _scaled(mesh: Mesh, *scale: float) -> list[tuple[Array, Colour | None]]:
    corners, faces = mesh
    return [((corners * np.array(scale))[faces], None)]


def _notes(missing: dict[str, list[str]]) -> Iterator[str]:
    """Yield a sentence for each reason why meshes are not drawn."""
    for reason, files in missing.items():
        names = list(dict.fromkeys(files))
        named = ", ".join(names[:MOST_NAMED])
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        yield f"Not drawn: {named}{more}: {reason}. Links of which nothing is drawn are capsules."
