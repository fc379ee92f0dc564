"""The limits of a motion: from the user, from the robot, or by default."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array
from armdyn.errors import InputError
from armdyn.motion.trajectory import LEAST, check_positions, checked_limits

# Defaults where neither the robot nor the user gives a limit: moderate speeds of revolute [rad/s]
# and prismatic [m/s] joints, and the time [s] in which a joint may reach its speed.
TURNING_SPEED, SLIDING_SPEED, TIME_TO_SPEED = 1.5, 0.25, 0.25


@dataclass(frozen=True)
class Limits:
    """Limits of every joint, ``(n,)`` each.

    Attributes:
        lower: lowest position.
        upper: highest position.
        velocity: largest speed.
        acceleration: largest acceleration.
        torque: largest torque or force; infinite if there is no limit.
        notes: what was assumed, a sentence each.
    """

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    torque: Array
    notes: tuple[str, ...]

    @property
    def ranges(self) -> dict[str, tuple[Array, Array]]:
        """Middle and half of the range of every limited quantity, ``(n,)`` each, by name."""
        middle, half = (self.lower + self.upper) / 2, (self.upper - self.lower) / 2
        names = ("velocity", "acceleration", "torque")
        return {"position": (middle, half)} | {x: (0.0 * half, getattr(self, x)) for x in names}

    def within(self, share: float, speed: float = 1.0) -> Limits:
        """Return limits scaled by a share; positions are scaled about the middle of the range.

        Args:
            share: of all limits.
            speed: share of the limits of velocity and acceleration, in addition.
        """
        middle, half = (self.lower + self.upper) / 2, share * (self.upper - self.lower) / 2
        v, a = speed * share * self.velocity, speed * share * self.acceleration
        return Limits(middle - half, middle + half, v, a, share * self.torque, self.notes)

    def random_states(self, count: int) -> Array:
        """Return uniformly distributed q, qd, qdd within the limits, ``(3, count, n)``."""
        rng, v, a = np.random.default_rng(0), self.velocity, self.acceleration
        bounds = ((self.lower, self.upper), (-v, v), (-a, a))
        return np.stack([rng.uniform(low, high, (count, len(v))) for low, high in bounds])


def limits_of(
    arm: Arm, position: object, velocity: object, acceleration: object, torque: object
) -> Limits:
    """Return the limits to keep.

    Args:
        arm: the arm; its own limits are the defaults.
        position: lowest and highest, ``(2,)`` or ``(n, 2)``, or None.
        velocity: largest, for all joints or one each, or None.
        acceleration: largest, for all joints or one each, or None.
        torque: largest, for all joints or one each, or None.
    """
    joints, notes = arm.robot.joints, list[str]()
    turns = np.array([joint.is_revolute for joint in joints])
    lower, upper = _positions(arm, position, turns, notes)
    v = np.array([joint.velocity for joint in joints])
    if velocity is not None:
        v = checked_limits(velocity, "velocity", arm.n, infinite=False)
    missing = ~np.isfinite(v)
    if missing.any():
        v = np.where(missing, np.where(turns, TURNING_SPEED, SLIDING_SPEED), v)
        units = np.where(turns, "rad/s", "m/s")
        speeds = sorted({f"{v[j]:g} {units[j]}" for j in np.flatnonzero(missing)})
        notes.append(
            f"the robot has no limit of velocity for {_listed(arm, missing)}: "
            f"{' and '.join(speeds)} taken; give `velocity` for others."
        )
    a = v / TIME_TO_SPEED
    if acceleration is not None:
        a = checked_limits(acceleration, "acceleration", arm.n, infinite=False)
    else:
        notes.append(
            "robot files have no limits of acceleration: full speed in "
            f"{TIME_TO_SPEED:g} s taken; give `acceleration` for others."
        )
    tau = np.array([joint.effort for joint in joints])
    if torque is not None:
        tau = checked_limits(torque, "torque", arm.n)
    elif not np.isfinite(tau).all():
        which = _listed(arm, ~np.isfinite(tau))
        notes.append(f"the robot has no limit of torque for {which}: none kept; give `torque`.")
    return Limits(lower, upper, v, a, tau, tuple(notes))


def _positions(
    arm: Arm, position: object, turns: NDArray[np.bool_], notes: list[str]
) -> tuple[Array, Array]:
    own = np.array([[joint.lower, joint.upper] for joint in arm.robot.joints])
    if position is not None:
        what = f"the lowest and the highest position, (2,) for all joints or ({arm.n}, 2) for each"
        pairs = checked_array(position, "position", (2,), (arm.n, 2), what=what)
        check_positions(pairs, "position")
        low, high = np.broadcast_to(pairs, (arm.n, 2)).T.copy()
        if (high - low < LEAST).any():
            j = int(np.argmin(high - low))
            raise InputError(
                f"`position` of {arm.joint_names[j]} is from {low[j]:g} to {high[j]:g}; the lower "
                f"one must be the smaller one, by {LEAST:g} or more.",
                argument="position",
            )
        wider = (low < own[:, 0]) | (high > own[:, 1])
        if wider.any():
            which = _listed(arm, wider)
            notes.append(f"`position` is beyond the robot's own limits of {which}: as asked for.")
        return low, high
    endless = ~(np.isfinite(own[:, 0]) & np.isfinite(own[:, 1]))
    if (endless & ~turns).any():
        raise InputError(
            f"the robot has no limits of position for {_listed(arm, endless & ~turns)}, which "
            "slide: give `position`, the lowest and the highest of every joint.",
            argument="position",
        )
    if endless.any():
        notes.append(
            f"{_listed(arm, endless)} turn without limits: half a turn either way taken; give "
            "`position` for others."
        )
    # a joint with one limit may make one turn on the free side of it
    low, high = own.T
    low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - np.pi, 0) - np.pi)
    return low, np.where(np.isfinite(high), high, low + 2 * np.pi)


def _listed(arm: Arm, which: NDArray[np.bool_]) -> str:
    if which.all():
        return "all joints"
    return ", ".join(name for name, k in zip(arm.joint_names, which, strict=True) if k)
