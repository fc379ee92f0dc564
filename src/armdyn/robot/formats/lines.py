"""Lines in space: their common normal, and a parallel of one line that meets others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.formats.placement import ROUNDING, cross, norm, product

# Axes this close to parallel [rad] are taken as parallel. Their common normal lies at L / sine, and
# rounding errors of torques grow as 1 / sine^2: below this angle they exceed the error of taking
# the axes as parallel.
PARALLEL_TOLERANCE = 1e-5

# With an exact reader, axes that are not parallel, but closer to it than this [rad], have a tilt
# instead of a common normal, with which torques would lose 1e-16 / sine^2 of their size.
TILTED = 1e-2

# A line is not shifted to meet two others if their two conditions are almost the same.
WELL_CONDITIONED = 0.1


@dataclass(frozen=True)
class Line:
    """A point and a unit direction."""

    point: Array
    direction: Array

    def moved(self, T: Array) -> Line:
        """Return a line given in a frame that is placed at T."""
        R, p = T[:3, :3], T[:3, 3]
        return Line(product(R, self.point) + p, product(R, self.direction))

    def seen_from(self, T: Array) -> Line:
        """Return the line as seen from a frame that is placed at T."""
        R, p = T[:3, :3], T[:3, 3]
        return Line(product(R.T, self.point - p), product(R.T, self.direction))


@dataclass(frozen=True)
class Normal:
    """The common normal from one line to another; heights are measured from the lines' points.

    Attributes:
        sine: of the angle between the lines.
        parallel: whether they count as parallel; then the normal may stand at any height.
        x: unit direction of the normal; None if the lines coincide, which leaves it free.
        here, there: heights of its feet on the first and the second line (one choice if parallel).
        sense: +1 or -1 as the directions of the lines agree or not.
    """

    sine: float
    parallel: bool
    x: Array | None
    here: float
    there: float
    sense: float

    def there_from(self, here: float) -> float:
        """Return the height on the second of two parallel lines for a height on the first."""
        return self.there + self.sense * (here - self.here)

    def here_from(self, there: float) -> float:
        """Return the height on the first of two parallel lines for a height on the second."""
        return self.here + self.sense * (there - self.there)

    def direction(self, here: float) -> Array | None:
        """Return x for a height on the first line."""
        return self.x

    @property
    def is_tilted(self) -> bool:
        """Whether there is a tilt between the lines instead of a normal."""
        return False


@dataclass(frozen=True)
class Tilt(Normal):
    """What stands for the normal of lines so nearly parallel that their normal is far away.

    It lies across the first line, at any height, and points to where the second line passes.

    Attributes:
        first, second: the lines.
        tolerance: where the lines are closer [m] they meet, and the direction is free.
    """

    first: Line
    second: Line
    tolerance: float

    def there_from(self, here: float) -> float:
        """Return where the second line passes the plane across the first one at a height."""
        u, v, w = self.first.direction, self.second.direction, self._apart
        return float((here - product(w, u)) / product(v, u))

    def here_from(self, there: float) -> float:
        """Return the height of that plane if it holds a point of the second line."""
        return float(product(self._apart + there * self.second.direction, self.first.direction))

    def direction(self, here: float) -> Array | None:
        """Return x for a height on the first line; None if the lines meet there."""
        reached = self._apart + self.there_from(here) * self.second.direction
        across = reached - here * self.first.direction
        distance = norm(across)
        return across / distance if distance > self.tolerance else None

    @property
    def is_tilted(self) -> bool:
        """Whether there is a tilt between the lines instead of a normal."""
        return True

    @property
    def _apart(self) -> Array:
        return self.second.point - self.first.point


def common_normal(first: Line, second: Line, tolerance: float, tilting: bool = False) -> Normal:
    """Return the common normal; lines closer than `tolerance` [m] meet.

    With `tilting`, lines that are nearly parallel have a `Tilt` instead, and no direction changes.
    """
    u, v = first.direction, second.direction
    w = second.point - first.point
    across = cross(u, v)
    sine = norm(across)
    sense = 1.0 if product(u, v) > 0 else -1.0
    if tilting and ROUNDING < sine < TILTED:
        return Tilt(sine, True, None, 0.0, 0.0, sense, first, second, tolerance)
    if sine < PARALLEL_TOLERANCE:
        along = float(product(w, u))
        apart = w - along * u
        distance = norm(apart)
        x = apart / distance if distance > tolerance else None
        return Normal(sine, True, x, along, 0.0, sense)
    x = across / sine
    if product(w, x) < -tolerance:
        x = -x
    here = float(product(cross(w, v), across)) / (sine * sine)
    there = float(product(cross(w, u), across)) / (sine * sine)
    return Normal(sine, False, x, here, there, sense)


def meeting_point(line: Line, others: Sequence[Line]) -> Array:
    """Return the nearest point through which a parallel of `line` meets the others.

    If it cannot meet all of them, it meets the earlier ones.
    """
    across: list[Array] = []  # unit vectors along which the parallel must be shifted,
    wanted: list[float] = []  # and how far [m]
    for other in others:
        new = _conditions(line.direction, other.direction)
        trial = [*across, *new]
        if len(trial) > 2 or _least_singular_value(trial) < WELL_CONDITIONED:
            continue
        across = trial
        wanted += [float(product(row, other.point - line.point)) for row in new]
    if not across:
        return line.point
    if len(across) == 1:
        return line.point + wanted[0] * across[0]
    (u, v), (a, b) = across, wanted
    cosine = product(u, v)
    return line.point + ((a - cosine * b) * u + (b - cosine * a) * v) / (1.0 - cosine * cosine)


def perpendicular(direction: Array) -> Array:
    """Return a unit vector perpendicular to a direction: the x axis, or one near it."""
    for candidate in np.eye(3):
        rest = candidate - product(candidate, direction) * direction
        length = norm(rest)
        if length > 0.5:  # one of the three axes is at least 54 degrees away
            return rest / length
    raise AssertionError("unreachable: a unit vector is far from one of three axes")


def _least_singular_value(rows: Sequence[Array]) -> float:
    """Return that of a matrix of one or two unit vectors."""
    return 1.0 if len(rows) == 1 else math.sqrt(max(1.0 - abs(product(*rows)), 0.0))


def _conditions(direction: Array, other: Array) -> list[Array]:
    """Return unit n with n . (p - p_other) = 0 for all points p of a line that meets the other."""
    across = cross(direction, other)
    sine = norm(across)
    if sine >= PARALLEL_TOLERANCE:
        return [across / sine]
    first = perpendicular(direction)
    return [first, cross(direction, first)]
