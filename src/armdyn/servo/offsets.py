"""Goal offsets: goals that make position servos reach where they should.

A servo hangs below its goal by the droop of gravity, and behind it by friction and lag. The offset
adds what is missing: q_cmd = q_des + droop(q_des) + friction to the side of the motion + lag qd.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array

# Desired speeds below this keep the last side [rad/s]: a fifth of a count per sample at 30 Hz.
SLOWEST = 0.01

# Where gravity is less than this times friction, a joint at rest gets half of the friction: it may
# rest anywhere in its band, and overshoots otherwise.
LIGHT = 1.0


@dataclass(eq=False)
class Offsets:
    """Goals of position servos from desired positions; remembers the side of the last motion.

    Attributes:
        arm: identified arm, whose gravity torques the offsets compensate.
        compliance: 1/k of every joint ``(n,)`` [rad/(N m)].
        load: friction per transmitted torque ``(n,)``.
        bias: of the servo error ``(n,)`` [rad].
        still, moving: half widths of the friction bands ``(n,)`` [rad].
        lag: between goal and position ``(n,)`` [s].
        effort: torque or duty per torque of the arm ``(n,)``: duty needs no scale of torques.
        effort_unit: "N m" or "duty".
        side: of the last desired motion, -1, 0 or 1 ``(n,)``.
    """

    arm: Arm
    compliance: Array
    load: Array
    bias: Array
    still: Array
    moving: Array
    lag: Array
    effort: Array
    effort_unit: str = "N m"
    side: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self.reset()

    def tables(self) -> dict[str, Array]:
        """Return the numbers of every joint by their names."""
        return {
            "compliance": self.compliance, "load": self.load, "bias": self.bias,
            "still": self.still, "moving": self.moving, "lag": self.lag, "effort": self.effort,
        }  # fmt: skip

    def reset(self) -> None:
        """Forget the last motion.

        Examples:
            >>> result.offsets.reset()
        """
        self.side = np.zeros(self.arm.n)

    def droop(self, q: ArrayLike) -> Array:
        """Return the middle of the band in which servo errors rest, ``(..., n)`` [rad].

        Args:
            q: positions ``(..., n)`` [rad].

        Returns:
            Droops ``(..., n)``.

        Raises:
            InputError: `q` has a wrong shape or is not finite.

        Examples:
            >>> result.offsets.droop(np.zeros(6)).shape
            (6,)
        """
        droop = self.compliance * self.arm.gravity(q)
        shift = np.abs(droop + self.still) - np.abs(droop - self.still)
        return droop + self.load * shift / 2.0 + self.bias

    def compensation(self, q: ArrayLike) -> Array:
        """Return what carries the arm at rest in torque or PWM mode, for guiding it by hand.

        Args:
            q: positions ``(..., n)`` [rad].

        Returns:
            Torques [N m], or duties from -1 to 1 where the servo's law is known, ``(..., n)``; see
            `effort_unit`.

        Raises:
            InputError: `q` has a wrong shape or is not finite.

        Examples:
            >>> result.offsets.compensation(np.zeros(6)).shape
            (6,)
        """
        return self.effort * self.arm.gravity(q)

    def __call__(self, q_des: ArrayLike, qd_des: ArrayLike) -> Array:
        """Return the goals ``(n,)`` for one desired position and speed ``(n,)``.

        Examples:
            >>> result.offsets(np.zeros(6), np.zeros(6)).shape
            (6,)
        """
        n = self.arm.n
        q = checked_array(q_des, "q_des", (n,), what=f"{n} finite numbers")
        qd = checked_array(qd_des, "qd_des", (n,), what=f"{n} finite numbers")
        moves = np.abs(qd) > SLOWEST
        self.side = np.where(moves, np.sign(qd), self.side)
        droop = self.droop(q)
        friction = self.moving + self.load * np.abs(droop + self.side * self.moving)
        light = ~moves & (np.abs(droop) < LIGHT * friction)
        friction = np.where(light, friction / 2.0, friction)
        return q + droop + self.side * friction + self.lag * qd
