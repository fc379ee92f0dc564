"""Uses of a model on a moving arm: adaptive control, and torques from outside."""

from armdyn.control.adaptive import AdaptiveControl
from armdyn.control.adaptive_run import History
from armdyn.control.controller import Controller
from armdyn.control.levels import Levels
from armdyn.control.model_choice import model_for
from armdyn.control.observation import Contact, Observation
from armdyn.control.observer import MomentumObserver

__all__ = [
    "AdaptiveControl",
    "Contact",
    "Controller",
    "History",
    "Levels",
    "MomentumObserver",
    "Observation",
    "model_for",
]
