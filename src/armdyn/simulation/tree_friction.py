"""Friction of the coordinates of a tree: of their own joints and of joints that follow them."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from armdyn.algorithms.coordinates import of_coordinates
from armdyn.errors import InputError
from armdyn.robot.chain import Chain, Link
from armdyn.robot.friction import FRICTION_TERMS, FrictionTerm
from armdyn.robot.model import Robot
from armdyn.scalar import Scalar, sign

# Speeds at which the torque of a term is compared with that of a follower, and relative rounding.
SPEEDS = (0.5, 3.0, -0.5, -3.0)
ROUNDING = 1e-12


def friction_links(robot: Robot, chain: Chain) -> list[Link]:
    """Return a link for each coordinate, with the friction of its followers in its own.

    A follower of one joint slides and sticks together with it, so that its terms are added to those
    of that joint, each multiplied by what its factor makes of it.

    Raises:
        InputError: the friction of a follower does not add up with that of the joint it follows.
    """
    found = of_coordinates(chain)
    if len(found) == len(chain.link_numbers):
        return found
    for i, joint in zip(chain.link_numbers[chain.dof :], robot.links[chain.dof :], strict=True):
        link, factors = chain[i], chain.couplings[i - 1].factors
        if not any(link.friction) or not factors:
            continue
        if len(factors) > 1:
            raise InputError(
                f"follower {joint.name!r} has friction and follows {len(factors)} joints: when it "
                "sticks does not follow from one of them. Give the friction to these joints."
            )
        k, factor = next(iter(factors))
        total: list[Scalar] = list(found[k].friction)
        for at, (name, term) in enumerate(FRICTION_TERMS.items()):
            if F := link.friction[at]:
                total[at] = total[at] + F * _share(term, name, factor, joint.name)
        found[k] = replace(found[k], friction=tuple(total))
    return found


def _share(term: FrictionTerm, name: str, factor: float, joint: str) -> float:
    """Return the coefficient of a leader for a coefficient of one of its follower."""
    shape = (1.0,) * len(term.shape)

    def ratio(v: float) -> float:
        own = factor * term.column(factor * v, sign(factor * v), *shape)
        return cast(float, own / term.column(v, sign(v), *shape))

    ratios = [ratio(v) for v in SPEEDS]
    if max(ratios) - min(ratios) > ROUNDING * max(map(abs, ratios)):
        raise InputError(
            f"follower {joint!r} has the friction `{name}`, which at another speed is not that of "
            "the joint it follows. Give that joint friction instead."
        )
    return ratios[0]
