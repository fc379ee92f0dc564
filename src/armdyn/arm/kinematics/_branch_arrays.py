"""`Branches`: all branches of inverse kinematics, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
