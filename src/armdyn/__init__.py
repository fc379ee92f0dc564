"""The smallest and fastest exact dynamic models of serial robot arms."""

from armdyn.arm import Arm, Function, load, methods, operation_counts, save
from armdyn.errors import (
    ArmdynError,
    CacheWarning,
    FileError,
    GraphError,
    InputError,
    MethodError,
    MissingExtraError,
    NumericalError,
    RobotError,
    RobotWarning,
)
from armdyn.graph import Operations
from armdyn.robot import Joint, Robot, from_standard_dh, generic
from armdyn.robot import bundled_names as robots

__all__ = [
    "Arm",
    "ArmdynError",
    "CacheWarning",
    "FileError",
    "Function",
    "GraphError",
    "InputError",
    "Joint",
    "MethodError",
    "MissingExtraError",
    "NumericalError",
    "Operations",
    "Robot",
    "RobotError",
    "RobotWarning",
    "from_standard_dh",
    "generic",
    "load",
    "methods",
    "operation_counts",
    "robots",
    "save",
]
