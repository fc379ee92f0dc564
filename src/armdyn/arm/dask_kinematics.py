"""Inverse kinematics of Dask arrays of poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.arm.arguments import is_lazy
from armdyn.arm.dask_arrays import BlockTask, applied, checked_lazy, refuse_out, token_of
from armdyn.checks import checked_flag
from armdyn.errors import InputError
from armdyn.kinematics.branches import NOT_BOTH, SPARE, check_lead, checked_spare
from armdyn.kinematics.inverse_kinematics import checked_start
from armdyn.kinematics.poses import SEVERAL, check_shape, shaped_poses
from armdyn.kinematics.turns import Branches

if TYPE_CHECKING:
    from armdyn.arm.arm import Arm

Shape = tuple[int, ...]

POSE = (4, 4)


def lazy_inverse_kinematics(arm: Arm, pose: Any, start: Any, out: object, **options: Any) -> Any:
    """Return joint positions ``(..., n)`` for poses, lazily; see `Arm.inverse_kinematics`."""
    refuse_out(out)
    if checked_flag(options["follow"], "follow"):
        raise InputError(
            "`follow` needs all poses of a path at once, and Dask arrays come in blocks; compute "
            "them first.",
            argument="follow",
        )
    arrays, core = [_poses(pose, "pose")], list[Shape]([POSE])
    lead = arrays[0].shape[:-2]
    arm.inverse_kinematics(np.empty((0, *POSE)), **options)  # tells wrong options now
    if start is not None:
        arrays.append(_start(arm, start, lead))
        core.append((arm.n,))
    task = BlockTask("inverse_kinematics", arm.inverse_kinematics, options)
    return applied(task, arrays, core, [((arm.n,), arm.dtype)], lead)[0]


def lazy_inverse_kinematics_all(
    arm: Arm, poses: Any, redundancy: Any, swivel: Any, out: object, **options: Any
) -> Branches:
    """Return all branches for poses, lazily; see `Arm.inverse_kinematics_all`."""
    refuse_out(out)
    name, spare = ("redundancy", redundancy) if swivel is None else ("swivel", swivel)
    if redundancy is not None and swivel is not None:
        raise InputError(NOT_BOTH, argument="swivel")
    arrays, core = [_poses(poses, "poses")], list[Shape]([POSE])
    lead, none = arrays[0].shape[:-2], np.empty((0, *POSE))
    if spare is None:
        empty = arm.inverse_kinematics_all(none, **options)
    else:
        nothing: Any = {name: np.empty(0)}
        empty = arm.inverse_kinematics_all(none, **nothing, **options)
        lazy = is_lazy(spare)
        given = checked_lazy(spare, name, SPARE) if lazy else checked_spare(spare, name)
        lead = check_lead(arrays[0], given, name)
        arrays.append(given)
        core.append(())
    B = empty.q.shape[-2]
    outputs = [((B, arm.n), arm.dtype), ((B,), np.bool_), ((B,), arm.dtype), ((), np.bool_)]
    task = BlockTask("inverse_kinematics_all", _Branches(arm, name), options)
    return Branches(*applied(task, arrays, core, outputs, lead))


class _Branches:
    """The branches of an arm as a tuple of arrays."""

    def __init__(self, arm: Arm, name: str) -> None:
        self.arm, self.name = arm, name

    def __call__(self, poses: Any, spare: Any = None, **options: Any) -> tuple[Any, ...]:
        given: Any = {self.name: spare}
        found = self.arm.inverse_kinematics_all(poses, **given, **options)
        return found.q, found.valid, found.margin, found.complete

    def __dask_tokenize__(self) -> object:
        return token_of(type(self).__name__, self.arm, self.name)


def _poses(value: Any, name: str) -> Any:
    if not is_lazy(value):
        return shaped_poses(name, value)
    checked_lazy(value, name, SEVERAL)
    check_shape(value.shape, name)
    return value


def _start(arm: Arm, value: Any, lead: Shape) -> Any:
    if not is_lazy(value):
        return checked_start(arm.robot.joints, value, lead=lead)
    shapes = (arm.n,), (*lead, arm.n)
    what = f"numbers of shape {' or '.join(map(str, dict.fromkeys(shapes)))}"
    checked_lazy(value, "start", what)
    if value.shape not in shapes:
        raise InputError(f"`start` has shape {value.shape}, expected {what}.", argument="start")
    return value
