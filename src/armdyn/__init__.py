"""The smallest and fastest exact dynamic models of serial robot arms.

Names are imported on first access: ``import armdyn`` itself costs next to nothing.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

import armdyn.fork_safe  # noqa: F401  # pyright: ignore[reportUnusedImport] forks wait for imports

if TYPE_CHECKING:
    from armdyn.arm.arm import Arm
    from armdyn.arm.files import load, save
    from armdyn.arm.function import Function
    from armdyn.control.adaptive import AdaptiveControl
    from armdyn.control.observer import MomentumObserver
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
    from armdyn.excitation.excite import excite
    from armdyn.excitation.motion import ExcitingMotion
    from armdyn.graph.count import Operations
    from armdyn.identification.extra import Extra
    from armdyn.identification.feasible import Feasibility, feasible
    from armdyn.identification.identify import identify
    from armdyn.identification.payload.identify_gains import identify_drive_gains
    from armdyn.identification.payload.identify_payload import identify_payload
    from armdyn.identification.payload.payload import DriveGains, Load, Payload
    from armdyn.identification.result import Result
    from armdyn.log.log import Log
    from armdyn.minimal.parameters import MinimalParameters
    from armdyn.monitoring.fleet import Fleet, fleet
    from armdyn.programs.counts import operation_counts
    from armdyn.programs.methods import methods
    from armdyn.recording.check import LogCheck, check_log
    from armdyn.recording.fault import Fault
    from armdyn.robot.joint import Joint
    from armdyn.robot.library import bundled_names as robots
    from armdyn.robot.library import generic
    from armdyn.robot.mechanism import Follower
    from armdyn.robot.model import Robot
    from armdyn.robot.standard_dh import from_standard_dh
    from armdyn.servo.poses import StaticMotion
    from armdyn.servo.result import ServoResult
    from armdyn.servo.static import excite_static
    from armdyn.simulation.controllers import PD, ComputedTorque
    from armdyn.simulation.run import Run
    from armdyn.simulation.simulate import simulate
    from armdyn.symbolics.model import SymbolicModel, symbolic

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
    "Fault",
    "Feasibility",
    "FileError",
    "Fleet",
    "Follower",
    "Function",
    "GraphError",
    "InputError",
    "Joint",
    "Load",
    "Log",
    "LogCheck",
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
    "ServoResult",
    "SettingWarning",
    "StaticMotion",
    "SymbolicModel",
    "UnreachedError",
    "check_log",
    "excite",
    "excite_static",
    "feasible",
    "fleet",
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
    "recording",
    "robot",
    "simulation",
)

# Where each public name is; "module:name" if the name differs there.
_HOMES = {
    **dict.fromkeys(__all__, "errors"),
    "AdaptiveControl": "control.adaptive",
    "Arm": "arm.arm",
    "ComputedTorque": "simulation.controllers",
    "DriveGains": "identification.payload.payload",
    "ExcitingMotion": "excitation.motion",
    "Extra": "identification.extra",
    "Fault": "recording.fault",
    "Feasibility": "identification.feasible",
    "Fleet": "monitoring.fleet",
    "Follower": "robot.mechanism",
    "Function": "arm.function",
    "Joint": "robot.joint",
    "Load": "identification.payload.payload",
    "Log": "log.log",
    "LogCheck": "recording.check",
    "MinimalParameters": "minimal.parameters",
    "MomentumObserver": "control.observer",
    "Operations": "graph.count",
    "PD": "simulation.controllers",
    "Payload": "identification.payload.payload",
    "Result": "identification.result",
    "Robot": "robot.model",
    "Run": "simulation.run",
    "SymbolicModel": "symbolics.model",
    "check_log": "recording.check",
    "ServoResult": "servo.result",
    "StaticMotion": "servo.poses",
    "excite": "excitation.excite",
    "excite_static": "servo.static",
    "feasible": "identification.feasible",
    "fleet": "monitoring.fleet",
    "from_standard_dh": "robot.standard_dh",
    "generic": "robot.library",
    "identify": "identification.identify",
    "identify_drive_gains": "identification.payload.identify_gains",
    "identify_payload": "identification.payload.identify_payload",
    "load": "arm.files",
    "methods": "programs.methods",
    "operation_counts": "programs.counts",
    "robots": "robot.library:bundled_names",
    "save": "arm.files",
    "simulate": "simulation.simulate",
    "symbolic": "symbolics.model",
}


class _Unpickling:
    """The last finder of modules: says what is wrong with a pickle of another version of armdyn.

    A pickle names modules of armdyn, which may have other names in another version.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Refuse a private module that does not exist; leave all other names alone."""
        module = name.rpartition(".")[2]
        if name.startswith("armdyn.") and module.startswith("_") and not module.startswith("__"):
            raise ModuleNotFoundError(
                f"No module named {name!r}: if this was a pickle, another version of armdyn wrote "
                "it. Read it with that version; save arms by `armdyn.save`, logs by `Log.save`.",
                name=name,
            )


sys.meta_path.append(_Unpickling)


def __getattr__(name: str) -> object:
    """Import a subpackage or a public name on first access."""
    if name in _PARTS:
        return import_module(f"armdyn.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'armdyn' has no attribute {name!r}")
    module, _, called = _HOMES[name].partition(":")
    value = globals()[name] = getattr(import_module(f"armdyn.{module}"), called or name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
