"""The implicit midpoint rule in positions and momenta, which is symplectic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import InputError, NumericalError
from armdyn.graph.derive import jacobian_at
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.simulation.events import Event
from armdyn.simulation.integrators import Tableau
from armdyn.simulation.plant import FORWARD, Plant, compiled
from armdyn.simulation.programs import (
    Row,
    constant_names,
    constant_slots,
    held_velocity_program,
    inlined,
    solved,
)
from armdyn.simulation.stepper import Step, Stepper, System

# The parts of a step of the implicit midpoint rule, as programs.


@lru_cache(maxsize=16)
def midpoint_program(
    tableau: Tableau,
    forward: Program,
    kinetic: Program,
    gravity: Program,
    mass_matrix: Program | None = None,
) -> Program:
    """Return one iteration for the velocity v in the middle of a step.

    With p the momenta, L the Lagrangian and x = q + h v/2,

        M(x) v = p + h/2 (dL/dq(x, v) + tau),      q' = q + h v,      p' = p + h (dL/dq + tau)

    is the implicit midpoint rule in q and p, which is symplectic. In q and qd it would not be
    symplectic, as M depends on q. The first equation is solved for v, with M and the right-hand
    side at the previous v. Inputs are q, p, v, tau, h; outputs are the new v, and dL/dq + tau.

    If the mass matrix is given, joints may be held: the input `free` follows tau, and the
    equations are those of the free joints.
    """
    (stage,) = tableau.stages

    def step(q: Row, p: Row, v: Row, tau: Row, *given: Row) -> object:
        free, (h, *constants) = (given[0], given[1:]) if mass_matrix else (None, given)
        x = stage.advance_each(q, h[0], [v])
        named = dict(zip(constant_names(forward), constants, strict=True))
        inputs = [*x, *v, *(c for name in constant_names(kinetic) for c in named[name])]
        slope = jacobian_at(kinetic, kinetic.outputs[0].name, ["q"], inputs, "reverse")[0][0]
        g = inlined(gravity, [x, *(named[name] for name in constant_names(gravity))])
        force = [t + s - w for t, s, w in zip(tau, slope, g, strict=True)]
        right = stage.advance_each(p, h[0], [force])
        if mass_matrix and free:
            M = inlined(mass_matrix, [x, *(named[name] for name in constant_names(mass_matrix))])
            return solved(M, right, free), force
        return _over_mass(forward, x, right, g, constants), force

    n = forward.inputs[0].shape
    states = ["q", "p", "v", "tau", *(["free"] if mass_matrix else [])]
    inputs = [*(Slot(name, n) for name in states), Slot("h", (1,))]
    outputs = [Slot("v_new", n), Slot("force", n)]
    return trace(step, [*inputs, *constant_slots(forward)], outputs, "midpoint")


@lru_cache(maxsize=16)
def velocity_program(forward: Program, gravity: Program) -> Program:
    """Return the program from momenta to velocities: inputs q, p; output qd."""

    def velocity(q: Row, p: Row, *constants: Row) -> Row:
        named = dict(zip(constant_names(forward), constants, strict=True))
        g = inlined(gravity, [q, *(named[name] for name in constant_names(gravity))])
        return _over_mass(forward, q, p, g, constants)

    n = forward.inputs[0].shape
    inputs = [Slot("q", n), Slot("p", n), *constant_slots(forward)]
    return trace(velocity, inputs, [Slot("qd", n)], "velocity")


def _over_mass(forward: Program, q: Row, right: Row, gravity: Row, constants: Sequence[Row]) -> Row:
    """Return M^-1 times a vector: the acceleration at rest, with gravity compensated."""
    rest = [0.0 for _ in q]
    force = [r + g for r, g in zip(right, gravity, strict=True)]
    return inlined(forward, [q, rest, force, *constants])


# The iterations for v end when it changes by less than this share of the largest component: a few
# roundings of a double.
CONVERGED = 2e-15
# A change below this share that no longer shrinks is rounding.
ROUNDING = 1e-11
# Lower velocities [rad/s or m/s] count as this large in these shares.
MIN_VELOCITY_SCALE = 1e-3
# Iterations that do not end by then do not converge: the step is too long.
MOST_ITERATIONS = 100


class Midpoint(Stepper):
    """The implicit midpoint rule; with held joints, the rule of the remaining arm."""

    def __init__(self, system: System, tableau: Tableau) -> None:
        """Begin; arguments are the system, and the tableau of one implicit stage."""
        super().__init__(system)
        plant = system.plant
        (self._stage,), (self._time,) = tableau.stages, tableau.times
        self._weights = tableau.weights
        forward, kinetic, gravity = (
            _straight(plant, quantity) for quantity in (FORWARD, "kinetic_energy", "gravity")
        )
        if system.holds:
            M = _straight(plant, "mass_matrix")
            improve = midpoint_program(tableau, forward, kinetic, gravity, M)
            velocity = held_velocity_program(M)
        else:
            improve = midpoint_program(tableau, forward, kinetic, gravity)
            velocity = velocity_program(forward, gravity)
        self._improve, self._velocity = compiled(improve), compiled(velocity)
        self._constants = plant.constants_of(improve), plant.constants_of(velocity)
        self._p: Array | None = None

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        known = None
        if self._p is None:
            self._p = self._plant.momenta(q, qd)
        if self._holds:
            force, driven = self._at(t, q, qd)
            events, qdd = self._holds.settle(t, q, qd, force)
            self._changed(events, q, qd)
            known = qdd, driven
        v, force = self._velocity_between(t, q, qd, self._p)
        q_after = self._weights.advance(q, self._h, [v])
        self._p = self._weights.advance(self._p, self._h, [force])
        with np.errstate(all="ignore"):
            qd_after = self._velocity(q_after, self._p, *self._free(), *self._constants[1])
        self._changed(self._arrested(t + self._h, q_after, qd_after), q_after, qd_after)
        return Step(q_after, qd_after, known)

    def _changed(self, events: list[Event], q: Array, qd: Array) -> None:
        """Recompute the momenta of arms in which a joint was held or released."""
        self.events += events
        if events and self._p is not None:
            rows = np.unique([event.arm for event in events])
            self._p[rows] = self._plant.part(rows).momenta(q[rows], qd[rows])

    def _velocity_between(self, t: float, q: Array, v: Array, p: Array) -> tuple[Array, Array]:
        """Return the velocity in the middle of the step, and the force there.

        Args:
            t: the time before the step.
            q: positions before the step.
            v: the first guess.
            p: momenta before the step.
        """
        h, plant, free = self._h, self._plant, self._free()
        before, force = np.full((len(q), 1), np.inf), np.zeros_like(q)
        going = np.ones((len(q), 1), bool)  # per arm: results do not depend on the batch
        for _ in range(MOST_ITERATIONS):
            x = self._stage.advance(q, h, [v])
            tau = self._at(t + self._time * h, x, v)[0] - plant.smooth(v)
            if self._holds:
                tau = self._braked(tau, x, v)
            with np.errstate(all="ignore"):
                new, pull = self._improve(q, p, v, tau, *free, np.array([h]), *self._constants[0])
                change = np.abs(new - v).max(axis=1, keepdims=True)
                size = np.abs(new).max(axis=1, keepdims=True) + MIN_VELOCITY_SCALE
            self.evaluations += 1
            v, force = np.where(going, new, v), np.where(going, pull, force)
            settled = (before < ROUNDING * size) & (change >= before)
            going &= ~((change <= CONVERGED * size) | settled | ~np.isfinite(change))
            if not going.any():
                return v, force
            before = change
        raise NumericalError(
            f"the midpoint rule does not converge at t = {t:.6g} s, joint "
            f"{plant.arm.joint_names[int(np.abs(v).max(axis=0).argmax())]!r} being the "
            "fastest. Take a shorter `step`."
        )

    def _braked(self, tau: Array, x: Array, v: Array) -> Array:
        """Return the torques less dry friction."""
        assert self._holds is not None
        plant, slide = self._plant, self._holds.slide
        dry = plant.sliding(v, slide)
        if plant.bears_load:
            dry = dry + plant.of_load(x, v, tau + plant.smooth(v), slide, self._holds.held)
        return tau - dry

    def _free(self) -> list[Array]:
        """Return the input `free` of programs with holds."""
        return [(~self._holds.held).astype(float)] if self._holds else []


def _straight(plant: Plant, quantity: str) -> Program:
    program = plant.program(quantity)
    if not isinstance(program, Program):
        raise InputError(
            f"the arm {plant.arm.name!r} is too long for this integrator; take 'rk4', or give a "
            "`method` of forward_dynamics other than 'auto'."
        )
    return program
