"""The inertial parameters of the links, in the order that the regressor's columns have."""

from __future__ import annotations

from armdyn.algorithms.vector import inertia_at_origin, scale
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar

# The parameters of a link, in their order: mass, first moment and inertia about O_i, in E_i.
PARAMETER_NAMES = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


def parameters(chain: Chain) -> list[Scalar]:
    """Return the 10n parameters, link by link in the order of `PARAMETER_NAMES`."""
    listed: list[Scalar] = []
    for link in (chain[i] for i in chain.link_numbers):
        xx, xy, xz, yy, yz, zz = inertia_at_origin(link.m, link.c, link.I)
        listed += [link.m, *scale(link.m, link.c), xx, xy, yy, xz, yz, zz]
    return listed
