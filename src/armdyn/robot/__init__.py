"""The description: what an arm is, how it is read and written, and the constants it amounts to."""

from typing import TYPE_CHECKING

from armdyn.robot._bundled import bundled_names
from armdyn.robot._chain import Chain, Link, Symmetric, Vector, chain_of, exact_cos_sin
from armdyn.robot._files import read_robot, write_robot
from armdyn.robot._generic import generic
from armdyn.robot._joint import Joint
from armdyn.robot._robot import IDENTITY, Placement, Robot
from armdyn.robot._standard_dh import from_standard_dh
from armdyn.robot.formats._registry import suffixes_in_words
from armdyn.robot.formats._toml import toml_text
from armdyn.robot.friction import FRICTION_TERMS, FrictionTerm

if TYPE_CHECKING:
    from armdyn.robot.formats.urdf import urdf_text

__all__ = [
    "FRICTION_TERMS",
    "IDENTITY",
    "Chain",
    "FrictionTerm",
    "Joint",
    "Link",
    "Placement",
    "Robot",
    "Symmetric",
    "Vector",
    "bundled_names",
    "chain_of",
    "exact_cos_sin",
    "from_standard_dh",
    "generic",
    "read_robot",
    "suffixes_in_words",
    "toml_text",
    "urdf_text",
    "write_robot",
]


def __getattr__(name: str) -> object:
    """Import what few programs need when it is asked for."""
    if name != "urdf_text":
        raise AttributeError(f"module 'armdyn.robot' has no attribute {name!r}")
    from armdyn.robot.formats.urdf import urdf_text

    return urdf_text
