"""Simulation: arms that move under torques, one or thousands."""

from armdyn.simulation._animate import check_page
from armdyn.simulation._controllers import PD, ComputedTorque
from armdyn.simulation._run import Run
from armdyn.simulation._simulate import simulate
from armdyn.simulation.events._event import Event

__all__ = ["PD", "ComputedTorque", "Event", "Run", "check_page", "simulate"]
