"""The mathematics: one file a method, in its paper's symbols, as plain arithmetic on numbers."""

from armdyn.algorithms.link_parameters import PARAMETER_NAMES, parameters
from armdyn.algorithms.quantity import Method, Quantity
from armdyn.algorithms.table import QUANTITIES

__all__ = ["PARAMETER_NAMES", "QUANTITIES", "Method", "Quantity", "parameters"]
