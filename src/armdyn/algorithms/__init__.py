"""The mathematics: one file a method, in its paper's symbols, as plain arithmetic on numbers."""

from armdyn.algorithms.link_parameters import PARAMETER_NAMES, parameters
from armdyn.algorithms.quantity import Derivative, Identity, Method, Quantity, RolledMethod
from armdyn.algorithms.table import QUANTITIES, SIGNALS

__all__ = [
    "PARAMETER_NAMES",
    "QUANTITIES",
    "SIGNALS",
    "Derivative",
    "Identity",
    "Method",
    "Quantity",
    "RolledMethod",
    "parameters",
]
