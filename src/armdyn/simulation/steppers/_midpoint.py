"""The midpoint rule in positions and momenta, which is symplectic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError, NumericalError
from armdyn.graph import Program
from armdyn.simulation._forces import Forces
from armdyn.simulation._plant import FORWARD, Plant, compiled
from armdyn.simulation.events._event import Event
from armdyn.simulation.events._stiction import StictionState
from armdyn.simulation.steppers._compose import (
    held_velocity_program,
    midpoint_program,
    velocity_program,
)
from armdyn.simulation.steppers._stepper import Base, Step

Array = NDArray[np.float64]

# Iterations, and the change of v, as a share of the largest, at which they end.
MOST_ITERATIONS = 100
CONVERGED = 2e-15
# Below this the change is of rounding, and need not become less.
ROUNDING = 1e-11


class Midpoint(Base):
    """The rule; where joints are held, that of the arm which the others make."""

    def __init__(self, plant: Plant, forces: Forces, h: float, holds: StictionState | None) -> None:
        super().__init__(plant, forces, h, holds)
        forward, kinetic, gravity = (
            _straight(plant, kind) for kind in (FORWARD, "kinetic_energy", "gravity")
        )
        if holds:
            M = _straight(plant, "mass_matrix")
            improve, velocity = (
                midpoint_program(forward, kinetic, gravity, M),
                held_velocity_program(M),
            )
        else:
            improve = midpoint_program(forward, kinetic, gravity)
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
        q_after = q + self._h * v
        self._p = self._p + self._h * force
        with np.errstate(all="ignore"):
            qd_after = self._velocity(q_after, self._p, *self._free(), *self._constants[1])
        if self._holds:
            events = self._holds.arrest(t + self._h, q_after, qd_after)
            self._changed(events, q_after, qd_after)
        return Step(q_after, qd_after, known)

    def _changed(self, events: list[Event], q: Array, qd: Array) -> None:
        """Begin anew with the momenta of arms of which other joints are held than before."""
        self.events += events
        if events and self._p is not None:
            rows = np.unique([event.arm for event in events])
            self._p[rows] = self._plant.part(rows).momenta(q[rows], qd[rows])

    def _velocity_between(self, t: float, q: Array, v: Array, p: Array) -> tuple[Array, Array]:
        """Return the velocity between two states, beginning with v, and the force there."""
        h, plant, free = self._h, self._plant, self._free()
        dry = plant.coulomb * self._holds.slide if self._holds else 0.0
        before, force = np.full((len(q), 1), np.inf), np.zeros_like(q)
        going = np.ones((len(q), 1), bool)  # each arm ends by itself, so that it moves as if alone
        for _ in range(MOST_ITERATIONS):
            x = q + (h / 2) * v
            tau = self._at(t + h / 2, x, v)[0] - plant.smooth(v) - dry
            with np.errstate(all="ignore"):
                new, pull = self._improve(q, p, v, tau, *free, np.array([h]), *self._constants[0])
                change = np.abs(new - v).max(axis=1, keepdims=True)
                size = np.abs(new).max(axis=1, keepdims=True) + 1e-3
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

    def _free(self) -> list[Array]:
        """Return which joints are free, as programs with holds take it."""
        return [(~self._holds.held).astype(float)] if self._holds else []


def _straight(plant: Plant, kind: str) -> Program:
    program = plant.program(kind)
    if not isinstance(program, Program):
        raise InputError(
            f"the arm {plant.arm.name!r} is too long for this integrator; take 'rk4', or give a "
            "`method` of forward_dynamics other than 'auto'."
        )
    return program
