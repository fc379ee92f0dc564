"""Joint friction, and how it enters each quantity that a drive feels.

The law itself is the table of `armdyn.robot.friction`. The rules take a method of the quantity
without friction, `run`, and return the quantity with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from armdyn.algorithms.vector import Matrix
from armdyn.robot import FRICTION_TERMS, Chain, FrictionTerm
from armdyn.scalar import Scalar, sign

Row = Sequence[Scalar]
Run = Callable[..., Any]


def friction(chain: Chain, qd: Row) -> list[Scalar]:
    """Return what friction adds to the torque that drives each joint."""
    return [torque(k.friction, k.shapes, v) for k, v in zip(chain.links, qd, strict=True)]


def slopes(chain: Chain, qd: Row) -> list[Scalar]:
    """Return the derivative of each joint's friction by its speed."""
    return [slope(k.friction, k.shapes, v) for k, v in zip(chain.links, qd, strict=True)]


def torque(coefficients: Row, shapes: Row, v: Scalar) -> Scalar:
    """Return the friction of a joint at speed v; its constants are in the order of the table."""
    return _sum(*(F * x for F, x in zip(coefficients, columns(shapes, v), strict=True)))


def smooth(coefficients: Row, shapes: Row, v: Scalar) -> Scalar:
    """Return the part of `torque` that is not dry friction."""
    return _part(coefficients, shapes, v, sign(v), dry=False)


def sliding(coefficients: Row, shapes: Row, v: Scalar, s: Scalar) -> Scalar:
    """Return the dry friction of a joint that slides, or is about to, in the direction s."""
    return _part(coefficients, shapes, v, s, dry=True)


def columns(shapes: Row, v: Scalar) -> list[Scalar]:
    """Return the torque of each term at speed v for a coefficient of 1."""
    s = sign(v)
    return [term.column(v, s, *shape) for term, shape in terms(shapes)]


def slope(coefficients: Row, shapes: Row, v: Scalar) -> Scalar:
    """Return the derivative of `torque` by v; for dry friction at rest, which has none, 0."""
    s = sign(v)
    pairs = zip(coefficients, terms(shapes), strict=True)
    return _sum(*(F * term.slope(v, s, *shape) for F, (term, shape) in pairs))


def _part(coefficients: Row, shapes: Row, v: Scalar, s: Scalar, *, dry: bool) -> Scalar:
    pairs = zip(coefficients, terms(shapes), strict=True)
    own = [F * term.column(v, s, *shape) for F, (term, shape) in pairs if term.dry is dry]
    return _sum(*own) if own else 0.0


def terms(shapes: Row) -> Iterator[tuple[FrictionTerm, Row]]:
    """Yield the terms, each with its part of the shapes."""
    at = 0
    for term in FRICTION_TERMS.values():
        yield term, shapes[at : at + len(term.shape)]
        at += len(term.shape)


def _sum(first: Scalar, *others: Scalar) -> Scalar:
    for other in others:
        first = first + other
    return first


def in_inverse_dynamics(run: Run, chain: Chain, q: Row, qd: Row, qdd: Row) -> list[Scalar]:
    """Return the torques that drives give: those of the bodies and friction."""
    return [t + f for t, f in zip(run(chain, q, qd, qdd), friction(chain, qd), strict=True)]


def in_forward_dynamics(run: Run, chain: Chain, q: Row, qd: Row, tau: Row) -> Any:
    """Return the accelerations caused by the torques minus friction."""
    return run(chain, q, qd, [t - f for t, f in zip(tau, friction(chain, qd), strict=True)])


def in_inverse_dynamics_derivatives(
    run: Run, chain: Chain, q: Row, qd: Row, qdd: Row
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives of the torques that drives give by q, qd and qdd."""
    dtau_dq, dtau_dqd, M = run(chain, q, qd, qdd)
    rows: Matrix = [list(row) for row in dtau_dqd]
    for i, by_speed in enumerate(slopes(chain, qd)):
        rows[i][i] = rows[i][i] + by_speed
    return dtau_dq, rows, M


def in_forward_dynamics_derivatives(
    run: Run, chain: Chain, q: Row, qd: Row, tau: Row
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives by q, qd and tau of the accelerations that tau gives."""
    dqdd_dq, dqdd_dqd, Minv = in_forward_dynamics(run, chain, q, qd, tau)
    by_speed = slopes(chain, qd)
    rows = [
        [x - y * z for x, y, z in zip(row, inverse, by_speed, strict=True)]
        for row, inverse in zip(dqdd_dqd, Minv, strict=True)
    ]
    return dqdd_dq, rows, Minv
