"""`Stepper`: the base class of integration methods with fixed steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from armdyn.arrays import Array
from armdyn.graph.program import Program
from armdyn.simulation.events import SHORTER, Event, check_state
from armdyn.simulation.forces import Forces
from armdyn.simulation.plant import Plant, compiled
from armdyn.simulation.stiction import StictionState

# A step is compiled as a whole if all its stages together have at most this many instructions.
LONGEST_STEP_CODE = 12_000


class Step(NamedTuple):
    """The state after a step; acceleration and drive torques before it, if the step used them."""

    q: Array
    qd: Array
    known: tuple[Array, Array] | None


class System(NamedTuple):
    """What a stepper integrates.

    Attributes:
        plant: the arms.
        forces: the forces on them.
        h: the length of a step [s].
        holds: which joints are held; None if none ever is.
    """

    plant: Plant
    forces: Forces
    h: float
    holds: StictionState | None


class Stepper(ABC):
    """A family of methods; a subclass takes its coefficients.

    Attributes:
        evaluations: number of evaluations of the dynamics so far.
        events: events of held joints.
    """

    def __init__(self, system: System) -> None:
        """Begin."""
        self.evaluations = 0
        self.events: list[Event] = []
        self._plant, self._forces, self._h, self._holds = system

    @abstractmethod
    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""

    def now(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return accelerations and drive torques."""
        force, driven = self._at(t, q, qd)
        return self._accelerations(q, qd, force), driven

    def _at(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the torques on the joints, and those of the drives; refuse an unstable state."""
        if not self._forces.is_constant:
            check_state(self._plant.arm, t, q, qd, SHORTER)
        return self._forces.at(t, q, qd)

    def _accelerations(self, q: Array, qd: Array, force: Array) -> Array:
        if self._holds:
            return self._holds.accelerations(q, qd, force)
        return self._plant.accelerations(q, qd, force, None)

    def _settled(self, t: float, q: Array, qd: Array, force: Array) -> tuple[list[Event], Array]:
        """Release joints whose holds are overcome; return the events, and the accelerations."""
        if self._holds:
            return self._holds.settle(t, q, qd, force)
        return [], self._plant.accelerations(q, qd, force, None)

    def _arrested(self, t: float, q: Array, qd: Array) -> list[Event]:
        """Hold joints that came to rest or to a stop; changes q and qd in place."""
        return self._holds.arrest(t, q, qd) if self._holds else []


class CompiledStepper(Stepper):
    """A stepper whose whole step is one program, where that is possible."""

    @cached_property
    @abstractmethod
    def _program(self) -> Program | None:
        """The whole step, if it can be one program."""

    @cached_property
    def _kernel(self) -> Any:
        # cached: looking it up by its program takes longer than a step
        return compiled(self._program) if self._program else None

    @cached_property
    def _constants(self) -> list[Array]:
        return self._plant.constants_of(self._program) if self._program else []

    def _compiled(self, *states: Array, constants: list[Array] | None = None) -> Any:
        """Return the results of the program for states; `constants` of some of the arms."""
        own = self._constants if constants is None else constants
        with np.errstate(all="ignore"):
            return self._kernel(*states, np.array([self._h]), *own)
