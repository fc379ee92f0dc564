"""Methods of integration: coefficients as data, and a stepper for each family."""

from armdyn.simulation.steppers._integrators import (
    INTEGRATORS,
    Integrator,
    integrator_names,
    listed,
)
from armdyn.simulation.steppers._tableau import FEHLBERG, Tableau, Weights

__all__ = [
    "FEHLBERG",
    "INTEGRATORS",
    "Integrator",
    "Tableau",
    "Weights",
    "integrator_names",
    "listed",
]
