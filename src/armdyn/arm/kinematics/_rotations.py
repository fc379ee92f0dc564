"""Rotation matrices as rotation vectors: axis times angle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def rotation_vectors(R: Array) -> Array:
    """Return axis times angle, ``(B, 3)``, of rotations ``(B, 3, 3)``; exact near 0 and at pi.

    Uses quaternions and finds the largest component of each first, to avoid division by small
    numbers.
    """
    xx, yy, zz = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    x, y, z = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, xz, yz = R[:, 0, 1] + R[:, 1, 0], R[:, 0, 2] + R[:, 2, 0], R[:, 1, 2] + R[:, 2, 1]
    # row k of this symmetric matrix is 4 q_k q, of the quaternion q = (w, x, y, z)
    rows = np.stack(
        [
            np.stack([1 + xx + yy + zz, x, y, z], axis=1),
            np.stack([x, 1 + xx - yy - zz, xy, xz], axis=1),
            np.stack([y, xy, 1 - xx + yy - zz, yz], axis=1),
            np.stack([z, xz, yz, 1 - xx - yy + zz], axis=1),
        ],
        axis=1,
    )
    largest = np.argmax(np.einsum("bii->bi", rows), axis=1)
    q = rows[np.arange(len(R)), largest]
    q = np.where(q[:, :1] < 0.0, -q, q)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    size = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(size, q[:, 0])
    small = size < 1e-150
    return q[:, 1:] * np.where(small, 2.0, angle / np.where(small, 1.0, size))[:, None]


def aligning_vectors(u: Array, v: Array) -> Array:
    """Return axis times angle, ``(B, 3)``, of the least turns that take unit vectors u to v."""
    axis = np.cross(u, v)
    sine = np.linalg.norm(axis, axis=1)
    # half a turn: any axis across u; that with the least component of u is never along it
    across = np.cross(u, np.eye(3)[np.abs(u).argmin(axis=1)])
    opposite = (sine < 1e-150) & ((u * v).sum(axis=1) < 0.0)
    axis = np.where(opposite[:, None], across, axis)
    length = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, (u * v).sum(axis=1))
    return axis * np.where(length > 1e-150, angle / np.maximum(length, 1e-150), 1.0)[:, None]
