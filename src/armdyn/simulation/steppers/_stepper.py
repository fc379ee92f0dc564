"""What methods of integration by steps of fixed length have in common."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from armdyn.simulation._diagnostics import SHORTER, check_state
from armdyn.simulation._forces import Forces
from armdyn.simulation._plant import Plant
from armdyn.simulation.events._event import Event
from armdyn.simulation.events._stiction import StictionState

Array = NDArray[np.float64]


class Step(NamedTuple):
    """The state after a step; acceleration and drive torques before it, where they were needed."""

    q: Array
    qd: Array
    known: tuple[Array, Array] | None


class Stepper(Protocol):
    """A method of integration.

    Attributes:
        evaluations: of the dynamics so far.
        events: what happened to held joints.
    """

    evaluations: int
    events: list[Event]

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        ...

    def now(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return accelerations and drive torques."""
        ...


class Base:
    """What steppers share."""

    def __init__(self, plant: Plant, forces: Forces, h: float, holds: StictionState | None) -> None:
        """Begin.

        Args:
            plant: the arms.
            forces: what acts on them.
            h: the length of a step.
            holds: which joints are held; None if none ever is.
        """
        self.evaluations = 0
        self.events: list[Event] = []
        self._plant, self._forces, self._h, self._holds = plant, forces, h, holds

    def now(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return accelerations and drive torques."""
        force, driven = self._at(t, q, qd)
        return self._accelerations(q, qd, force), driven

    def _at(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        if not self._forces.is_constant:
            check_state(self._plant.arm, t, q, qd, SHORTER)
        return self._forces.at(t, q, qd)

    def _accelerations(self, q: Array, qd: Array, force: Array) -> Array:
        if self._holds:
            return self._holds.accelerations(q, qd, force)
        return self._plant.accelerations(q, qd, force, None)
