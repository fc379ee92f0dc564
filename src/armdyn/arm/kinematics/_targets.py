"""What of a pose is to be reached: all of it, its position, the direction of an axis, or parts.

A part of the rotation is what a turn about one axis leaves: the direction of that axis of the
target, or the base's axis as seen from the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_choice
from armdyn.arm.kinematics._rotations import aligning_vectors, rotation_vectors
from armdyn.errors import InputError, shown

Array = NDArray[np.float64]

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
        target = np.broadcast_to(target, T.shape)
        p = target[:, :3, 3] - T[:, :3, 3]
        if self.whole:
            turned = target[:, :3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2)
            return np.concatenate([p, rotation_vectors(turned)], axis=1), J
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
