"""Simulation of one arm or thousands of arms under torques.

Names are imported on first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.simulation._live import Live
    from armdyn.simulation._page import run_recording
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
    "Live",
    "Run",
    "integrator_names",
    "run_recording",
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
        "Live": "_live",
        "Run": "_run",
        "integrator_names": "steppers._integrators",
        "run_recording": "_page",
        "simulate": "_simulate",
    },
)
