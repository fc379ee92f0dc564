"""Springs that push joints back into their limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_per_joint
from armdyn.arm import Arm
from armdyn.simulation.forces._forces import Rule

Array = NDArray[np.float64]

# Frequency [Hz] at which a joint swings in its spring, and damping as a share of the critical.
FREQUENCY = 25.0
DAMPING = 0.5


def spring_constants(arm: Arm, q: Array, stiffness: object, damping: object) -> tuple[Array, Array]:
    """Return stiffness and damping of every joint's spring; for the arguments, see `simulate`."""
    inertia = np.diagonal(arm.mass_matrix(q), axis1=-2, axis2=-1).max(axis=0)
    w = 2 * np.pi * FREQUENCY
    k = inertia * w**2
    if stiffness is not None:
        k = checked_per_joint(stiffness, "stiffness", arm.n, least=0.0)
    d = 2 * DAMPING * np.sqrt(k * inertia)
    if damping is not None:
        d = checked_per_joint(damping, "damping", arm.n, least=0.0)
    return k, d


def spring(arm: Arm, q: Array, stiffness: object, damping: object) -> Rule:
    """Return the torques of the springs; for the arguments, see `simulate`."""
    joints = arm.robot.joints
    lower = np.array([joint.lower for joint in joints])
    upper = np.array([joint.upper for joint in joints])
    k, d = spring_constants(arm, q, stiffness, damping)

    def torque(t: float, q: Array, qd: Array) -> Array:
        beyond = np.minimum(q - lower, 0.0) + np.maximum(q - upper, 0.0)
        pushed = -k * beyond - d * qd
        # a spring pushes only; it does not pull a joint that leaves it
        return np.where(beyond > 0.0, np.minimum(pushed, 0.0), 0.0) + np.where(
            beyond < 0.0, np.maximum(pushed, 0.0), 0.0
        )

    return torque
