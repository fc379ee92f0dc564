"""The mathematics: one file a method, in its paper's symbols, as plain arithmetic on numbers."""

from armdyn.algorithms.link_parameters import PARAMETER_NAMES, parameters
from armdyn.algorithms.quantity import Kind, Method
from armdyn.algorithms.table import KINDS

__all__ = ["KINDS", "PARAMETER_NAMES", "Kind", "Method", "parameters"]
