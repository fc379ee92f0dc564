"""Explicit methods of fixed steps: Runge-Kutta by tableau, and Adams-Bashforth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.scalar import Scalar
from armdyn.simulation.events import Event
from armdyn.simulation.integrators import RK4, Tableau, Weights
from armdyn.simulation.plant import FORWARD
from armdyn.simulation.programs import (
    FrictionLaw,
    Row,
    acting,
    constant_slots,
    held_accelerations,
    held_constants,
    inlined,
)
from armdyn.simulation.stepper import LONGEST_STEP_CODE, CompiledStepper, Step, System
from armdyn.simulation.stiction import StictionState

# Explicit Runge-Kutta methods: the step of a tableau, on arrays or as a program.


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

    def __init__(self, system: System, tableau: Tableau, name: str) -> None:
        """Begin; arguments are the system, the tableau, and the name of compiled code."""
        super().__init__(system)
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
        q, qd, qdd = self._compiled(q, qd, tau)
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
        q_after, qd_after, qdd, press = self._compiled(q, qd, *acts)
        events = holds.release(t, press, force)
        if events:  # these arms repeat the step with the new holds
            more, _ = holds.settle(t, q, qd, force)
            self.events += [*events, *more]
            rows = np.unique([event.arm for event in (*events, *more)])
            acts = self._plant.acting(force[rows], holds.slide[rows], holds.held[rows])
            constants = self._constants_of(rows)
            again = self._compiled(q[rows], qd[rows], *acts, constants=constants)
            for whole, part in zip((q_after, qd_after, qdd), again[:3], strict=True):
                whole[rows] = part
        self.events += self._arrested(t + self._h, q_after, qd_after)
        return Step(q_after, qd_after, (qdd, driven))

    def _constants_of(self, rows: NDArray[np.intp]) -> list[Array]:
        assert self._program is not None
        return self._plant.part(rows).constants_of(self._program)


# Explicit Adams-Bashforth methods: one evaluation per step, and the rates of earlier steps.

# The method of the first steps. Its order is that of the longest Adams-Bashforth method here.
STARTER = RK4


@lru_cache(maxsize=16)
def adams_bashforth_program(weights: Weights, name: str, forward: Program) -> Program:
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

    def __init__(self, system: System, weights: Weights, name: str) -> None:
        """Begin; arguments are the system, the weights, and the name of compiled code."""
        super().__init__(system)
        self._weights, self._name = weights, name
        self._starter = RungeKutta(system, STARTER, "rk4")
        self._past: list[tuple[Array, Array]] = []
        # steps of each arm since it started again; without holds, all start at the first step
        self._steps = np.zeros(len(system.holds.held) if system.holds else 0, np.intp)

    @cached_property
    def _program(self) -> Program | None:
        """The whole step, if it can be one program."""
        forward = None if self._holds else self._plant.program(FORWARD)
        if not isinstance(forward, Program):
            return None
        if len(forward.code) * len(STARTER) > LONGEST_STEP_CODE:
            return None
        return adams_bashforth_program(self._weights, self._name, forward)

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        before = len(self._weights) - 1
        force, driven = self._at(t, q, qd)
        if self._kernel is not None and len(self._past) == before:
            self.evaluations += 1
            speeds, accelerations = zip(*self._past, strict=True)
            q_after, qd_after, qdd = self._compiled(q, qd, force, *speeds, *accelerations)
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
        self.evaluations += len(STARTER) if young.any() else 1
        begun = self._starter.after(t, q, qd, qdd) if young.any() else (q, qd)
        if young.all():
            return begun
        rates = zip((qd, qdd), *self._past, strict=True)
        q_after, qd_after = (
            np.where(young[:, None], start, self._moved(x, rate))
            for x, rate, start in zip((q, qd), rates, begun, strict=True)
        )
        return q_after, qd_after

    def _moved(self, x: Array, rates: Sequence[Array]) -> Array:
        terms = (b * rate for b, rate in zip(self._weights.floats, rates, strict=True))
        return x + self._h * sum(terms)

    def _begin_anew(self, events: list[Event]) -> None:
        self.events += events
        if events:
            self._steps[[event.arm for event in events]] = 0
