"""Joints that follow the handle at the tip."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm, rotation_vectors
from armdyn.errors import ArmdynError

Array = NDArray[np.float64]

# A hand moves the tip in small steps: joints that jump farther [rad or m] are on another branch.
JUMP = 0.6
# Exactness of the tip [m, rad]: finer than a pixel.
NEAR = 1e-6
ROUNDS = 25
# Damping, as a share of the squared reach, and the longest step of a joint [rad or m].
DAMPING, LONGEST = 1e-4, 0.3
# How much a turn of the tip counts, as a share of the reach.
STIFF = 0.12
# Fewer joints cannot keep the direction of the tip.
ENOUGH = 6


def followed(arm: Arm, q: Array, goal: Array, size: float) -> Array:
    """Return positions that bring the tip to a pose, or as near as small steps lead.

    Args:
        arm: the arm.
        q: where its joints are.
        goal: the pose, ``(4, 4)``.
        size: reach of the arm [m].
    """
    joints = arm.robot.joints
    lower, upper = (np.array([getattr(j, end) for j in joints]) for end in ("lower", "upper"))
    start = np.clip(q, lower, upper)
    if arm.n >= ENOUGH:
        try:
            found = arm.inverse_kinematics(goal, start, tolerance=NEAR, restarts=0)
        except ArmdynError:
            found = None
        if found is not None and float(np.abs(found - q).max()) < JUMP:
            return found
    stiffness = STIFF * size if arm.n >= ENOUGH else 0.0
    return _steps(arm, start, goal, (lower, upper), stiffness, size)


def _steps(
    arm: Arm, q: Array, goal: Array, limits: tuple[Array, Array], stiffness: float, size: float
) -> Array:
    """Return positions after steps of damped least squares; joints at a limit stay there."""
    best, least = q, np.inf
    damping = DAMPING
    weight = np.array([1.0] * 3 + [stiffness] * 3)
    rows = 6 if stiffness else 3
    for _ in range(ROUNDS):
        T = arm.pose(q)
        turn = rotation_vectors((goal[:3, :3] @ T[:3, :3].T)[None])[0]
        error = (np.concatenate([goal[:3, 3] - T[:3, 3], turn]) * weight)[:rows]
        off = float(np.linalg.norm(error))
        if off < least:
            best, least, damping = q, off, max(damping / 3.0, 1e-9)
        else:
            q, damping = best, damping * 10.0
        if off < NEAR or damping > 1.0:
            break
        J = (arm.jacobian(q) * weight[:, None])[:rows]
        free = np.ones(arm.n)
        step = np.zeros(arm.n)
        for _ in range(arm.n):
            held = J * free
            A = held @ held.T + damping * size**2 * np.eye(rows)
            step = free * (J.T @ np.linalg.solve(A, error))
            stuck = (free > 0.0) & (
                ((q + step < limits[0]) & (step < 0.0)) | ((q + step > limits[1]) & (step > 0.0))
            )
            if not stuck.any():
                break
            free[stuck] = 0.0
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        q = np.clip(q + step, *limits)
    return best
