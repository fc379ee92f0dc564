"""The limits within which a path is followed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import checked_array
from armdyn.arm import Arm
from armdyn.errors import InputError
from armdyn.motion._magnitudes import check_limits, check_positions, checked_limits
from armdyn.motion.timing._rows import Drives
from armdyn.robot.friction import FRICTION_TERMS, coefficients

Array = NDArray[np.float64]

# Terms of friction that rows have exactly; others are taken at the speed of the last pass.
EXACT = ("viscous", "coulomb", "offset", "load_friction")


@dataclass(frozen=True)
class Limits:
    """Limits of each joint, ``(n,)``, infinite where there is none.

    Attributes:
        velocity: largest speed.
        acceleration: largest acceleration.
        effort: largest torque or force at rest.
        loss: by how much it falls per speed.
    """

    velocity: Array
    acceleration: Array
    effort: Array
    loss: Array

    def drives(self, arm: Arm, friction: bool) -> Drives:
        """Return the form of the rows of an arm."""
        joints = arm.robot.joints
        return Drives(
            effort=tuple(bool(x) for x in np.isfinite(self.effort)),
            acceleration=tuple(bool(x) for x in np.isfinite(self.acceleration)),
            viscous=tuple(joint.viscous if friction else 0.0 for joint in joints),
            loss=tuple(float(x) for x in self.loss),
            share=tuple(joint.load_friction if friction else 0.0 for joint in joints),
            rotor=tuple(joint.rotor_inertia for joint in joints),
        )


def is_exact(arm: Arm) -> bool:
    """Return whether rows have all friction of an arm exactly."""
    others = [k for k, name in enumerate(FRICTION_TERMS) if name not in EXACT]
    return not any(coefficients(joint)[k] for joint in arm.robot.joints for k in others)


def limits_of(
    arm: Arm,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    effort: ArrayLike | None,
) -> Limits:
    """Return the limits, the robot's where none are given."""
    joints, n = arm.robot.joints, arm.n
    own = {"velocity": [j.velocity for j in joints], "effort": [j.effort for j in joints]}
    v, a = (
        checked_limits(value, name, n)
        for value, name in (
            (own["velocity"] if velocity is None else velocity, "velocity"),
            (np.inf if acceleration is None else acceleration, "acceleration"),
        )
    )
    most, loss = _effort(own["effort"] if effort is None else effort, n)
    if not (np.isfinite(most).any() or np.isfinite(a).any()):
        raise InputError(
            f"the robot {arm.name!r} has no limits of effort: give `effort` or `acceleration`.",
            argument="effort",
        )
    return Limits(v, a, most, loss)


def _effort(value: ArrayLike, n: int) -> tuple[Array, Array]:
    what = f"positive numbers: one, one a joint, or ({n}, 2) with the loss of effort per speed"
    array = checked_array(value, "effort", (), (n,), (n, 2), finite=False, what=what)
    pairs = array if array.ndim == 2 else np.stack([*np.broadcast_arrays(array, 0.0)], axis=-1)
    most, loss = (np.broadcast_to(pairs[..., k], (n,)).copy() for k in (0, 1))
    if not (most > 0.0).all() or not (np.isfinite(loss) & (loss >= 0.0)).all():
        raise InputError(f"`effort` is not {what}.", argument="effort")
    check_limits(most, "effort")
    check_positions(loss, "effort")
    return most, loss
