"""Poses that users give: checked, made exact, and the parts of them to be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import Array
from armdyn.checks import check_memory, checked_array, checked_choice, real_array
from armdyn.errors import InputError, shown

# Poses that users give: checked, and made exact.

# Largest deviation of a matrix from a rotation that is accepted as one.
NO_ROTATION = 1e-6

LAST = np.array([0.0, 0.0, 0.0, 1.0])
# Steps of Newton's method for the nearest rotation; each squares the deviation.
POLAR_STEPS = 3

ONE = "a 4x4 pose: a rotation and a position [m], above the row 0 0 0 1"
SEVERAL = f"{ONE}; or several, (..., 4, 4)"


def checked_pose(name: str, value: ArrayLike, shown_as: str = "") -> Array:
    """Return a pose ``(4, 4)`` whose rotation is orthogonal to rounding."""
    T = checked_array(value, name, (4, 4), what=ONE)
    _check_one(T, name, f"`{shown_as or name}`")
    return nearest_rotations(T)


def checked_poses(name: str, poses: Array) -> Array:
    """Return poses ``(..., 4, 4)`` whose rotations are orthogonal to rounding."""
    checked_array(poses, name, what=SEVERAL, empty=True)
    check_rotations(name, poses)
    return nearest_rotations(poses)


def shaped_poses(name: str, value: ArrayLike) -> Array:
    """Return poses ``(..., 4, 4)`` as floats; checks neither that they are finite nor rotations."""
    array: Array
    if type(value) is np.ndarray and value.dtype == np.float64:
        array = value
    else:
        found = real_array(value, name, SEVERAL, InputError)
        check_memory(8 * found.size, f"`{name}`", name)
        with np.errstate(over="ignore"):  # a long double beyond float64 becomes inf, refused later
            array = found.astype(np.float64)
    check_shape(array.shape, name)
    return array


def check_shape(shape: tuple[int, ...], name: str) -> None:
    """Raise an error if a shape is not that of poses."""
    if shape[-2:] != (4, 4):
        raise InputError(f"`{name}` has shape {shape}, expected {SEVERAL}.", argument=name)


def check_rotations(name: str, poses: Array) -> None:
    """Raise the error of the first of poses ``(..., 4, 4)`` that is none."""
    with np.errstate(all="ignore"):  # huge entries overflow, and are refused just below
        wrong = ~(_off(poses) <= NO_ROTATION) | ~(np.linalg.det(poses[..., :3, :3]) > 0.0)
    for found in np.argwhere(wrong)[:1].tolist():
        at = tuple(found)
        index = ", ".join(map(str, at))
        _check_one(poses[at], name, f"`{name}[{index}]`" if at else f"`{name}`")


def roughness(poses: Array) -> float:
    """Return how far the worst of poses ``(..., 4, 4)`` is from one."""
    with np.errstate(all="ignore"):
        reflected = np.linalg.det(poses[..., :3, :3]) < 0.0
        return float(np.where(reflected, np.inf, _off(poses)).max(initial=0.0))


def _off(poses: Array) -> Array:
    """Return how far poses are from columns of length 1 at right angles above 0 0 0 1."""
    R = poses[..., :3, :3]
    rotation = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-1, -2), initial=0.0)
    return np.maximum(rotation, np.abs(poses[..., 3, :] - LAST).max(axis=-1, initial=0.0))


def _check_one(T: Array, name: str, shown_as: str) -> None:
    if not np.abs(T[3] - LAST).max() <= NO_ROTATION:
        raise InputError(
            f"the last row of {shown_as} is {shown(T[3].tolist())}, expected {ONE}.", argument=name
        )
    with np.errstate(all="ignore"):  # huge entries overflow, and are refused just below
        off = float(np.abs(T[:3, :3].T @ T[:3, :3] - np.eye(3)).max())
    if not off <= NO_ROTATION:
        raise InputError(
            f"the upper left of {shown_as} is no rotation: its columns are off length 1 and right "
            f"angles by {off:.2g}; expected {ONE}.",
            argument=name,
        )
    if np.linalg.det(T[:3, :3]) < 0.0:
        raise InputError(
            f"the upper left of {shown_as} is a reflection; expected {ONE}.", argument=name
        )


def nearest_rotations(poses: Array) -> Array:
    """Return poses ``(..., 4, 4)`` with the nearest rotations, above an exact last row."""
    exact = poses.copy()
    for _ in range(POLAR_STEPS):
        R = exact[..., :3, :3]
        exact[..., :3, :3] = R @ (1.5 * np.eye(3) - 0.5 * (np.swapaxes(R, -1, -2) @ R))
    exact[..., 3, :] = LAST
    return exact


# Rotation matrices as rotation vectors: axis times angle.


def rotation_vectors(R: Array) -> Array:
    """Return axis times angle, ``(B, 3)``, of rotations ``(B, 3, 3)``; exact near 0 and at pi.

    Uses quaternions and finds the largest component of each first, to avoid division by small
    numbers.
    """
    xx, yy, zz = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    x, y, z = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, xz, yz = R[:, 0, 1] + R[:, 1, 0], R[:, 0, 2] + R[:, 2, 0], R[:, 1, 2] + R[:, 2, 1]
    # row k of this symmetric matrix is 4 q_k q, of the quaternion q = (w, x, y, z)
    products = [
        [1 + xx + yy + zz, x, y, z],
        [x, 1 + xx - yy - zz, xy, xz],
        [y, xy, 1 - xx + yy - zz, yz],
        [z, xz, yz, 1 - xx - yy + zz],
    ]
    rows = np.moveaxis(np.array(products), -1, 0)
    largest = np.argmax(np.einsum("bii->bi", rows), axis=1)
    q = rows[np.arange(len(R)), largest]
    q = np.where(q[:, :1] < 0.0, -q, q)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    size = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(size, q[:, 0])
    small = size < 1e-150
    return q[:, 1:] * np.where(small, 2.0, angle / np.where(small, 1.0, size))[:, None]


def pose_errors(target: Array, T: Array) -> Array:
    """Return what frames ``(B, 4, 4)`` lack of targets: positions, rotation vectors, ``(B, 6)``."""
    turned = rotation_vectors(target[..., :3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2))
    return np.concatenate([target[..., :3, 3] - T[:, :3, 3], turned], axis=1)


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


# What of a pose is to be reached: all of it, its position, the direction of an axis, or parts.
#
# A part of the rotation is what a turn about one axis leaves: the direction of that axis of the
# target, or the base's axis as seen from the frame.

PARTS = {
    "position": (True, True, True, False, False, False),
    "rotation": (False, False, False, True, True, True),
    "direction": (False, False, False, True, True, False),
    "position and direction": (True, True, True, True, True, False),
}
AXES = ("target", "base")
FLAGS = "six truth values for x, y, z and the turns about x, y, z"


@dataclass(frozen=True)
class Part:
    """What of a pose is to be reached.

    Attributes:
        position: which components of the position.
        free: the axis about which the frame may turn, 0 to 2; None if it may not.
        turns: whether any of the rotation is to be reached.
        in_target: whether components are along the target's axes, not the base's.
    """

    position: tuple[bool, bool, bool] = (True, True, True)
    free: int | None = None
    turns: bool = True
    in_target: bool = True

    @property
    def whole(self) -> bool:
        """Whether this is all of a pose."""
        return all(self.position) and self.turns and self.free is None

    def lack(self, target: Array, T: Array, J: Array) -> tuple[Array, Array]:
        """Return the errors of frames, ``(B, 6)``, and how joints change them, ``(B, 6, n)``.

        Args:
            target: the pose, ``(4, 4)`` or one for each frame.
            T: the frames, ``(B, 4, 4)``.
            J: their Jacobians, ``(B, 6, n)``.
        """
        if self.whole:
            return pose_errors(target, T), J
        target = np.broadcast_to(target, T.shape)
        p = target[:, :3, 3] - T[:, :3, 3]
        moves = J.copy()
        if not all(self.position):
            axes = target[:, :3, :3] if self.in_target else np.eye(3)
            wanted = axes * np.array(self.position)
            kept = wanted @ np.swapaxes(wanted, -1, -2)
            p = (kept @ p[..., None])[..., 0]
            moves[:, :3] = kept @ moves[:, :3]
        turn = self._turn(target[:, :3, :3], T[:, :3, :3], moves)
        return np.concatenate([p, turn], axis=1), moves

    def _turn(self, wanted: Array, here: Array, J: Array) -> Array:
        """Return what is missing of rotations; leave only rows of J that change it."""
        if not self.turns:
            J[:, 3:] = 0.0
            return np.zeros((len(here), 3))
        if self.free is None:
            return rotation_vectors(wanted @ np.swapaxes(here, 1, 2))
        if self.in_target:
            u, v = here[:, :, self.free], wanted[:, :, self.free]
        else:
            u = (here @ np.swapaxes(wanted, 1, 2))[:, :, self.free]
            v = np.broadcast_to(np.eye(3)[self.free], u.shape)
        J[:, 3:] -= u[:, :, None] * (u[:, None, :] @ J[:, 3:])
        return aligning_vectors(u, v)


WHOLE = Part()


def checked_part(only: str | Sequence[bool] | None, axes: str) -> Part:
    """Return what of a pose is to be reached: a name of `PARTS`, or six flags along axes."""
    in_target = checked_choice(axes, "axes", AXES, what="axes") == "target"
    if only is None:
        return WHOLE
    if isinstance(only, str):
        flags = PARTS[checked_choice(only, "only", tuple(PARTS), what="part of a pose")]
        in_target = True
    else:
        flags = _checked_flags(only)
    turning = [k for k in range(3) if flags[3 + k]]
    if not any(flags):
        raise InputError("`only` asks for nothing of the pose.", argument="only")
    if len(turning) == 1:
        raise InputError(
            f"`only` is {shown(only)}: a turn about one axis alone is no part of a rotation; give "
            "none, two (the direction of the third axis) or all three.",
            argument="only",
        )
    free = next(k for k in range(3) if k not in turning) if len(turning) == 2 else None
    return Part((flags[0], flags[1], flags[2]), free, bool(turning), in_target)


def _checked_flags(only: Any) -> tuple[bool, ...]:
    names = ", ".join(map(repr, PARTS))
    wrong = InputError(f"`only` is {shown(only)}, expected {names}, or {FLAGS}.", argument="only")
    try:
        flags = np.asarray(only)
    except (TypeError, ValueError):
        raise wrong from None
    known = flags.shape == (6,) and (
        flags.dtype == np.bool_ or (flags.dtype.kind in "iu" and set(flags.tolist()) <= {0, 1})
    )
    if not known or isinstance(only, np.ma.MaskedArray):
        raise wrong
    return tuple(bool(x) for x in flags.tolist())
