"""Capsules that stand for the links of an arm, planes, and the clearances between them."""

from armdyn.identification.exciting.geometry._capsules import Body, Capsule, body_of
from armdyn.identification.exciting.geometry._closest import Clearance, closest
from armdyn.identification.exciting.geometry._planes import Plane, base_plane, planes_of
from armdyn.identification.exciting.geometry._space import Space

__all__ = [
    "Body",
    "Capsule",
    "Clearance",
    "Plane",
    "Space",
    "base_plane",
    "body_of",
    "closest",
    "planes_of",
]
