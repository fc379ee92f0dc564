"""Integration methods: coefficients as data, and a stepper for each family."""

from armdyn.simulation.steppers._tableau import FEHLBERG, RK4, Tableau, Weights

__all__ = ["FEHLBERG", "RK4", "Tableau", "Weights"]
