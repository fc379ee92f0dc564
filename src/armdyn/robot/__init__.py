"""The description: what an arm is, how it is read and written, and the constants it comes down to."""

from armdyn.robot._chain import Chain, Link, Symmetric, Vector, chain_of, exact_cos_sin
from armdyn.robot._generic import generic
from armdyn.robot._joint import Joint
from armdyn.robot._robot import IDENTITY, Placement, Robot

__all__ = [
    "IDENTITY",
    "Chain",
    "Joint",
    "Link",
    "Placement",
    "Robot",
    "Symmetric",
    "Vector",
    "chain_of",
    "exact_cos_sin",
    "generic",
]
