"""The door: arms, their functions, and how they are loaded and saved."""

from armdyn.arm._approach import Reach
from armdyn.arm._arm import Arm, load, save
from armdyn.arm._counts import generic_chain, operation_counts
from armdyn.arm._evaluate import Evaluator
from armdyn.arm._export import export_c
from armdyn.arm._export_files import check_writable, write_together
from armdyn.arm._function import Function
from armdyn.arm._inverse_kinematics import checked_pose, checked_start, reach_of
from armdyn.arm._parametric import parametric
from armdyn.arm._parametric import values as parameter_values
from armdyn.arm._programs import AUTO, cost, methods, operations, source
from armdyn.arm._rotations import rotation_vectors

__all__ = [
    "AUTO",
    "Arm",
    "Evaluator",
    "Function",
    "Reach",
    "check_writable",
    "checked_pose",
    "checked_start",
    "cost",
    "export_c",
    "generic_chain",
    "load",
    "methods",
    "operation_counts",
    "operations",
    "parameter_values",
    "parametric",
    "reach_of",
    "rotation_vectors",
    "save",
    "source",
    "write_together",
]
