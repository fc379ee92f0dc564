"""Meshes of links as plain data for the page: thinned out, and packed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.present import packed_column
from armdyn.robot import Robot
from armdyn.robot.meshes import drawn

# Triangles of all meshes together: some 20 bytes each.
MOST_TRIANGLES = 24_000


def meshes_of(robot: Robot, packages: Sequence[Path]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the meshes for the page, and a sentence for what is missing.

    Args:
        robot: the robot.
        packages: folders in which meshes are looked for, besides that of the robot's file.
    """
    seen = drawn(robot, packages, most=MOST_TRIANGLES)
    notes = list(seen.notes)
    if not seen.parts and not notes:
        notes = [f"The description of {robot.name} has no meshes: its links are capsules."]
    return [
        {
            "link": part.link,
            "colour": None if part.colour is None else list(part.colour),
            "corners": [packed_column(np.ascontiguousarray(x)) for x in part.corners.T],
            "faces": packed_column(part.faces.ravel().astype(float)),
        }
        for part in seen.parts
    ], notes
