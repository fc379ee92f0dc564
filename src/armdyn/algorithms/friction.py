"""Joint friction, and how it enters each quantity that a drive feels.

The rules take a method of the quantity without friction, `run`, and return the quantity with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from armdyn.algorithms.vector import Matrix
from armdyn.robot import Chain
from armdyn.scalar import Scalar, sign

Row = Sequence[Scalar]
Run = Callable[..., Any]


def friction(chain: Chain, qd: Row) -> list[Scalar]:
    """Return Fv qd + Fc sign(qd) + Fo: what friction adds to the torque that drives a joint.

    sign(0) is 0: a joint at rest has no Coulomb friction here; what holds it is below Fc, and
    unknown.
    """
    return [
        link.Fv * v + link.Fc * sign(v) + link.Fo for link, v in zip(chain.links, qd, strict=True)
    ]


def slopes(chain: Chain) -> list[Scalar]:
    """Return the derivative of each joint's friction by its speed; Coulomb's is 0 where it is."""
    return [link.Fv for link in chain.links]


def in_inverse_dynamics(run: Run, chain: Chain, q: Row, qd: Row, qdd: Row) -> list[Scalar]:
    """Return the torques that drives give: those of the bodies and friction."""
    return [t + f for t, f in zip(run(chain, q, qd, qdd), friction(chain, qd), strict=True)]


def in_forward_dynamics(run: Run, chain: Chain, q: Row, qd: Row, tau: Row) -> Any:
    """Return the accelerations of the torques that friction leaves."""
    return run(chain, q, qd, [t - f for t, f in zip(tau, friction(chain, qd), strict=True)])


def in_inverse_dynamics_derivatives(
    run: Run, chain: Chain, q: Row, qd: Row, qdd: Row
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives of the torques that drives give by q, qd and qdd."""
    dtau_dq, dtau_dqd, M = run(chain, q, qd, qdd)
    rows: Matrix = [list(row) for row in dtau_dqd]
    for i, slope in enumerate(slopes(chain)):
        rows[i][i] = rows[i][i] + slope
    return dtau_dq, rows, M


def in_forward_dynamics_derivatives(
    run: Run, chain: Chain, q: Row, qd: Row, tau: Row
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives by q, qd and tau of the accelerations that tau gives."""
    dqdd_dq, dqdd_dqd, Minv = in_forward_dynamics(run, chain, q, qd, tau)
    rows = [
        [x - y * slope for x, y, slope in zip(row, inverse, slopes(chain), strict=True)]
        for row, inverse in zip(dqdd_dqd, Minv, strict=True)
    ]
    return dqdd_dq, rows, Minv


RULES: dict[str, Run] = {
    "inverse_dynamics": in_inverse_dynamics,
    "forward_dynamics": in_forward_dynamics,
    "inverse_dynamics_derivatives": in_inverse_dynamics_derivatives,
    "forward_dynamics_derivatives": in_forward_dynamics_derivatives,
}
"""How friction enters, by quantity; the others have none."""
