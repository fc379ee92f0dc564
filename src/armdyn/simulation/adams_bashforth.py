"""Explicit Adams-Bashforth methods: one evaluation per step, and the rates of earlier steps."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.scalar import Scalar
from armdyn.simulation.events import Event
from armdyn.simulation.forces import Forces
from armdyn.simulation.integrators import RK4, Weights
from armdyn.simulation.plant import FORWARD, Plant
from armdyn.simulation.programs import Row, constant_slots, inlined
from armdyn.simulation.runge_kutta import RungeKutta
from armdyn.simulation.stepper import LONGEST_STEP_CODE, CompiledStepper, Step
from armdyn.simulation.stiction import StictionState

# The method of the first steps. Its order is that of the longest Adams-Bashforth method here.
STARTER = RK4


@lru_cache(maxsize=16)
def step_program(weights: Weights, name: str, forward: Program) -> Program:
    """Return a step.

    Inputs are q, qd, tau, the rows of qd and then of qdd of the earlier steps (newest first), and
    h. Outputs are q and qd after the step, and qdd before it.
    """
    before = len(weights) - 1

    def step(q: Row, qd: Row, tau: Row, *given: Row) -> object:
        speeds, accelerations = given[:before], given[before : 2 * before]
        h, *constants = given[2 * before :]
        now = inlined(forward, [q, qd, tau, *constants])

        def moved(x: Row, *rates: Row) -> list[Scalar]:
            components = zip(x, *rates, strict=True)
            return [weights.accumulate(a, h[0], rate) for a, *rate in components]

        return moved(q, qd, *speeds), moved(qd, now, *accelerations), now

    n = forward.inputs[0].shape
    past = [f"{rate}_{k}" for rate in ("qd", "qdd") for k in range(1, before + 1)]
    inputs = [*(Slot(state, n) for state in ("q", "qd", "tau", *past)), Slot("h", (1,))]
    outputs = [Slot(name, n) for name in ("q_after", "qd_after", "qdd")]
    return trace(step, [*inputs, *constant_slots(forward)], outputs, name)


class AdamsBashforth(CompiledStepper):
    """Adams-Bashforth methods, started by Runge-Kutta steps.

    When a joint is held or released, the earlier rates belong to a different motion. So an arm
    starts again after every such event.
    """

    def __init__(
        self,
        plant: Plant,
        forces: Forces,
        h: float,
        holds: StictionState | None,
        weights: Weights,
        name: str,
    ) -> None:
        """Begin; arguments as in `Stepper`, the weights, and the name of compiled code."""
        super().__init__(plant, forces, h, holds)
        self._weights, self._name = weights, name
        self._starter = RungeKutta(plant, forces, h, holds, STARTER, "rk4")
        self._past: list[tuple[Array, Array]] = []
        # steps of each arm since it started again; without holds, all start at the first step
        self._steps = np.zeros(len(holds.held) if holds else 0, np.intp)

    @cached_property
    def _program(self) -> Program | None:
        """The whole step, if it can be one program."""
        forward = None if self._holds else self._plant.program(FORWARD)
        if not isinstance(forward, Program):
            return None
        if len(forward.code) * len(STARTER) > LONGEST_STEP_CODE:
            return None
        return step_program(self._weights, self._name, forward)

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        before = len(self._weights) - 1
        force, driven = self._at(t, q, qd)
        if self._kernel is not None and len(self._past) == before:
            self.evaluations += 1
            q_after, qd_after, qdd = self._compiled(q, qd, force)
        else:
            events, qdd = self._settled(t, q, qd, force)
            self._begin_anew(events)
            young = np.full(len(q), len(self._past) < before)
            if self._holds:
                young = self._steps < before
            q_after, qd_after = self._by_rates(t, q, qd, qdd, young)
        self._past = [(qd, qdd), *self._past][:before]
        self._steps += 1
        self._begin_anew(self._arrested(t + self._h, q_after, qd_after))
        return Step(q_after, qd_after, (qdd, driven))

    def _by_rates(
        self, t: float, q: Array, qd: Array, qdd: Array, young: NDArray[np.bool_]
    ) -> tuple[Array, Array]:
        """Return the state a step later; arms with too few rates use the starting method."""
        rates = [(qd, qdd), *self._past]
        if not young.any():
            self.evaluations += 1
            return self._moved(q, [v for v, _ in rates]), self._moved(qd, [a for _, a in rates])
        self.evaluations += len(STARTER)
        q_after, qd_after = self._starter.after(t, q, qd, qdd)
        if not young.all():
            old = ~young
            q_after[old] = self._moved(q, [v for v, _ in rates])[old]
            qd_after[old] = self._moved(qd, [a for _, a in rates])[old]
        return q_after, qd_after

    def _moved(self, x: Array, rates: list[Array]) -> Array:
        terms = (b * rate for b, rate in zip(self._weights.floats, rates, strict=True))
        return x + self._h * sum(terms)

    def _compiled(self, *states: Array) -> tuple[Array, Array, Array]:
        past = [*(v for v, _ in self._past), *(a for _, a in self._past)]
        with np.errstate(all="ignore"):
            return self._kernel(*states, *past, np.array([self._h]), *self._constants)

    def _begin_anew(self, events: list[Event]) -> None:
        self.events += events
        if events:
            self._steps[[event.arm for event in events]] = 0
