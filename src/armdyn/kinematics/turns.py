"""Whole turns of joints, and all branches as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.robot.joint import Joint

# Whole turns of joints: the same pose, nearer to a start.

TURN = 2.0 * np.pi
# Limits and angles that differ by less [turns] are equal: both are rounded.
ROUNDING = 1e-12
# A joint beyond its limit by less [rad or m] is at the limit.
LIMIT = 1e-9


def joint_limits(joints: Sequence[Joint]) -> tuple[Array, Array]:
    """Return the lower and the upper limits of joints [rad or m]."""
    return np.array([j.lower for j in joints]), np.array([j.upper for j in joints])


def nearest_turn(
    q: Array, start: Array, lower: Array, upper: Array, turns: NDArray[np.bool_]
) -> Array:
    """Return the same poses with every joint as near to a start as whole turns and limits allow.

    Args:
        q: positions ``(..., n)`` within the limits.
        start: where they shall be near to, ``(..., n)``.
        lower: limits, ``(n,)``; may be infinite.
        upper: limits, ``(n,)``; may be infinite.
        turns: which joints turn, ``(n,)``.
    """
    fewest = np.ceil((lower - q) / TURN - ROUNDING)
    most = np.floor((upper - q) / TURN + ROUNDING)
    k = np.minimum(np.maximum(np.rint((start - q) / TURN), fewest), most)
    k = np.where(turns & (fewest <= most), k, 0.0)
    moved = q + TURN * k
    return np.where(k != 0.0, np.minimum(np.maximum(moved, lower), upper), q)


def every_turn(
    q: Array, valid: NDArray[np.bool_], lower: Array, upper: Array, turns: NDArray[np.bool_]
) -> tuple[Array, NDArray[np.bool_], int]:
    """Return positions with all whole turns of their joints within the limits.

    Args:
        q: positions ``(..., B, n)``.
        valid: which of them are solutions, ``(..., B)``.
        lower: limits, ``(n,)``; joints without both limits are left as they are.
        upper: limits, ``(n,)``.
        turns: which joints turn, ``(n,)``.

    Returns:
        Positions ``(..., B k, n)`` and which of them are solutions within the limits; k.
    """
    whole = turns & np.isfinite(lower) & np.isfinite(upper)
    with np.errstate(invalid="ignore"):
        counts = np.where(whole, np.ceil((upper - lower) / TURN - ROUNDING), 1.0)
    counts = np.maximum(counts, 1.0).astype(int)
    shifts = TURN * np.array(list(product(*map(range, counts))), dtype=np.float64)
    with np.errstate(invalid="ignore"):
        fewest = np.where(whole, np.ceil((lower - q) / TURN - ROUNDING), 0.0)
    first = q + TURN * fewest
    found = first[..., None, :] + shifts
    inside = (found >= lower - LIMIT) & (found <= upper + LIMIT)
    found = np.where(inside, np.clip(found, lower, upper), found)
    good = valid[..., None] & inside.all(axis=-1)
    shape = (*valid.shape[:-1], valid.shape[-1] * len(shifts))
    return found.reshape(*shape, q.shape[-1]), good.reshape(shape), len(shifts)


# `Branches`: all branches of inverse kinematics, as arrays.


@dataclass(frozen=True)
class Branches:
    """All branches of inverse kinematics.

    Attributes:
        q: joint positions ``(..., B, n)``. Always finite: a branch that does not reach the pose has
            the positions that come nearest in each step of its solution.
        valid: which branches reach the pose, within the limits if they were asked for,
            ``(..., B)``.
        margin: how far the pose is from the border of the branch's reach, ``(..., B)``: 0 at the
            border, where two branches meet, and negative beyond; without unit.
        complete: whether all solutions of the pose are known to be found, ``(...)``. True for
            closed forms; a generic arm has False where the number of solutions stayed odd.

    Examples:
        >>> found = armdyn.load("ur5").inverse_kinematics_all(np.eye(4))
        >>> found.q.shape, found.valid.shape
        ((8, 6), (8,))
    """

    q: Array
    valid: NDArray[np.bool_]
    margin: Array
    complete: NDArray[np.bool_]


def joined(found: Branches) -> Branches:
    """Return the branches of all redundancies, the last leading axis, as branches of one pose."""
    *lead, K, B, n = found.q.shape
    shape = (*lead, K * B)
    return Branches(
        found.q.reshape(*shape, n), found.valid.reshape(shape), found.margin.reshape(shape),
        np.asarray(found.complete.all(axis=-1)),
    )  # fmt: skip
