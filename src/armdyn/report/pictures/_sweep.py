"""Inertia and gravity while two joints are swept over their ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm

Array = NDArray[np.float64]

# Positions of each of the two joints.
STEPS = 61
# Range of a joint without limits: a whole turn, or this far [m].
TURN, SLIDE = np.pi, 1.0
# Positions of a joint at which its effect is evaluated, to choose the two joints.
LOOKS = 24


@dataclass(frozen=True, eq=False)
class Sweep:
    """Mass matrix and gravity while two joints move and the others stay.

    Attributes:
        joints: the two joints, from 0; twice the same if the arm has only one.
        first: positions of the first, ``(STEPS,)``.
        second: of the second.
        inertia: mass matrices, ``(STEPS, STEPS, n, n)``, the second joint's position first.
        gravity: torques that hold the arm, ``(STEPS, STEPS, n)``.
    """

    joints: tuple[int, int]
    first: Array
    second: Array
    inertia: Array
    gravity: Array


def sweep(arm: Arm, q: Array) -> Sweep:
    """Sweep the two joints whose motion changes inertia and gravity most."""
    a, b = _joints(arm, q)
    first, second = _range(arm, a, STEPS), _range(arm, b, STEPS)
    states = np.broadcast_to(q, (STEPS, STEPS, arm.n)).copy()
    states[:, :, b] = second[:, None]
    states[:, :, a] = first[None, :]
    return Sweep((a, b), first, second, arm.mass_matrix(states), arm.gravity(states))


def _joints(arm: Arm, q: Array) -> tuple[int, int]:
    """Return the joints with the largest effect, in the order of the arm."""
    if arm.n == 1:
        return 0, 0
    rng = np.random.default_rng(0)
    ranges = np.array([_range(arm, j, LOOKS) for j in range(arm.n)])
    others = rng.permuted(ranges, axis=1).T  # (LOOKS, n): the other joints anywhere
    changes = np.zeros(arm.n)
    inertia_size = np.abs(arm.mass_matrix(others)).max()
    weight_size = np.abs(arm.gravity(others)).max() or 1.0
    for j in range(arm.n):
        states = np.repeat(others[:, None, :], LOOKS, axis=1)
        states[:, :, j] = ranges[j]
        diagonal = np.diagonal(arm.mass_matrix(states), axis1=-2, axis2=-1)
        changes[j] = np.ptp(diagonal, axis=1).mean(axis=0).sum() / inertia_size
        changes[j] += np.ptp(arm.gravity(states), axis=1).mean(axis=0).sum() / weight_size
    a, b = sorted(int(j) for j in np.argsort(changes)[-2:])
    return a, b


def _range(arm: Arm, j: int, steps: int) -> Array:
    joint = arm.robot.joints[j]
    far = TURN if joint.is_revolute else SLIDE
    low = joint.lower if np.isfinite(joint.lower) else min(-far, joint.upper - far)
    high = joint.upper if np.isfinite(joint.upper) else max(far, low + far)
    if joint.is_revolute and high - low > 2.0 * TURN:  # one turn tells all
        middle = float(np.clip(0.0, low + TURN, high - TURN))
        low, high = middle - TURN, middle + TURN
    return np.linspace(low, high, steps)
