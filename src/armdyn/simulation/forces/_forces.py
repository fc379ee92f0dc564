"""Forces on the arm other than gravity and friction: drives, a wrench at the tip, springs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.simulation.forces._quantity import Quantity

Array = NDArray[np.float64]
Rule = Callable[[float, Array, Array], Array]
"""A torque as a function of time and state; states are rows ``(B, n)``."""


class Forces:
    """All forces on the joints other than gravity and friction."""

    def __init__(
        self, arm: Arm, drive: Quantity, wrench: Quantity, spring: Rule | None = None
    ) -> None:
        self.drive = drive
        self._arm, self._wrench, self._spring = arm, wrench, spring

    @property
    def is_constant(self) -> bool:
        """Whether the drive torques are constant during a step, and nothing else acts."""
        plain = self._wrench.is_zero and self._spring is None
        return plain and (self.drive.constant is not None or self.drive.period is not None)

    @property
    def is_function(self) -> bool:
        """Whether Python code computes a part of the forces, for all arms at once."""
        return self.drive.is_function or self._wrench.is_function

    @property
    def is_passive(self) -> bool:
        """Whether no force can add energy to the arm."""
        return self.drive.is_zero and self._wrench.is_zero

    def sample(self, t: float, q: Array, qd: Array) -> None:
        """Let a controller sample if it is time."""
        self.drive.sample(t, q, qd)

    def longest_step(self, t: float) -> float:
        """Return the longest step from time t that skips no value of a table."""
        return min(self.drive.longest_step(t), self._wrench.longest_step(t))

    def part(self, i: int, j: int) -> Forces:
        """Return the forces on arms i to j, without j."""
        return Forces(self._arm, self.drive.part(i, j), self._wrench.part(i, j), self._spring)

    def of_arm(self, k: int) -> Forces:
        """Return the forces on one arm of a batch, to simulate it alone."""
        return Forces(self._arm, self.drive.of_arm(k), self._wrench.of_arm(k), self._spring)

    def at(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the torques on the joints ``(B, n)``, and the part of the drives."""
        driven = self.drive.at(t, q, qd)
        total = driven
        if not self._wrench.is_zero:
            J = self._arm.jacobian(q)
            wrench = np.broadcast_to(self._wrench.at(t, q, qd), (len(q), 6))
            total = total + np.einsum("bij,bi->bj", J, wrench)
        if self._spring is not None:
            total = total + self._spring(t, q, qd)
        return np.broadcast_to(total, q.shape), driven
