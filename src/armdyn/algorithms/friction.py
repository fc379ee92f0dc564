"""Joint friction: viscous, Coulomb and a constant offset."""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.robot import Chain
from armdyn.scalar import Scalar, sign


def friction(chain: Chain, qd: Sequence[Scalar]) -> list[Scalar]:
    """Return Fv qd + Fc sign(qd) + Fo: what friction adds to the torque that drives a joint.

    sign(0) is 0: a joint at rest has no Coulomb friction here; what holds it is below Fc, and
    unknown.
    """
    return [
        link.Fv * v + link.Fc * sign(v) + link.Fo for link, v in zip(chain.links, qd, strict=True)
    ]
