"""Simulation of one arm or thousands of arms under torques.

Names are imported on first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.simulation._run import Run
    from armdyn.simulation._simulate import simulate
    from armdyn.simulation.events._event import Event
    from armdyn.simulation.forces._controllers import PD, ComputedTorque
    from armdyn.simulation.steppers._integrators import INTEGRATORS, Integrator, integrator_names

__all__ = [
    "INTEGRATORS",
    "PD",
    "ComputedTorque",
    "Event",
    "Integrator",
    "Run",
    "integrator_names",
    "simulate",
]

__getattr__ = lazy_names(
    __name__,
    {
        "INTEGRATORS": "steppers._integrators",
        "PD": "forces._controllers",
        "ComputedTorque": "forces._controllers",
        "Event": "events._event",
        "Integrator": "steppers._integrators",
        "Run": "_run",
        "integrator_names": "steppers._integrators",
        "simulate": "_simulate",
    },
)
