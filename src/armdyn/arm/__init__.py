"""The door: arms, their functions, and how they are loaded and saved."""

from armdyn.arm._arm import Arm, load, save
from armdyn.arm._counts import generic_chain, operation_counts
from armdyn.arm._export import export_c
from armdyn.arm._function import Function
from armdyn.arm._programs import AUTO, cost, methods, operations, source

__all__ = [
    "AUTO",
    "Arm",
    "Function",
    "cost",
    "export_c",
    "generic_chain",
    "load",
    "methods",
    "operation_counts",
    "operations",
    "save",
    "source",
]
