"""The smallest and fastest exact dynamic models of serial robot arms."""

from armdyn.errors import (
    ArmdynError,
    FileError,
    GraphError,
    InputError,
    MethodError,
    MissingExtraError,
    RobotError,
    RobotWarning,
)
from armdyn.robot import Joint, Robot, generic

__all__ = [
    "ArmdynError",
    "FileError",
    "GraphError",
    "InputError",
    "Joint",
    "MethodError",
    "MissingExtraError",
    "Robot",
    "RobotError",
    "RobotWarning",
    "generic",
]
