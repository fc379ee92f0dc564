"""Which method of fixed steps a name means: whole steps are compiled where that is possible."""

from __future__ import annotations

from armdyn.graph import Program
from armdyn.simulation._forces import Forces
from armdyn.simulation._plant import FORWARD, Plant
from armdyn.simulation.events._stiction import StictionState
from armdyn.simulation.steppers._adams import AdamsBashforth, HoldingAdamsBashforth
from armdyn.simulation.steppers._compose import ab4_program, rk4_program
from armdyn.simulation.steppers._compose_held import held_rk4_program
from armdyn.simulation.steppers._midpoint import Midpoint
from armdyn.simulation.steppers._runge_kutta import FusedHolding, FusedRungeKutta, RungeKutta
from armdyn.simulation.steppers._stepper import Stepper

# A step of which the dynamics would be longer than this in one program is made stage by stage.
LONGEST = 12_000


def stepper(
    integrator: str, plant: Plant, forces: Forces, h: float, holds: StictionState | None
) -> Stepper:
    """Return the method of a name, for steps of length h; `holds` if joints may be held."""
    if integrator == "midpoint":
        return Midpoint(plant, forces, h, holds)
    if holds:
        if integrator == "ab4":
            return HoldingAdamsBashforth(plant, forces, h, holds)
        parts = plant.dynamics() if forces.is_constant else None
        if parts and 4 * sum(len(part.code) for part in parts) <= LONGEST:
            return FusedHolding(plant, forces, h, holds, held_rk4_program(*parts))
        return RungeKutta(plant, forces, h, holds)
    forward = plant.program(FORWARD)
    short = forward if isinstance(forward, Program) and len(forward.code) * 4 <= LONGEST else None
    if integrator == "ab4":
        return AdamsBashforth(plant, forces, h, short and ab4_program(short))
    if short and forces.is_constant:
        return FusedRungeKutta(plant, forces, h, rk4_program(short))
    return RungeKutta(plant, forces, h, None)
