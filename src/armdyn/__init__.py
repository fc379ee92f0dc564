"""The smallest and fastest exact dynamic models of serial robot arms.

Names are imported on first access: ``import armdyn`` itself costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.arm import Arm, Function, load, methods, operation_counts, save
    from armdyn.control import AdaptiveControl, MomentumObserver
    from armdyn.errors import (
        ArmdynError,
        CacheWarning,
        FileError,
        GraphError,
        InputError,
        LogError,
        LogWarning,
        MethodError,
        MissingExtraError,
        NumericalError,
        RobotError,
        RobotFileError,
        RobotWarning,
        SettingWarning,
        UnreachedError,
    )
    from armdyn.graph import Operations
    from armdyn.identification import (
        DriveGains,
        ExcitingMotion,
        Extra,
        Feasibility,
        Load,
        Payload,
        Result,
        excite,
        feasible,
        identify,
        identify_drive_gains,
        identify_payload,
    )
    from armdyn.log import Log
    from armdyn.minimal import MinimalParameters
    from armdyn.robot import Joint, Robot, from_standard_dh, generic
    from armdyn.robot import bundled_names as robots
    from armdyn.simulation import PD, ComputedTorque, Run, simulate
    from armdyn.symbolics import SymbolicModel, symbolic

__all__ = [
    "PD",
    "AdaptiveControl",
    "Arm",
    "ArmdynError",
    "CacheWarning",
    "ComputedTorque",
    "DriveGains",
    "ExcitingMotion",
    "Extra",
    "Feasibility",
    "FileError",
    "Function",
    "GraphError",
    "InputError",
    "Joint",
    "Load",
    "Log",
    "LogError",
    "LogWarning",
    "MethodError",
    "MinimalParameters",
    "MissingExtraError",
    "MomentumObserver",
    "NumericalError",
    "Operations",
    "Payload",
    "Result",
    "Robot",
    "RobotError",
    "RobotFileError",
    "RobotWarning",
    "Run",
    "SettingWarning",
    "SymbolicModel",
    "UnreachedError",
    "excite",
    "feasible",
    "from_standard_dh",
    "generic",
    "identify",
    "identify_drive_gains",
    "identify_payload",
    "load",
    "methods",
    "operation_counts",
    "robots",
    "save",
    "simulate",
    "symbolic",
]

_PARTS = (
    "arm",
    "control",
    "errors",
    "export",
    "graph",
    "identification",
    "kernel",
    "log",
    "motion",
    "robot",
    "simulation",
)

_named = lazy_names(
    __name__,
    {
        **dict.fromkeys(__all__, "errors"),
        "AdaptiveControl": "control",
        "Arm": "arm",
        "ComputedTorque": "simulation",
        "DriveGains": "identification",
        "ExcitingMotion": "identification",
        "Extra": "identification",
        "Feasibility": "identification",
        "Function": "arm",
        "Joint": "robot",
        "Load": "identification",
        "Log": "log",
        "MinimalParameters": "minimal",
        "MomentumObserver": "control",
        "Operations": "graph",
        "PD": "simulation",
        "Payload": "identification",
        "Result": "identification",
        "Robot": "robot",
        "Run": "simulation",
        "SymbolicModel": "symbolics",
        "excite": "identification",
        "feasible": "identification",
        "from_standard_dh": "robot",
        "generic": "robot",
        "identify": "identification",
        "identify_drive_gains": "identification",
        "identify_payload": "identification",
        "load": "arm",
        "methods": "arm",
        "operation_counts": "arm",
        "robots": "robot:bundled_names",
        "save": "arm",
        "simulate": "simulation",
        "symbolic": "symbolics",
    },
)


def __getattr__(name: str) -> object:
    """Import a subpackage or a public name on first access."""
    return import_module(f"armdyn.{name}") if name in _PARTS else _named(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
