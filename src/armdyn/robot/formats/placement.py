"""Rotations and placements as arrays, exact at multiples of pi/2.

NumPy leaves products and lengths to BLAS, whose sums depend on the processor. Here each sum has the
order of its terms, and angles are correctly rounded: one file is the same arm on every machine.
"""

from __future__ import annotations

import math
from functools import reduce

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.chain import exact_cos_sin, rounded_atan2
from armdyn.robot.joint import Joint

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


def quaternion_rotation(quaternion: tuple[float, float, float, float]) -> Array:
    """Return the rotation of a quaternion (x, y, z, w) of any length but zero."""
    given = np.array(quaternion)
    x, y, z, w = given / norm(given)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def quaternion_of(R: Array) -> tuple[float, float, float, float]:
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
    """Return Tx(b) Rx(beta) Ry(tilt) Rz(theta) Tz(d), the placement of E_i in E_{i-1} at q = 0."""
    (cb, sb), (c, s) = exact_cos_sin(joint.beta), exact_cos_sin(joint.theta)
    cg, sg = exact_cos_sin(joint.tilt)
    tilted = np.array([[cg * c, -cg * s, sg], [s, c, 0.0], [-sg * c, sg * s, cg]])
    R = product(np.array([[1.0, 0.0, 0.0], [0.0, cb, -sb], [0.0, sb, cb]]), tilted)
    return place(R, joint.d * R[:, 2] + np.array([joint.b, 0.0, 0.0]))


def invert(T: Array) -> Array:
    """Return the inverse placement."""
    R = T[:3, :3]
    return place(R.T, product(-R.T, T[:3, 3]))


def without_residues(values: Array, size: float) -> Array:
    """Return values with rounding residues, relative to the given size, set to zero."""
    return np.where(np.abs(values) <= 1e-14 * size, 0.0, values)
