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
        RobotWarning,
        UnreachedError,
    )
    from armdyn.graph import Operations
    from armdyn.identification import Extra, Result, identify
    from armdyn.log import Log
    from armdyn.minimal import MinimalParameters
    from armdyn.robot import Joint, Robot, from_standard_dh, generic
    from armdyn.robot import bundled_names as robots

__all__ = [
    "Arm",
    "ArmdynError",
    "CacheWarning",
    "Extra",
    "FileError",
    "Function",
    "GraphError",
    "InputError",
    "Joint",
    "Log",
    "LogError",
    "LogWarning",
    "MethodError",
    "MinimalParameters",
    "MissingExtraError",
    "NumericalError",
    "Operations",
    "Result",
    "Robot",
    "RobotError",
    "RobotWarning",
    "UnreachedError",
    "from_standard_dh",
    "generic",
    "identify",
    "load",
    "methods",
    "operation_counts",
    "robots",
    "save",
]

# Where the names above are, those of `armdyn.errors` apart; as "module:name" if called otherwise.
_HOMES = {
    "Arm": "armdyn.arm",
    "Extra": "armdyn.identification",
    "Function": "armdyn.arm",
    "Joint": "armdyn.robot",
    "Log": "armdyn.log",
    "MinimalParameters": "armdyn.minimal",
    "Operations": "armdyn.graph",
    "Result": "armdyn.identification",
    "Robot": "armdyn.robot",
    "from_standard_dh": "armdyn.robot",
    "generic": "armdyn.robot",
    "identify": "armdyn.identification",
    "load": "armdyn.arm",
    "methods": "armdyn.arm",
    "operation_counts": "armdyn.arm",
    "robots": "armdyn.robot:bundled_names",
    "save": "armdyn.arm",
}
_PARTS = ("arm", "errors", "export", "graph", "identification", "kernel", "log", "motion", "robot")


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
