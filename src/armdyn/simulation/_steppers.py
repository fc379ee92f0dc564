"""Steps of fixed length over whole batches."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError, NumericalError
from armdyn.graph import Program
from armdyn.simulation._compose import (
    ADAMS,
    ab4_program,
    midpoint_program,
    rk4_program,
    velocity_program,
)
from armdyn.simulation._event import Event
from armdyn.simulation._forces import Forces
from armdyn.simulation._holds import Holds
from armdyn.simulation._plant import FORWARD, Plant, compiled
from armdyn.simulation._trouble import check_state

Array = NDArray[np.float64]

# A step of which the dynamics would be longer than this in one program is made stage by stage.
LONGEST = 12_000

# Iterations of the midpoint rule, and the change of v, as a share of the largest, at which it ends.
MOST_ITERATIONS = 100
CONVERGED = 2e-15
# Below this the change is of rounding, and need not become less.
ROUNDING = 1e-11


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

    def __init__(self, plant: Plant, forces: Forces, h: float) -> None:
        self.evaluations = 0
        self.events: list[Event] = []
        self._plant, self._forces, self._h = plant, forces, h

    def now(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return accelerations and drive torques."""
        force, driven = self._at(t, q, qd)
        return self._plant.accelerations(q, qd, force, None), driven

    def _at(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        if not self._forces.is_constant:
            check_state(self._plant.arm, t, q, qd, "Take a shorter `step`.")
        return self._forces.at(t, q, qd)


class RungeKutta(Base):
    """The classical method, stage by stage; knows joints that are held."""

    def __init__(self, plant: Plant, forces: Forces, h: float, holds: Holds | None) -> None:
        super().__init__(plant, forces, h)
        self._holds = holds

    def now(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return accelerations and drive torques."""
        force, driven = self._at(t, q, qd)
        return self._accelerations(q, qd, force), driven

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        h, half = self._h, self._h / 2
        force, driven = self._at(t, q, qd)
        if self._holds:
            self.events += self._holds.settle(t, q, qd, force)
        a1 = self._accelerations(q, qd, force)
        v2 = qd + half * a1
        a2 = self._stage(t + half, q + half * qd, v2)
        v3 = qd + half * a2
        a3 = self._stage(t + half, q + half * v2, v3)
        v4 = qd + h * a3
        a4 = self._stage(t + h, q + h * v3, v4)
        self.evaluations += 4
        q_after = q + (h / 6) * (qd + 2 * (v2 + v3) + v4)
        qd_after = qd + (h / 6) * (a1 + 2 * (a2 + a3) + a4)
        if self._holds:
            self.events += self._holds.arrest(t + h, q_after, qd_after)
        return Step(q_after, qd_after, (a1, driven))

    def _stage(self, t: float, q: Array, qd: Array) -> Array:
        return self._accelerations(q, qd, self._at(t, q, qd)[0])

    def _accelerations(self, q: Array, qd: Array, force: Array) -> Array:
        if self._holds:
            return self._holds.accelerations(q, qd, force)
        return self._plant.accelerations(q, qd, force, None)


class FusedRungeKutta(Base):
    """The classical method in one program, for torques that are constant."""

    def __init__(self, plant: Plant, forces: Forces, h: float, program: Program) -> None:
        super().__init__(plant, forces, h)
        self._kernel = compiled(program)
        self._constants = plant.constants_of(program)

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        tau = self._forces.drive.at(t, q, qd)
        with np.errstate(all="ignore"):
            q, qd, qdd = self._kernel(q, qd, tau, np.array([self._h]), *self._constants)
        self.evaluations += 4
        return Step(q, qd, (qdd, tau))


class AdamsBashforth(Base):
    """The explicit method of order four, begun by three steps of Runge and Kutta."""

    def __init__(self, plant: Plant, forces: Forces, h: float, program: Program | None) -> None:
        super().__init__(plant, forces, h)
        self._kernel = compiled(program) if program else None
        self._constants = plant.constants_of(program) if program else []
        self._begin = RungeKutta(plant, forces, h, None)
        self._past: list[tuple[Array, Array]] = []

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        if len(self._past) < 3:
            begun = self._begin.step(t, q, qd)
            self.evaluations += 4
            assert begun.known is not None
            self._past.insert(0, (qd, begun.known[0]))
            return begun
        force, driven = self._at(t, q, qd)
        if self._kernel is None:
            qdd = self._plant.accelerations(q, qd, force, None)
            rows = [(qd, qdd), *self._past]
            q_after = q + self._h * sum(b * v for b, (v, _) in zip(ADAMS, rows, strict=True))
            qd_after = qd + self._h * sum(b * a for b, (_, a) in zip(ADAMS, rows, strict=True))
        else:
            past = [*(v for v, _ in self._past), *(a for _, a in self._past)]
            with np.errstate(all="ignore"):
                q_after, qd_after, qdd = self._kernel(
                    q, qd, force, *past, np.array([self._h]), *self._constants
                )
        self.evaluations += 1
        self._past = [(qd, qdd), *self._past[:2]]
        return Step(q_after, qd_after, (qdd, driven))


class Midpoint(Base):
    """The midpoint rule in positions and momenta, which is symplectic."""

    def __init__(self, plant: Plant, forces: Forces, h: float) -> None:
        super().__init__(plant, forces, h)
        parts = [_straight(plant, kind) for kind in (FORWARD, "kinetic_energy", "gravity")]
        improve, velocity = midpoint_program(*parts), velocity_program(parts[0], parts[2])
        self._improve, self._velocity = compiled(improve), compiled(velocity)
        self._constants = plant.constants_of(improve)
        self._p: Array | None = None

    def step(self, t: float, q: Array, qd: Array) -> Step:
        """Return the state a step later."""
        h, plant = self._h, self._plant
        if self._p is None:
            self._p = (plant.of("mass_matrix", q) @ qd[..., None])[..., 0]
        v, before = qd, np.inf
        for _ in range(MOST_ITERATIONS):
            x = q + (h / 2) * v
            tau = self._at(t + h / 2, x, v)[0] - plant.smooth(v)
            with np.errstate(all="ignore"):
                new, force = self._improve(q, self._p, v, tau, np.array([h]), *self._constants)
                change = float(np.abs(new - v).max())
                size = float(np.abs(new).max()) + 1e-3
            self.evaluations += 1
            v = new
            settled = before < ROUNDING * size and change >= before
            if change <= CONVERGED * size or settled or not np.isfinite(change):
                break
            before = change
        else:
            raise NumericalError(
                f"the midpoint rule does not converge at t = {t:.6g} s, joint "
                f"{plant.arm.joint_names[int(np.abs(v).max(axis=0).argmax())]!r} being the "
                "fastest. Take a shorter `step`."
            )
        q = q + h * v
        self._p = self._p + h * force
        with np.errstate(all="ignore"):
            return Step(q, self._velocity(q, self._p, *self._constants), None)


def stepper(
    integrator: str, plant: Plant, forces: Forces, h: float, holds: Holds | None
) -> Stepper:
    """Return the method of a name: whole steps compiled where that is possible."""
    if integrator == "midpoint":
        return Midpoint(plant, forces, h)
    forward = plant.program(FORWARD)
    short = forward if isinstance(forward, Program) and len(forward.code) * 4 <= LONGEST else None
    if integrator == "ab4":
        return AdamsBashforth(plant, forces, h, short and ab4_program(short))
    if short and forces.is_constant and holds is None:
        return FusedRungeKutta(plant, forces, h, rk4_program(short))
    return RungeKutta(plant, forces, h, holds)


def _straight(plant: Plant, kind: str) -> Program:
    program = plant.program(kind)
    if not isinstance(program, Program):
        raise InputError(
            f"the arm {plant.arm.name!r} is too long for this integrator; take 'rk4', or give a "
            "`method` of forward_dynamics other than 'auto'."
        )
    return program
