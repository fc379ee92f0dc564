"""Explicit Runge-Kutta methods: the step of a tableau, on arrays or as a program."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.simulation.forces import Forces
from armdyn.simulation.integrators import Tableau, Weights
from armdyn.simulation.plant import FORWARD, Plant
from armdyn.simulation.programs import (
    FrictionLaw,
    Row,
    acting,
    constant_slots,
    held_accelerations,
    held_constants,
    inlined,
)
from armdyn.simulation.stepper import LONGEST_STEP_CODE, CompiledStepper, Step
from armdyn.simulation.stiction import StictionState


def runge_kutta(
    tableau: Tableau,
    q: Any,
    qd: Any,
    h: Any,
    first: Any,
    acceleration: Callable[[float, Any, Any], Any],
    advance: Callable[[Weights, Any, Any, Any], Any],
) -> tuple[Any, Any]:
    """Return q and qd a step later.

    Args:
        tableau: of the method.
        q: positions, an array or a row of nodes.
        qd: velocities.
        h: the length of the step.
        first: the acceleration at q and qd.
        acceleration: a function of (share of the step, q, qd).
        advance: `Weights.advance` for arrays, `Weights.advance_each` for rows.
    """
    speeds, accelerations = [qd], [first]
    for time, row in zip(tableau.times[1:], tableau.stages[1:], strict=True):
        v = advance(row, qd, h, accelerations)
        accelerations.append(acceleration(time, advance(row, q, h, speeds), v))
        speeds.append(v)
    weights = tableau.weights
    return advance(weights, q, h, speeds), advance(weights, qd, h, accelerations)


@lru_cache(maxsize=16)
def step_program(tableau: Tableau, name: str, forward: Program) -> Program:
    """Return a step under constant torques.

    Inputs are q, qd, tau, h; outputs are q and qd after the step, and qdd before it.
    """

    def step(q: Row, qd: Row, tau: Row, h: Row, *constants: Row) -> object:
        def a(_: float, q: Row, qd: Row) -> Row:
            return inlined(forward, [q, qd, tau, *constants])

        first = a(0.0, q, qd)
        return *runge_kutta(tableau, q, qd, h[0], first, a, Weights.advance_each), first

    n = forward.inputs[0].shape
    states = [Slot(state, n) for state in ("q", "qd", "tau")]
    outputs = [Slot(name, n) for name in ("q_after", "qd_after", "qdd")]
    return trace(step, [*states, Slot("h", (1,)), *constant_slots(forward)], outputs, name)


@lru_cache(maxsize=16)
def held_step_program(
    tableau: Tableau, name: str, mass_matrix: Program, bias: Program, law: FrictionLaw
) -> Program:
    """Return a step under constant torques of arms whose joints may be held.

    Inputs are those of `held_program`, with h before the constants; outputs are q and qd after the
    step, qdd and press before it.
    """
    given_acts = acting(law)

    def step(q: Row, qd: Row, *given: Row) -> object:
        acts, (h, *constants) = given[: len(given_acts)], given[len(given_acts) :]

        def both(q: Row, qd: Row) -> tuple[Row, Row]:
            return held_accelerations(mass_matrix, bias, law, q, qd, *acts, *constants)

        def a(_: float, q: Row, qd: Row) -> Row:
            return both(q, qd)[0]

        first, press = both(q, qd)
        after = runge_kutta(tableau, q, qd, h[0], first, a, Weights.advance_each)
        return *after, first, press

    n = bias.inputs[0].shape
    inputs = [*(Slot(state, n) for state in ("q", "qd", *given_acts)), Slot("h", (1,))]
    outputs = [Slot(name, n) for name in ("q_after", "qd_after", "qdd", "press")]
    return trace(step, [*inputs, *held_constants(mass_matrix, bias)], outputs, f"held_{name}")


class RungeKutta(CompiledStepper):
    """Runge-Kutta methods; under constant torques a step is one program, else stage by stage."""

    def __init__(
        self,
        plant: Plant,
        forces: Forces,
        h: float,
        holds: StictionState | None,
        tableau: Tableau,
        name: str,
    ) -> None:
        """Begin; arguments as in `Stepper`, the tableau, and the name of compiled code."""
        super().__init__(plant, forces, h, holds)
        self._tableau, self._name = tableau, name

    @cached_property
    def _program(self) -> Program | None:
        """The whole step, if it can be one program."""
        if not self._forces.is_constant:
            return None
        most = LONGEST_STEP_CODE // len(self._tableau)
        if self._holds:
            parts = self._plant.dynamics()
            short = parts is not None and sum(len(part.code) for part in parts) <= most
            if parts is None or not short:
                return None
            return held_step_program(self._tableau, self._name, *parts, self._plant.law)
        forward = self._plant.program(FORWARD)
        if not isinstance(forward, Program) or len(forward.code) > most:
            return None
        return step_program(self._tableau, self._name, forward)

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        if self._kernel is None:
            return self._by_stages(t, q, qd)
        self.evaluations += len(self._tableau)
        if self._holds:
            return self._compiled_with_holds(self._holds, t, q, qd)
        tau = self._forces.drive.at(t, q, qd)
        q, qd, qdd = self._compiled(self._constants, q, qd, tau)
        return Step(q, qd, (qdd, tau))

    def _by_stages(self, t: float, q: Array, qd: Array) -> Step:
        force, driven = self._at(t, q, qd)
        events, first = self._settled(t, q, qd, force)
        self.events += events
        self.evaluations += len(self._tableau)
        q_after, qd_after = self.after(t, q, qd, first)
        self.events += self._arrested(t + self._h, q_after, qd_after)
        return Step(q_after, qd_after, (first, driven))

    def after(self, t: float, q: Array, qd: Array, first: Array) -> tuple[Array, Array]:
        """Return the state a step later from the acceleration now, before joints are arrested."""

        def stage(share: float, q: Array, qd: Array) -> Array:
            return self._accelerations(q, qd, self._at(t + share * self._h, q, qd)[0])

        return runge_kutta(self._tableau, q, qd, self._h, first, stage, Weights.advance)

    def _compiled_with_holds(self, holds: StictionState, t: float, q: Array, qd: Array) -> Step:
        force, driven = self._at(t, q, qd)
        acts = self._plant.acting(force, holds.slide, holds.held)
        q_after, qd_after, qdd, press = self._compiled(self._constants, q, qd, *acts)
        events = holds.let_go(t, press, force)
        if events:  # these arms repeat the step with the new holds
            more, _ = holds.settle(t, q, qd, force)
            self.events += [*events, *more]
            rows = np.unique([event.arm for event in (*events, *more)])
            acts = self._plant.acting(force[rows], holds.slide[rows], holds.held[rows])
            again = self._compiled(self._constants_of(rows), q[rows], qd[rows], *acts)
            for whole, part in zip((q_after, qd_after, qdd), again[:3], strict=True):
                whole[rows] = part
        self.events += self._arrested(t + self._h, q_after, qd_after)
        return Step(q_after, qd_after, (qdd, driven))

    def _constants_of(self, rows: NDArray[np.intp]) -> list[Array]:
        assert self._program is not None
        return self._plant.part(rows).constants_of(self._program)

    def _compiled(self, constants: list[Array], *states: Array) -> tuple[Array, ...]:
        with np.errstate(all="ignore"):
            return self._kernel(*states, np.array([self._h]), *constants)
