"""The smallest and fastest exact dynamic models of serial robot arms.

What the package offers is imported when it is first asked for: ``import armdyn`` itself costs next
to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armdyn.arm import Arm, Function, load, methods, operation_counts, save
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

__all__ = [
    "PD",
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
    "NumericalError",
    "Operations",
    "Payload",
    "Result",
    "Robot",
    "RobotError",
    "RobotFileError",
    "RobotWarning",
    "Run",
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
]

# Where the names above are, those of `armdyn.errors` apart; as "module:name" if called otherwise.
_HOMES = {
    "Arm": "armdyn.arm",
    "ComputedTorque": "armdyn.simulation",
    "DriveGains": "armdyn.identification",
    "ExcitingMotion": "armdyn.identification",
    "Extra": "armdyn.identification",
    "Feasibility": "armdyn.identification",
    "Function": "armdyn.arm",
    "Joint": "armdyn.robot",
    "Load": "armdyn.identification",
    "Log": "armdyn.log",
    "MinimalParameters": "armdyn.minimal",
    "Operations": "armdyn.graph",
    "PD": "armdyn.simulation",
    "Payload": "armdyn.identification",
    "Result": "armdyn.identification",
    "Robot": "armdyn.robot",
    "Run": "armdyn.simulation",
    "excite": "armdyn.identification",
    "feasible": "armdyn.identification",
    "from_standard_dh": "armdyn.robot",
    "generic": "armdyn.robot",
    "identify": "armdyn.identification",
    "identify_drive_gains": "armdyn.identification",
    "identify_payload": "armdyn.identification",
    "load": "armdyn.arm",
    "methods": "armdyn.arm",
    "operation_counts": "armdyn.arm",
    "robots": "armdyn.robot:bundled_names",
    "save": "armdyn.arm",
    "simulate": "armdyn.simulation",
}
_PARTS = (
    "arm",
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


def __getattr__(name: str) -> object:
    """Import what is asked for, once."""
    if name in _PARTS:
        return import_module(f"armdyn.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'armdyn' has no attribute {name!r}")
    module, _, called = _HOMES.get(name, "armdyn.errors").partition(":")
    value: object = getattr(import_module(module), called or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
