"""`Arm.inverse_kinematics`: the closed form or a search from many starts; the nearest of all."""

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
from armdyn.arm.kinematics._damped_least_squares import Reach, approach, middle
from armdyn.arm.kinematics._poses import checked_pose, shaped_poses
from armdyn.errors import InputError, UnreachedError
from armdyn.robot import Joint

if TYPE_CHECKING:
    from armdyn.arm._arm import Arm
    from armdyn.arm.kinematics._branch_solver import BranchSolver

Array = NDArray[np.float64]

METHODS = ("auto", "damped_least_squares")

# Closed forms are exact to this; a smaller tolerance needs steps of the search as well.
LEAST_ERROR = 1e-9

# Starts that are tried at once.
AT_ONCE = 32

# A larger number of random starts is taken to be a mistake.
MOST_RESTARTS = 1_000_000


def inverse_kinematics(
    arm: Arm,
    solver: BranchSolver | None,
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
    """Return joint positions ``(..., n)`` for poses; see `Arm.inverse_kinematics`.

    `solver` is the closed form of the arm, if it has one.
    """
    checked_choice(method, "method", METHODS, what="method of inverse_kinematics")
    targets = shaped_poses("pose", pose)
    lead = targets.shape[:-2]
    if out is not None:
        checked_out(out, "`out`", (*lead, arm.n))
    limit = checked_positive(tolerance, "tolerance")
    tries = checked_whole(restarts, "restarts", 0, MOST_RESTARTS)
    seed = checked_seed(seed)
    joints = arm.robot.joints
    if start is None:
        first = middle(*limits_of(joints))
    else:
        first = checked_start(joints, start, lead=lead)
    if solver is not None and method == "auto":
        q, reached = solver.nearest(targets, first, "pose")
        if limit < LEAST_ERROR:  # the search makes it more exact
            first, reached = q, np.zeros(lead, dtype=bool)
    else:
        q, reached = np.empty((*lead, arm.n)), np.zeros(lead, dtype=bool)
    if not reached.all():
        reach = reach_of(arm, frame)
        starts = np.broadcast_to(first, (*lead, arm.n))
        for at in map(tuple, np.argwhere(~reached)):
            name = f"pose[{', '.join(str(int(k)) for k in at)}]" if at else ""
            target = checked_pose("pose", targets[at], shown_as=name)
            rng = np.random.default_rng(seed)
            q[at] = _searched(reach, target, starts[at], limit, reach.random(tries, rng), name)
    if out is None:
        return q
    out[...] = q
    return out


def _searched(
    reach: Reach, target: Array, first: Array, tolerance: float, others: Array, name: str
) -> Array:
    """Return the nearest positions to a start that a search from it and other starts finds."""
    starts = np.vstack([first, others])
    best = (np.inf, first, np.inf, np.inf)
    for k in range(0, len(starts), AT_ONCE):
        found = approach(reach, target, starts[k : k + AT_ONCE], tolerance)
        good = found.within(tolerance)
        if good.any():
            turned = reach.nearest_turn(found.q[good], first)
            return turned[int(np.argmin(np.linalg.norm(turned - first, axis=1)))]
        i = found.best()
        off = (float(found.position[i]), float(found.rotation[i]))
        if sum(off) < best[0]:
            best = (sum(off), reach.nearest_turn(found.q[i], first), *off)
    raise UnreachedError(len(starts), *best[1:], where=f" `{name}`" if name else "")


def limits_of(joints: Sequence[Joint]) -> tuple[Array, Array]:
    """Return the lower and the upper limits of joints."""
    return np.array([j.lower for j in joints]), np.array([j.upper for j in joints])


def reach_of(arm: Arm, frame: str | int = "tip") -> Reach:
    """Return the data of an arm that the search needs."""
    pose, jacobian = (arm.function(quantity, frame=frame) for quantity in ("pose", "jacobian"))
    joints = arm.robot.joints
    return Reach(
        lambda q: np.asarray(pose(q)),
        lambda q: np.asarray(jacobian(q)),
        *limits_of(joints),
        np.array([joint.is_revolute for joint in joints]),
    )


def checked_start(
    joints: Sequence[Joint],
    value: ArrayLike,
    name: str = "start",
    lead: tuple[int, ...] = (),
) -> Array:
    """Return a position ``(n,)``, or one for each of many ``(*lead, n)``, within joint limits."""
    n = len(joints)
    shapes = ((n,), (*lead, n)) if lead else ((n,),)
    several = f", or of shape {(*lead, n)}" if lead else ""
    q = checked_array(value, name, *shapes, what=f"{n} finite numbers{several}")
    lower, upper = limits_of(joints)
    outside = (q < lower) | (q > upper)
    if outside.any():
        at = tuple(np.argwhere(outside)[0])
        joint = joints[int(at[-1])]
        raise InputError(
            f"`{name}` has {joint.name} at {q[at]:g}, outside its limits {joint.lower:g} to "
            f"{joint.upper:g}.",
            argument=name,
        )
    return q
