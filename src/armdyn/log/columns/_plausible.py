"""Values that cannot be right: degrees taken for radians, joints that do not move."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError
from armdyn.log.columns._table import Table

Array = NDArray[np.float64]

# Joints of arms turn once or twice. Beyond this [rad], one and a half turns each way, the unit is
# uncertain.
MOST_TURNS = 1.5 * math.tau
DEGREE = math.pi / 180

# Larger positions cannot be angles, in radians or in degrees: 100 turns.
FARTHEST = 36_000.0

# A joint may be measured this far beyond a limit [rad], plus this share of its range.
SLACK = 0.2


def check_angles(table: Table, names: Sequence[str], q: Array, joints: object) -> None:
    """Raise an error if positions can only be degrees, or the unit is unknown.

    `joints` may be an arm, whose limits and prismatic joints are used.
    """
    robot = getattr(joints, "robot", None)
    described = tuple(getattr(robot, "joints", ())) if robot is not None else ()
    for j, name in enumerate(names):
        low, high = float(q[:, j].min()), float(q[:, j].max())
        lower, upper = -math.inf, math.inf
        if len(described) == len(names):
            if getattr(described[j], "kind", "") == "prismatic":
                continue
            lower, upper = float(described[j].lower), float(described[j].upper)
        bounded = math.isfinite(lower) and math.isfinite(upper)
        room = SLACK + SLACK * (upper - lower) if bounded else 0.0
        far = max(-low, high) > MOST_TURNS
        if bounded:
            far = far or low < lower - room or high > upper + room
            if low >= lower - room and high <= upper + room:
                continue
        degrees = not bounded or (low * DEGREE >= lower - room and high * DEGREE <= upper + room)
        if max(-low, high) > FARTHEST:
            raise LogError(
                table.path,
                f"positions of {name} go from {low:.4g} to {high:.4g}: no joint does, a number is "
                'wrong. If they are right say units="rad".',
            )
        if far and degrees:
            limits = f", its limits are {lower:.4g} to {upper:.4g} rad" if bounded else ""
            raise LogError(
                table.path,
                f"positions of {name} go from {low:.4g} to {high:.4g}{limits}: are they degrees? "
                'Say units="deg", or units="rad" if they are radians.',
            )
        if bounded:
            table.notes.append(
                f"positions of {name} go from {low:.4g} to {high:.4g}, beyond its limits, "
                f"{lower:.4g} to {upper:.4g}."
            )


def still_joints(names: Sequence[str], blocks: Mapping[str, Array]) -> list[str]:
    """Return a sentence on joints that never move, and one on efforts that never change."""
    result: list[str] = []
    if len(blocks["q"]) < 2:
        return result
    still = [name for j, name in enumerate(names) if np.ptp(blocks["q"][:, j]) == 0]
    if still:
        result.append(f"positions never change, joints stuck or at rest: {', '.join(still)}.")
    effort = blocks.get("tau", blocks.get("current"))
    if effort is not None:
        same = [name for j, name in enumerate(names) if np.ptp(effort[:, j]) == 0]
        if same:
            result.append(f"efforts never change, they may not be measured: {', '.join(same)}.")
    return result
