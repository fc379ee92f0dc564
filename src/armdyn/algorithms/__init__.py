"""The mathematics: one file a method, in its paper's symbols, as plain arithmetic on numbers."""

from armdyn.algorithms.regressor import PARAMETER_NAMES, parameters
from armdyn.algorithms.table import KINDS, Kind, Method

__all__ = ["KINDS", "PARAMETER_NAMES", "Kind", "Method", "parameters"]
