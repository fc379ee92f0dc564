"""Inverse kinematics of Dask arrays of poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.arm._arguments import is_lazy
from armdyn.arm.kinematics._branches import Branches, check_lead, checked_redundancy
from armdyn.arm.kinematics._inverse_kinematics import checked_start
from armdyn.arm.kinematics._poses import SEVERAL, check_shape, shaped_poses
from armdyn.arm.lazy._arrays import applied, checked_lazy, refuse_out
from armdyn.arm.lazy._task import BlockTask, token_of
from armdyn.errors import InputError

if TYPE_CHECKING:
    from armdyn.arm._arm import Arm

Shape = tuple[int, ...]

POSE = (4, 4)


def lazy_inverse_kinematics(arm: Arm, pose: Any, start: Any, out: object, **options: Any) -> Any:
    """Return joint positions ``(..., n)`` for poses, lazily; see `Arm.inverse_kinematics`."""
    refuse_out(out)
    arrays, core = [_poses(pose, "pose")], list[Shape]([POSE])
    lead = arrays[0].shape[:-2]
    arm.inverse_kinematics(np.empty((0, *POSE)), **options)  # tells wrong options now
    if start is not None:
        arrays.append(_start(arm, start, lead))
        core.append((arm.n,))
    task = BlockTask("inverse_kinematics", arm.inverse_kinematics, options)
    return applied(task, arrays, core, [((arm.n,), np.float64)], lead)[0]


def lazy_inverse_kinematics_all(arm: Arm, poses: Any, redundancy: Any, **options: Any) -> Branches:
    """Return all branches for poses, lazily; see `Arm.inverse_kinematics_all`."""
    arrays, core = [_poses(poses, "poses")], list[Shape]([POSE])
    lead, none = arrays[0].shape[:-2], np.empty((0, *POSE))
    if redundancy is None:
        empty = arm.inverse_kinematics_all(none, **options)
    else:
        empty = arm.inverse_kinematics_all(none, redundancy=np.empty(0), **options)
        what = "positions of a joint"
        given = (
            checked_lazy(redundancy, "redundancy", what)
            if is_lazy(redundancy)
            else checked_redundancy(redundancy)
        )
        lead = check_lead(arrays[0], given)
        arrays.append(given)
        core.append(())
    B = empty.q.shape[-2]
    outputs = [((B, arm.n), np.float64), ((B,), np.bool_), ((B,), np.float64)]
    task = BlockTask("inverse_kinematics_all", _Branches(arm), options)
    return Branches(*applied(task, arrays, core, outputs, lead))


class _Branches:
    """The branches of an arm as a tuple of arrays."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm

    def __call__(self, poses: Any, redundancy: Any = None, **options: Any) -> tuple[Any, ...]:
        found = self.arm.inverse_kinematics_all(poses, redundancy=redundancy, **options)
        return found.q, found.valid, found.margin

    def __dask_tokenize__(self) -> object:
        return token_of(type(self).__name__, self.arm)


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
