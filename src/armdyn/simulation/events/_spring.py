"""Springs that push joints back into their limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.errors import InputError, shown
from armdyn.simulation._forces import Rule

Array = NDArray[np.float64]

# How fast a joint swings in its spring [Hz], and its damping as a share of the critical.
FREQUENCY = 25.0
DAMPING = 0.5


def spring(arm: Arm, q: Array, stiffness: object, damping: object) -> Rule:
    """Return the torques of the springs; arguments as of `simulate`."""
    joints = arm.robot.joints
    lower = np.array([joint.lower for joint in joints])
    upper = np.array([joint.upper for joint in joints])
    inertia = np.diagonal(arm.mass_matrix(q), axis1=-2, axis2=-1).max(axis=0)
    w = 2 * np.pi * FREQUENCY
    k = inertia * w**2 if stiffness is None else _numbers("stiffness", stiffness, arm.n)
    d = (
        2 * DAMPING * np.sqrt(k * inertia)
        if damping is None
        else _numbers("damping", damping, arm.n)
    )

    def torque(t: float, q: Array, qd: Array) -> Array:
        beyond = np.minimum(q - lower, 0.0) + np.maximum(q - upper, 0.0)
        pushed = -k * beyond - d * qd
        # a spring pushes, it does not pull what leaves it
        return np.where(beyond > 0.0, np.minimum(pushed, 0.0), 0.0) + np.where(
            beyond < 0.0, np.maximum(pushed, 0.0), 0.0
        )

    return torque


def _numbers(name: str, value: object, n: int) -> Array:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if array.shape not in ((), (n,)) or not ((array >= 0.0) & (array < np.inf)).all():
        raise InputError(
            f"`{name}` is {shown(value)}, expected a number from 0 or {n} of them, one a joint."
        )
    return array
