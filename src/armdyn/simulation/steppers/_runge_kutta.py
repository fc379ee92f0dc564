"""The classical method of Runge and Kutta: stage by stage, or a whole step in one program."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.graph import Program
from armdyn.simulation._forces import Forces
from armdyn.simulation._plant import Plant, compiled
from armdyn.simulation.events._stiction import StictionState
from armdyn.simulation.steppers._stepper import Base, Step

Array = NDArray[np.float64]


class RungeKutta(Base):
    """The method stage by stage, for all forces."""

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        force, driven = self._at(t, q, qd)
        if self._holds:
            events, a1 = self._holds.settle(t, q, qd, force)
            self.events += events
        else:
            a1 = self._accelerations(q, qd, force)
        q_after, qd_after = self.after(t, q, qd, a1)
        if self._holds:
            self.events += self._holds.arrest(t + self._h, q_after, qd_after)
        return Step(q_after, qd_after, (a1, driven))

    def after(self, t: float, q: Array, qd: Array, a1: Array) -> tuple[Array, Array]:
        """Return the state a step later by the acceleration now, before joints are arrested."""
        h, half = self._h, self._h / 2
        v2 = qd + half * a1
        a2 = self._stage(t + half, q + half * qd, v2)
        v3 = qd + half * a2
        a3 = self._stage(t + half, q + half * v2, v3)
        v4 = qd + h * a3
        a4 = self._stage(t + h, q + h * v3, v4)
        self.evaluations += 4
        q_after = q + (h / 6) * (qd + 2 * (v2 + v3) + v4)
        return q_after, qd + (h / 6) * (a1 + 2 * (a2 + a3) + a4)

    def _stage(self, t: float, q: Array, qd: Array) -> Array:
        return self._accelerations(q, qd, self._at(t, q, qd)[0])


class FusedRungeKutta(Base):
    """A step in one program, for torques that are constant."""

    def __init__(self, plant: Plant, forces: Forces, h: float, program: Program) -> None:
        super().__init__(plant, forces, h, None)
        self._kernel = compiled(program)
        self._constants = plant.constants_of(program)

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        tau = self._forces.drive.at(t, q, qd)
        with np.errstate(all="ignore"):
            q, qd, qdd = self._kernel(q, qd, tau, np.array([self._h]), *self._constants)
        self.evaluations += 4
        return Step(q, qd, (qdd, tau))


class FusedHolding(Base):
    """A step in one program, for torques that are constant and joints that may be held."""

    def __init__(
        self, plant: Plant, forces: Forces, h: float, holds: StictionState, program: Program
    ) -> None:
        super().__init__(plant, forces, h, holds)
        self._dry, self._program, self._kernel = holds, program, compiled(program)

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        holds = self._dry
        force, driven = self._at(t, q, qd)
        q_after, qd_after, qdd, press = self._moved(self._plant, slice(None), q, qd, force)
        events = holds.let_go(t, press)
        if events:  # of these arms the step is made again, with what is held now
            more, _ = holds.settle(t, q, qd, force)
            self.events += [*events, *more]
            rows = np.unique([event.arm for event in (*events, *more)])
            again = self._moved(self._plant.part(rows), rows, q[rows], qd[rows], force[rows])
            for whole, part in zip((q_after, qd_after, qdd), again[:3], strict=True):
                whole[rows] = part
        self.evaluations += 4
        self.events += holds.arrest(t + self._h, q_after, qd_after)
        return Step(q_after, qd_after, (qdd, driven))

    def _moved(
        self, plant: Plant, rows: slice | NDArray[np.intp], q: Array, qd: Array, force: Array
    ) -> tuple[Array, Array, Array, Array]:
        acting = plant.acting(force, self._dry.slide[rows], self._dry.held[rows])
        with np.errstate(all="ignore"):
            return self._kernel(
                q, qd, *acting, np.array([self._h]), *plant.constants_of(self._program)
            )
