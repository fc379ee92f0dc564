"""The explicit method of Adams and Bashforth of order four."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.graph import Program
from armdyn.simulation._forces import Forces
from armdyn.simulation._plant import Plant, compiled
from armdyn.simulation.events._event import Event
from armdyn.simulation.events._stiction import StictionState
from armdyn.simulation.steppers._compose import ADAMS
from armdyn.simulation.steppers._runge_kutta import RungeKutta
from armdyn.simulation.steppers._stepper import Base, Step

Array = NDArray[np.float64]

# How many steps the method looks back on.
PAST = len(ADAMS) - 1


class AdamsBashforth(Base):
    """The method for smooth motions, begun by three steps of Runge and Kutta."""

    def __init__(self, plant: Plant, forces: Forces, h: float, program: Program | None) -> None:
        super().__init__(plant, forces, h, None)
        self._kernel = compiled(program) if program else None
        self._constants = plant.constants_of(program) if program else []
        self._begin = RungeKutta(plant, forces, h, None)
        self._past: list[tuple[Array, Array]] = []

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        if len(self._past) < PAST:
            begun = self._begin.step(t, q, qd)
            self.evaluations += 4
            assert begun.known is not None
            self._past.insert(0, (qd, begun.known[0]))
            return begun
        force, driven = self._at(t, q, qd)
        if self._kernel is None:
            qdd = self._accelerations(q, qd, force)
            q_after, qd_after = _moved(q, qd, self._h, [(qd, qdd), *self._past])
        else:
            past = [*(v for v, _ in self._past), *(a for _, a in self._past)]
            with np.errstate(all="ignore"):
                q_after, qd_after, qdd = self._kernel(
                    q, qd, force, *past, np.array([self._h]), *self._constants
                )
        self.evaluations += 1
        self._past = [(qd, qdd), *self._past[: PAST - 1]]
        return Step(q_after, qd_after, (qdd, driven))


class HoldingAdamsBashforth(Base):
    """The method for arms whose joints may be held.

    What an arm did before a joint was held or let go says nothing of what it does now, so that each
    arm begins anew, by three steps of Runge and Kutta.
    """

    def __init__(self, plant: Plant, forces: Forces, h: float, holds: StictionState) -> None:
        super().__init__(plant, forces, h, holds)
        self._changing = holds
        self._begin = RungeKutta(plant, forces, h, holds)
        self._past: list[tuple[Array, Array]] = []
        self._steps = np.zeros(len(holds.held), int)  # of each arm since its last change

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        force, driven = self._at(t, q, qd)
        events, qdd = self._changing.settle(t, q, qd, force)
        self._changed(events)
        known = [(qd, qdd), *self._past]
        young = self._steps < PAST
        if young.any():
            q_after, qd_after = self._begin.after(t, q, qd, qdd)
            if not young.all():
                for whole, part in zip(
                    (q_after, qd_after), _moved(q, qd, self._h, known), strict=True
                ):
                    whole[~young] = part[~young]
            self.evaluations += 4
        else:
            q_after, qd_after = _moved(q, qd, self._h, known)
            self.evaluations += 1
        self._past = known[:PAST]
        self._steps += 1
        self._changed(self._changing.arrest(t + self._h, q_after, qd_after))
        return Step(q_after, qd_after, (qdd, driven))

    def _changed(self, events: list[Event]) -> None:
        self.events += events
        self._steps[[event.arm for event in events]] = 0


def _moved(q: Array, qd: Array, h: float, known: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return the state a step later by velocities and accelerations, the newest first."""
    q_after = q + h * sum(b * v for b, (v, _) in zip(ADAMS, known, strict=True))
    return q_after, qd + h * sum(b * a for b, (_, a) in zip(ADAMS, known, strict=True))
