"""Nominal geometry from rounded numbers: 1.5708 in a file becomes pi/2, with a note.

Specialised code and minimal parameters depend on which constants are zero, so a right angle written
with five digits must become exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from armdyn.robot.formats._placement import (
    ROUNDING,
    Array,
    norm,
    place,
    quaternion_rotation,
    roll_pitch_yaw,
    rotation,
)
from armdyn.robot.formats._records import Origin, Triple, Words

# Angles this close to a right one [rad] are right angles: 3.1416 is 7e-6 rad from pi.
ANGLE_TOLERANCE = 1e-5
# Lengths below a micrometre [m] are zero.
LENGTH_TOLERANCE = 1e-6
# Components of unit vectors this small are zero: directions are written with six digits or more.
DIRECTION_TOLERANCE = 1e-6
# Torques change by at most this times the sum of all changes, relative to their size. Of the arms
# of example-robot-data the worst changed by 1.1 times the sum.
WORST = 5.0


class Snap:
    """Rounds angles, lengths and directions to nominal ones and counts the changes."""

    def __init__(self, enabled: bool, words: Words) -> None:
        """Begin with no changes.

        Args:
            enabled: False removes only rounding residues.
            words: what the format calls angles and axes.
        """
        self._words = words
        self.enabled = enabled
        self.angle_tolerance = ANGLE_TOLERANCE if enabled else ROUNDING
        self.length_tolerance = LENGTH_TOLERANCE if enabled else ROUNDING
        self.direction_tolerance = DIRECTION_TOLERANCE if enabled else ROUNDING
        self._changes: dict[str, list[float]] = {}
        self._bent = 0.0

    def angle(self, value: float, what: str) -> float:
        """Return the multiple of pi/2 if one is close, else the value itself."""
        nominal = round(value / (math.pi / 2)) * (math.pi / 2)
        return self._choose(value, nominal, self.angle_tolerance, what)

    def length(self, value: float, what: str) -> float:
        """Return zero for a negligible length, else the value itself."""
        return self._choose(value, 0.0, self.length_tolerance, what)

    def direction(self, vector: Array, what: str) -> Array:
        """Return a unit vector with components close to 0 made 0, which makes others exactly 1."""
        unit = vector / norm(vector)
        near = [self._choose(float(v), 0.0, self.direction_tolerance, what) for v in unit]
        nominal = np.array(near)
        return nominal / norm(nominal)

    def axis(self, xyz: Triple) -> Array:
        """Return the unit vector of a joint axis."""
        return self.direction(np.array(xyz), self._words.axis)

    def placement(self, origin: Origin) -> Array:
        """Return the placement of a frame."""
        if origin.quaternion is not None:
            return place(self._turn(quaternion_rotation(origin.quaternion)), np.array(origin.xyz))
        r, p, y = (self.angle(a, self._words.angles) for a in origin.rpy)
        return place(rotation((r, p, y)), np.array(origin.xyz))

    def _turn(self, R: Array) -> Array:
        """Return a rotation; if one of its angles is nearly right, made of right ones."""
        given = roll_pitch_yaw(R)
        angles = [self.angle(angle, self._words.angles) for angle in given]
        return R if angles == list(given) else rotation((angles[0], angles[1], angles[2]))

    def notes(self) -> Iterable[str]:
        """Yield one sentence for each kind of number that was changed."""
        for what, changes in self._changes.items():
            yield (
                f"Snapped {len(changes)} {what} to nominal values; the largest change was "
                f"{max(changes):.1e}."
            )
        total = self._bent + sum(map(sum, self._changes.values()))
        if total:
            yield (
                "Poses, Jacobians and torques differ from those of the file as written by up to "
                f"{WORST * total:.0e} of their size; snap=False changes nothing."
            )

    def bent(self, angle: float) -> None:
        """Count an angle [rad] between axes that were taken as parallel."""
        self._bent += angle

    def _choose(self, value: float, nominal: float, tolerance: float, what: str) -> float:
        change = abs(value - nominal)
        if change > tolerance:
            return value
        if change > ROUNDING:
            self._changes.setdefault(what, []).append(change)
        return nominal
