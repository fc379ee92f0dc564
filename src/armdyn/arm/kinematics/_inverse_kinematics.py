"""`Arm.inverse_kinematics`: check the arguments, search from many starts, return the nearest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import (
    checked_array,
    checked_choice,
    checked_positive,
    checked_seed,
    checked_whole,
)
from armdyn.arm._arguments import checked_out
from armdyn.arm.kinematics._damped_least_squares import Reach, approach
from armdyn.arm.kinematics._poses import checked_pose
from armdyn.errors import InputError, UnreachedError
from armdyn.robot import Joint

if TYPE_CHECKING:
    from armdyn.arm._arm import Arm

Array = NDArray[np.float64]

METHODS = ("auto", "damped_least_squares")

# Starts that are tried at once.
AT_ONCE = 32

# A larger number of random starts is taken to be a mistake.
MOST_RESTARTS = 1_000_000


def inverse_kinematics(
    arm: Arm,
    pose: ArrayLike,
    start: ArrayLike | None,
    frame: str | int,
    tolerance: float,
    restarts: int,
    seed: int,
    *,
    method: str,
    out: Array | None,
) -> Array:
    """Return joint positions ``(n,)`` for a pose; see `Arm.inverse_kinematics`."""
    checked_choice(method, "method", METHODS, what="method of inverse_kinematics")
    if out is not None:
        checked_out(out, "`out`", (arm.n,))
    reach = reach_of(arm, frame)
    target = checked_pose("pose", pose)
    first = reach.middle() if start is None else checked_start(arm.robot.joints, start)
    limit = checked_positive(tolerance, "tolerance")
    tries = checked_whole(restarts, "restarts", 0, MOST_RESTARTS)
    rng = np.random.default_rng(checked_seed(seed))
    starts = np.vstack([first, reach.random(tries, rng)])
    nearest, best = None, (np.inf, first, np.inf, np.inf)
    for k in range(0, len(starts), AT_ONCE):
        found = approach(reach, target, starts[k : k + AT_ONCE], limit)
        good = found.within(limit)
        if good.any():
            turned = reach.nearest_turn(found.q[good], first)
            nearest = turned[int(np.argmin(np.linalg.norm(turned - first, axis=1)))]
            break
        i = found.best()
        off = (float(found.position[i]), float(found.rotation[i]))
        if sum(off) < best[0]:
            best = (sum(off), reach.nearest_turn(found.q[i], first), *off)
    if nearest is None:
        raise UnreachedError(len(starts), *best[1:])
    if out is None:
        return nearest
    out[...] = nearest
    return out


def reach_of(arm: Arm, frame: str | int = "tip") -> Reach:
    """Return the data of an arm that the search needs."""
    pose, jacobian = (arm.function(quantity, frame=frame) for quantity in ("pose", "jacobian"))
    joints = arm.robot.joints
    return Reach(
        lambda q: np.asarray(pose(q)),
        lambda q: np.asarray(jacobian(q)),
        np.array([joint.lower for joint in joints]),
        np.array([joint.upper for joint in joints]),
        np.array([joint.is_revolute for joint in joints]),
    )


def checked_start(joints: Sequence[Joint], value: ArrayLike, name: str = "start") -> Array:
    """Return a position ``(n,)`` within the limits of the joints."""
    n = len(joints)
    q = checked_array(value, name, (n,), what=f"{n} finite numbers")
    for joint, x in zip(joints, q.tolist(), strict=True):
        if not joint.lower <= x <= joint.upper:
            raise InputError(
                f"`{name}` has {joint.name} at {x:g}, outside its limits {joint.lower:g} to "
                f"{joint.upper:g}.",
                argument=name,
            )
    return q
