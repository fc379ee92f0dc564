"""Planes that an arm must not cross: a floor and walls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_number
from armdyn.errors import InputError

# Positions of planes beyond this [m] are a mistake.
FARTHEST = 1e6


@dataclass(frozen=True)
class Plane:
    """The half space in which the arm may be: normal . x >= offset, in the base frame.

    Attributes:
        name: "floor", "wall 1" ...
        normal: unit vector into the free side, ``(3,)``.
        offset: distance of the plane from the origin of the base, along the normal [m].
    """

    name: str
    normal: Array
    offset: float


def planes_of(arm: Arm, floor: object, walls: object) -> list[Plane]:
    """Return the floor and the walls.

    Args:
        arm: the arm; the floor is across its gravity.
        floor: height in the base frame [m], or None.
        walls: rows (nx, ny, nz, d), ``(k, 4)``: free is where nx x + ny y + nz z >= d; or None.
    """
    planes: list[Plane] = []
    if floor is not None:
        height = checked_number(floor, "floor", least=-FARTHEST, most=FARTHEST)
        planes.append(Plane("floor", _upward(arm), height))
    if walls is None:
        return planes
    what = "walls (nx, ny, nz, d), one a row: free is where nx x + ny y + nz z >= d"
    rows = checked_array(walls, "walls", ("walls", 4), what=what)
    for k, row in enumerate(rows, 1):
        size = float(np.linalg.norm(row[:3]))
        if not 1e-9 < size < FARTHEST:
            raise InputError(
                f"`walls` has a normal of length {size:g} in row {k}, expected {what}.",
                argument="walls",
            )
        offset = float(row[3]) / size
        if not abs(offset) <= FARTHEST:
            raise InputError(
                f"`walls` has a plane {offset:g} m away in row {k}, expected metres.",
                argument="walls",
            )
        planes.append(Plane(f"wall {k}", row[:3] / size, offset))
    return planes


def base_plane(arm: Arm) -> Plane | None:
    """Return the plane through the origin of the base across gravity, if there is gravity."""
    return Plane("base plane", _upward(arm), 0.0) if any(arm.robot.gravity) else None


def _upward(arm: Arm) -> Array:
    g = np.array(arm.robot.gravity)
    size = float(np.linalg.norm(g))
    if not size > 0.0:
        raise InputError(
            "`floor` was given, but the robot has no gravity, so no direction is down; give the "
            "floor as one of `walls`.",
            argument="floor",
        )
    return -g / size
