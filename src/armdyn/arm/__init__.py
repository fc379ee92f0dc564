"""The door: arms, their functions, and how they are loaded and saved."""

from armdyn.arm._counts import operation_counts
from armdyn.arm._function import Function
from armdyn.arm._programs import AUTO, cost, kinds, methods, operations

__all__ = ["AUTO", "Function", "cost", "kinds", "methods", "operation_counts", "operations"]
