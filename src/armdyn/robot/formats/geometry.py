"""Rotations, placements and lines in space, exact at multiples of pi/2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.chain import exact_cos_sin, rounded_atan2
from armdyn.robot.joint import Joint

# Rotations and placements as arrays, exact at multiples of pi/2.
#
# NumPy leaves products and lengths to BLAS, whose sums depend on the processor. Here each sum has
# the order of its terms, and angles are correctly rounded: one file is the same arm on every
# machine.

# Smaller angles [rad] and lengths [m] are rounded zeros: always removed, without a note.
ROUNDING = 1e-12


def product(*factors: Array) -> Array:
    """Return the product of matrices and vectors."""
    return reduce(_times, factors)


def _times(a: Array, b: Array) -> Array:
    terms = (np.multiply.outer(column, row) for column, row in zip(a.T, b, strict=True))
    return reduce(np.add, terms)


def norm(vector: Array) -> float:
    """Return the length of a vector."""
    _, exponent = math.frexp(np.abs(vector).max())  # squares of what is left do not overflow
    unit = np.ldexp(vector, -exponent)
    return math.ldexp(math.sqrt(product(unit, unit)), exponent)


def rotation(rpy: tuple[float, float, float]) -> Array:
    """Return Rz(yaw) Ry(pitch) Rx(roll), URDF's meaning of rpy [rad]."""
    (cr, sr), (cp, sp), (cy, sy) = (exact_cos_sin(angle) for angle in rpy)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Return rpy [rad] of a rotation, to full precision at pitch = +-pi/2 too.

    There roll and yaw are not determined separately: roll is taken from the rotation with the yaw
    found undone, so that the three together are right.
    """
    yaw = rounded_atan2(R[1, 0], R[0, 0])
    c, s = exact_cos_sin(yaw)
    pitch = rounded_atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = rounded_atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw


Quaternion: TypeAlias = tuple[float, float, float, float]


def xyzw(quaternion: Iterable[float]) -> Quaternion:
    """Return a quaternion whose real part is first, as MuJoCo and viser have it, with it last."""
    w, x, y, z = (float(v) for v in quaternion)
    return (x, y, z, w)


def wxyz(quaternion: Quaternion) -> Quaternion:
    """Return a quaternion whose real part is last with it first."""
    x, y, z, w = quaternion
    return (w, x, y, z)


def quaternion_rotation(quaternion: Quaternion) -> Array:
    """Return the rotation of a quaternion (x, y, z, w) of any length but zero."""
    given = np.array(quaternion)
    x, y, z, w = given / norm(given)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def quaternion_of(R: Array) -> Quaternion:
    """Return the unit quaternion (x, y, z, w) of a rotation, from its largest component."""
    xx, yy, zz = (float(R[k, k]) for k in range(3))
    rows = np.array([
        [1 + xx - yy - zz, R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] - R[1, 2]],
        [R[1, 0] + R[0, 1], 1 - xx + yy - zz, R[2, 1] + R[1, 2], R[0, 2] - R[2, 0]],
        [R[0, 2] + R[2, 0], R[2, 1] + R[1, 2], 1 - xx - yy + zz, R[1, 0] - R[0, 1]],
        [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 1 + xx + yy + zz],
    ])  # fmt: skip
    best = rows[int(np.argmax(np.diag(rows)))]
    x, y, z, w = (float(v) for v in best / norm(best))
    return x, y, z, w


def axis_rotation(axis: Array, angle: float) -> Array:
    """Return the rotation by `angle` [rad] about a unit axis."""
    c, s = exact_cos_sin(angle)
    x, y, z = (float(v) for v in axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return c * np.eye(3) + s * cross + (1.0 - c) * np.outer(axis, axis)


def cross(a: Array, b: Array) -> Array:
    """Return the vector product; ten times as fast for single vectors as NumPy's."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def place(R: Array, p: Array) -> Array:
    """Return the 4x4 placement of a rotation and a shift."""
    T = np.eye(4)
    T[:3, :3] = R
    T[:3, 3] = p
    return T


def at_zero(joint: Joint) -> Array:
    """Return Tx(b) Rx(beta) Ry(tilt) Rz(theta) Tz(d), the placement of E_i in E_{i-1} at q = 0.

    Of a branch, Rz(branch_angle) Tz(branch_offset) comes before it.
    """
    (cb, sb), (c, s) = exact_cos_sin(joint.beta), exact_cos_sin(joint.theta)
    cg, sg = exact_cos_sin(joint.tilt)
    tilted = np.array([[cg * c, -cg * s, sg], [s, c, 0.0], [-sg * c, sg * s, cg]])
    R = product(np.array([[1.0, 0.0, 0.0], [0.0, cb, -sb], [0.0, sb, cb]]), tilted)
    T = place(R, joint.d * R[:, 2] + np.array([joint.b, 0.0, 0.0]))
    if joint.branch_angle == 0.0 == joint.branch_offset:
        return T
    c, s = exact_cos_sin(joint.branch_angle)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return product(place(turned, np.array([0.0, 0.0, joint.branch_offset])), T)


def invert(T: Array) -> Array:
    """Return the inverse placement."""
    R = T[:3, :3]
    return place(R.T, product(-R.T, T[:3, 3]))


def without_residues(values: Array, size: float) -> Array:
    """Return values with rounding residues, relative to the given size, set to zero."""
    return np.where(np.abs(values) <= 1e-14 * size, 0.0, values)


# Lines in space: their common normal, and a parallel of one line that meets others.

# Axes this close to parallel [rad] are taken as parallel. Their common normal lies at L / sine, and
# rounding errors of torques grow as 1 / sine^2: below this angle they exceed the error of taking
# the axes as parallel.
PARALLEL_TOLERANCE = 1e-5

# With an exact reader, axes that are not parallel, but closer to it than this [rad], have a tilt
# instead of a common normal, with which torques would lose 1e-16 / sine^2 of their size.
MAX_TILT = 1e-2

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
    if tilting and ROUNDING < sine < MAX_TILT:
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
