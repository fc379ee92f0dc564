"""Normal driving-axis frames (Craig's modified DH) from joint axes, rounded to nominal geometry."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.chain import exact_cos_sin, rounded_atan2
from armdyn.robot.formats.geometry import (
    PARALLEL_TOLERANCE,
    ROUNDING,
    Line,
    Normal,
    common_normal,
    cross,
    invert,
    meeting_point,
    norm,
    perpendicular,
    place,
    product,
    quaternion_rotation,
    roll_pitch_yaw,
    rotation,
    without_residues,
)
from armdyn.robot.formats.records import Origin, Triple, Words

# Nominal geometry from rounded numbers: 1.5708 in a file becomes pi/2, with a note.
#
# Specialised code and minimal parameters depend on which constants are zero, so a right angle
# written with five digits must become exact.

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


# Normal driving-axis frames (Craig's modified DH) from joint axes in space.
#
# Frame E_i lies on the axis of joint i: z_i along it, x_i along the common normal to the next axis,
# the origin at the foot of that normal. So E_i in E_{i-1} is Rx(beta) Tx(b) Rz(theta) Tz(d). Where
# the axes leave a choice, it makes constants zero: E_0 is E_1 at q = 0; frames of parallel axes
# have the same height; theta = d = 0 for the last frame; and the axis of a sliding joint, of which
# only the direction matters, is moved to meet its neighbours. If nothing is snapped, axes that are
# nearly parallel have no common normal but a tilt: E_i in E_{i-1} is then Tx(b) Rx(beta) Ry(tilt)
# Rz(theta) Tz(d), with x_{i-1} across axis i-1 and towards axis i.
#
# All data of joint i are expressed in L_i, the frame of its link in the file.

# A normal is reversed only if its cosine with the previous one is below minus this.
TIE = 1e-6
# Axes closer to parallel than this [rad], but not parallel, are worth a note.
NEARLY_PARALLEL = 1e-3


# Rounding of torques, relative to their size, of an arm whose frames are 1 m away; it grows with
# the square of the distance.
LOST_AT_A_METRE = 1e-14


@dataclass(frozen=True)
class Axis:
    """A joint axis of the file: the placement of L_i in L_{i-1} at q = 0, the axis in L_i."""

    name: str
    placement: Array
    direction: Array
    rotational: bool


@dataclass(frozen=True)
class Row:
    """The geometry of one joint: E_i in E_{i-1} at q = 0."""

    beta: float
    b: float
    theta: float
    d: float
    tilt: float = 0.0
    branch_angle: float = 0.0
    branch_offset: float = 0.0


@dataclass(frozen=True)
class Geometry:
    """Rows of all joints, the placements of E_i in L_i, and notes on nearly parallel axes.

    `lines` are the axes in L_i; E_0 is the frame of joint `first` at q = 0.
    """

    rows: list[Row]
    frames: list[Array]
    notes: list[str]
    lines: list[Line]
    first: int = 0


@dataclass(frozen=True)
class Stem:
    """The joint on whose link a branch begins, with the frame that it has already."""

    line: Line
    frame: Array

    @property
    def height(self) -> float:
        """Height of the frame on the line."""
        return float(product(self.frame[:3, 3] - self.line.point, self.line.direction))


def normal_frames(axes: Sequence[Axis], snap: Snap, stem: Stem | None = None) -> Geometry:
    """Return the normal driving-axis description of joint axes.

    Of a branch, `stem` is the first of them: its frame here is turned about its axis and shifted
    along it, as the branch needs it.
    """
    lines = _lines(axes, stem)
    normals = [
        common_normal(
            line, following.moved(axis.placement), snap.length_tolerance, not snap.enabled
        )
        for (line, following), axis in zip(pairwise(lines), axes[1:], strict=True)
    ]
    frames = _frames(axes, lines, normals, snap, stem)
    for normal in normals:
        if normal.parallel and not normal.is_tilted and normal.sine > ROUNDING:
            snap.bent(normal.sine)
    rows = [Row(0.0, 0.0, 0.0, 0.0)]
    for (before, after), axis, normal in zip(pairwise(frames), axes[1:], normals, strict=True):
        rows.append(_row(product(invert(before), axis.placement, after), normal, snap))
    return Geometry(rows, frames, list(_notes(axes, normals)), lines)


def _lines(axes: Sequence[Axis], stem: Stem | None) -> list[Line]:
    """Return the axis of each joint in L_i; those of sliding joints are moved to meet others."""
    lines: list[Line] = []
    for i, axis in enumerate(axes):
        line = Line(np.zeros(3), axis.direction)
        if i == 0 and stem is not None:
            line = stem.line
        elif not axis.rotational:
            neighbours: list[Line] = []
            if i > 0:
                neighbours.append(lines[-1].seen_from(axis.placement))
            if i + 1 < len(axes) and axes[i + 1].rotational:
                after = axes[i + 1]
                neighbours.append(Line(np.zeros(3), after.direction).moved(after.placement))
            line = Line(meeting_point(line, neighbours), axis.direction)
        lines.append(line)
    return lines


def _frames(
    axes: Sequence[Axis],
    lines: Sequence[Line],
    normals: Sequence[Normal],
    snap: Snap,
    stem: Stem | None,
) -> list[Array]:
    """Return the placements of E_i in L_i."""
    frames: list[Array] = []
    previous = perpendicular(axes[0].direction)  # x_{i-1} at q = 0, in L_i
    if stem is not None:
        previous = stem.frame[:3, 0]
    heights = _heights(normals, None if stem is None else stem.height)
    for i, (axis, line, height) in enumerate(zip(axes, lines, heights, strict=True)):
        if i > 0:
            previous = product(axis.placement[:3, :3].T, frames[-1][:3, 0])
        free = normals[i].direction(height) if i < len(normals) else None
        x = previous if free is None else free
        if product(x, previous) < -TIE:  # so that theta lies within a quarter turn of zero
            x = -x
        x = snap.direction(x, "components of frame axes")
        x = x - product(x, line.direction) * line.direction
        x = x / norm(x)
        R = np.column_stack([x, cross(line.direction, x), line.direction])
        frames.append(place(R, line.point + height * line.direction))
    return frames


def _heights(normals: Sequence[Normal], start: float | None) -> list[float]:
    """Return the heights of the origins on their lines.

    A frame whose normal may have any height takes the height of the previous normal (d = 0).
    Frames before the first determined one take its height, backwards along the chain, and the base
    absorbs the difference. The frame on which a branch hangs stays at its height, `start`, if the
    normal may have any.
    """
    count = len(normals) + 1
    first = next((i for i, normal in enumerate(normals) if not normal.parallel), None)
    heights = [0.0] * count
    if start is not None and normals[0].parallel:
        first, heights[0] = 0, start
    elif first is not None:
        heights[first] = normals[first].here
        for i in reversed(range(first)):
            heights[i] = normals[i].here_from(heights[i + 1])
    for i in range(1 if first is None else first + 1, count):
        before = normals[i - 1]
        arriving = before.there_from(heights[i - 1]) if before.parallel else before.there
        determined = i < count - 1 and not normals[i].parallel
        heights[i] = normals[i].here if determined else arriving
    return heights


def _row(A: Array, normal: Normal, snap: Snap) -> Row:
    """Return the four parameters of a placement Rx(beta) Tx(b) Rz(theta) Tz(d)."""
    R = without_residues(A[:3, :3], 1.0)
    if normal.is_tilted:
        return _tilted_row(R, A[:3, 3])
    if normal.parallel:
        beta = 0.0 if normal.sense > 0 else math.pi
    else:
        beta = snap.angle(rounded_atan2(0.0 - R[1, 2], R[2, 2]), "twists beta [rad]")
    theta = snap.angle(rounded_atan2(0.0 - R[0, 1], R[0, 0]), "angles theta [rad]")
    cos, sin = exact_cos_sin(beta)
    x, y, z = (float(v) for v in A[:3, 3])
    b = snap.length(x, "lengths b [m]")
    d = snap.length(cos * z - sin * y, "offsets d [m]")
    return Row(beta, b, theta, d)


def _tilted_row(R: Array, p: Array) -> Row:
    """Return the five parameters of a placement Tx(b) Rx(beta) Ry(tilt) Rz(theta) Tz(d)."""
    beta = rounded_atan2(0.0 - R[1, 2], R[2, 2])
    tilt = rounded_atan2(R[0, 2], norm(R[1:, 2]))
    theta = rounded_atan2(0.0 - R[0, 1], R[0, 0])
    x, y, z = (float(v) for v in p)
    (cb, sb), (cg, sg) = exact_cos_sin(beta), exact_cos_sin(tilt)
    d = (cb * z - sb * y) / cg
    b = x - d * sg
    clean = (v if abs(v) > ROUNDING else 0.0 for v in (b, d))
    return Row(beta, next(clean), theta, next(clean), tilt)


def _notes(axes: Sequence[Axis], normals: Sequence[Normal]) -> Iterator[str]:
    for (first, second), normal in zip(pairwise(axes), normals, strict=True):
        who = f"The axes of joints {first.name!r} and {second.name!r}"
        far = f"are {normal.sine:.1e} rad from parallel"
        if normal.is_tilted:
            snapped = "are taken as parallel" if normal.sine < PARALLEL_TOLERANCE else "have one"
            yield (
                f"{who} {far}: they have a tilt instead of a common normal, on which closed forms "
                f"and sweeps along long arms rely. With snap=True they {snapped}."
            )
        elif normal.parallel and normal.sine > ROUNDING:
            yield f"{who} {far} and were taken as parallel."
        elif not normal.parallel and normal.sine < NEARLY_PARALLEL:
            away = max(abs(normal.here), abs(normal.there))
            lost = LOST_AT_A_METRE * max(away, 1.0) ** 2
            yield (
                f"{who} {far}, which puts frame origins up to {away:.0f} m away and costs torques "
                f"digits: up to {lost:.0e} of their size. snap=False avoids that."
            )
