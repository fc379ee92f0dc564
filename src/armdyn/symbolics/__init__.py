"""Closed forms of small arms: SymPy matrices with masses, lengths and inertias as symbols."""

from armdyn.symbolics._model import MATRICES, SymbolicModel, symbolic
from armdyn.symbolics._named import Named

__all__ = ["MATRICES", "Named", "SymbolicModel", "symbolic"]
