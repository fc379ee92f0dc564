"""Straight-line motion of the tip at constant speed and orientation, for arms of six joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.errors import NumericalError

Array = NDArray[np.float64]

ITERATIONS = 20
ENOUGH = 1e-13  # of a correction of joint positions [rad]


@dataclass(frozen=True)
class State:
    """Positions, velocities and accelerations of the joints."""

    q: Array
    qd: Array
    qdd: Array


class SteadyLine:
    """Joint states of the motion at any time, accurate to rounding, by Newton's method.

    Attributes:
        instants: states at 0, `interval`, 2 `interval`, ...
    """

    def __init__(self, arm: Arm, start: Array, velocity: Array, interval: float, n: int) -> None:
        """Follow the line.

        Args:
            arm: the arm.
            start: first joint positions; they determine the line and the orientation of the tip.
            velocity: of the tip ``(3,)`` [m/s].
            interval: time between two instants [s].
            n: number of intervals.
        """
        self._pose, self._jacobian, self._derivative = (
            arm.function(quantity) for quantity in ("pose", "jacobian", "jacobian_derivative")
        )
        self._first = cast(Array, self._pose(start))
        self._twist = np.concatenate([velocity, np.zeros(3)])
        self._interval = interval
        self.instants = [self._state(0.0, start)]
        for k in range(1, n + 1):
            self.instants.append(self._state(k * interval, self.instants[-1].q))

    def at(self, t: float) -> State:
        """Return the joint states at a time."""
        nearest = min(round(t / self._interval), len(self.instants) - 1)
        return self._state(t, self.instants[nearest].q)

    def _state(self, t: float, near: Array) -> State:
        q = self._reached(t, near)
        J = cast(Array, self._jacobian(q))
        qd = _solved(J, self._twist)
        dJ = cast(Array, self._derivative(q, qd))
        return State(q, qd, _solved(J, -dJ @ qd))

    def _reached(self, t: float, q: Array) -> Array:
        wanted = self._first[:3, 3] + t * self._twist[:3]
        for _ in range(ITERATIONS):
            T = cast(Array, self._pose(q))
            E = self._first[:3, :3] @ T[:3, :3].T
            turn = np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / 2
            lack = np.concatenate([wanted - T[:3, 3], turn])
            step = _solved(cast(Array, self._jacobian(q)), lack)
            q = q + step
            if np.abs(step).max() < ENOUGH:
                return q
        raise NumericalError(f"the arm cannot follow the line any further at t = {t:g} s.")


def _solved(J: Array, x: Array) -> Array:
    return np.asarray(np.linalg.solve(J, x), dtype=np.float64)
