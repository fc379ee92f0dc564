"""Poses that users give: checked, and made exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import check_memory, checked_array, real_array
from armdyn.errors import InputError, shown

Array = NDArray[np.float64]

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
