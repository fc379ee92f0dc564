"""Joint friction, and how it enters each quantity that a drive feels.

The law itself is the table of `armdyn.robot.friction`. For one joint it is

    f(v, L) = f(v) + lambda(v) |L|

where L is the torque that its gear transmits: f(v) is `torque`, lambda(v) is `share`. The rules
take a method of the quantity without friction, `run`, and return the quantity with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from armdyn.algorithms import second_moment
from armdyn.algorithms.coordinates import (
    of_coordinates,
    positions,
    projected,
    projected_matrix,
    rates,
)
from armdyn.algorithms.load_friction import absolute, transmission, without_rotors
from armdyn.algorithms.vector import Matrix, inner, is_zero, total
from armdyn.errors import InputError
from armdyn.robot.chain import COUPLED, Chain
from armdyn.robot.friction import FRICTION_TERMS, FrictionTerm, has_load_terms
from armdyn.scalar import Scalar, sign

Row = Sequence[Scalar]
Run = Callable[..., Any]


def friction(chain: Chain, qd: Row) -> list[Scalar]:
    """Return what friction adds to the torque that drives each joint, of arms without load terms.

    Raises:
        InputError: friction depends on the load of a joint.
    """
    for i, k in enumerate(of_coordinates(chain), 1):
        if not is_zero(share(k.friction, k.shapes, 1.0)):
            raise InputError(
                f"friction of joint {i} depends on the torque that its gear transmits; give it as "
                "`load`, e.g. load=arm.regressor(q, qd, qdd) @ arm.parameters, or take "
                "inverse_dynamics with and without friction.",
                argument="load",
            )
    return _of_speeds(chain, qd)


def friction_under_load(chain: Chain, qd: Row, load: Row) -> list[Scalar]:
    """Return what friction adds to the torque that drives each joint, given what gears transmit."""
    own, shares = _of_speeds(chain, qd), _shares(chain, qd)
    pairs = zip(own, shares, load, strict=True)
    return [f if is_zero(part) else f + part * absolute(L) for f, part, L in pairs]


def _of_speeds(chain: Chain, qd: Row) -> list[Scalar]:
    speeds = zip(chain.links, rates(chain, qd), strict=True)
    return projected(chain, [torque(k.friction, k.shapes, v) for k, v in speeds])


def _shares(chain: Chain, qd: Row) -> list[Scalar]:
    joints = zip(of_coordinates(chain), qd, strict=True)
    return [share(k.friction, k.shapes, v) for k, v in joints]


def slopes(chain: Chain, qd: Row) -> list[Scalar]:
    """Return the derivative of each joint's friction by its speed, without load terms."""
    speeds = zip(chain.links, rates(chain, qd), strict=True)
    return [slope(k.friction, k.shapes, v) for k, v in speeds]


def torque(coefficients: Row, shapes: Row, v: Scalar) -> Scalar:
    """Return the friction of a joint at speed v; its constants are in the order of the table."""
    return _part(coefficients, shapes, v, sign(v), lambda term: not term.load)


def share(coefficients: Row, shapes: Row, v: Scalar, s: Scalar | None = None) -> Scalar:
    """Return the friction of a joint per transmitted torque; exactly 0 without such terms.

    Args:
        coefficients: in the order of the table.
        shapes: of the columns.
        v: the speed.
        s: the direction in which the joint slides; that of the speed if None.
    """
    return _part(coefficients, shapes, v, sign(v) if s is None else s, lambda term: term.load)


def smooth(coefficients: Row, shapes: Row, v: Scalar) -> Scalar:
    """Return the part of `torque` that is not dry friction."""
    return _part(coefficients, shapes, v, sign(v), lambda term: not (term.load or term.dry))


def sliding(coefficients: Row, shapes: Row, v: Scalar, s: Scalar) -> Scalar:
    """Return the dry friction of a joint that slides, or is about to, in the direction s.

    Without load terms, for which see `share`.
    """
    return _part(coefficients, shapes, v, s, lambda term: term.dry and not term.load)


def columns(shapes: Row, v: Scalar, load: Scalar) -> list[Scalar]:
    """Return the torque of each term for a coefficient of 1, at speed v and transmitted torque."""
    found = [(term, term.column(v, sign(v), *shape)) for term, shape in terms(shapes)]
    return [x * absolute(load) if term.load else x for term, x in found]


def slope(coefficients: Row, shapes: Row, v: Scalar) -> Scalar:
    """Return the derivative of `torque` by v; for dry friction at rest, which has none, 0."""
    return _slope(coefficients, shapes, v, load=False)


def _slope(coefficients: Row, shapes: Row, v: Scalar, *, load: bool) -> Scalar:
    s, own = sign(v), _own(coefficients, shapes, lambda term: term.load is load)
    return total(F * term.slope(v, s, *shape) for F, term, shape in own)


def _part(
    coefficients: Row, shapes: Row, v: Scalar, s: Scalar, chosen: Callable[[FrictionTerm], bool]
) -> Scalar:
    own = _own(coefficients, shapes, chosen)
    return total(F * term.column(v, s, *shape) for F, term, shape in own)


def _own(
    coefficients: Row, shapes: Row, chosen: Callable[[FrictionTerm], bool]
) -> Iterator[tuple[Scalar, FrictionTerm, Row]]:
    """Yield chosen terms with coefficient and shape, but for those that only other joints have."""
    for F, (term, shape) in zip(coefficients, terms(shapes), strict=True):
        if chosen(term) and (term.common or not is_zero(F)):
            yield F, term, shape


def terms(shapes: Row) -> Iterator[tuple[FrictionTerm, Row]]:
    """Yield the terms, each with its part of the shapes."""
    at = 0
    for term in FRICTION_TERMS.values():
        yield term, shapes[at : at + len(term.shape)]
        at += len(term.shape)


def bears_load(chain: Chain) -> bool:
    """Return whether the friction of some joint depends on its load."""
    return has_load_terms(link.friction for link in chain.links)


def in_inverse_dynamics(run: Run, chain: Chain, q: Row, qd: Row, qdd: Row) -> list[Scalar]:
    """Return the torques that drives give: those of the bodies and friction."""
    if not bears_load(chain):
        return [t + f for t, f in zip(run(chain, q, qd, qdd), _of_speeds(chain, qd), strict=True)]
    load = run(without_rotors(chain), q, qd, qdd)
    f = friction_under_load(chain, qd, load)
    own = zip(load, of_coordinates(chain), qdd, f, strict=True)
    return [L + link.Jm * a + x for L, link, a, x in own]


def in_forward_dynamics(run: Run, chain: Chain, q: Row, qd: Row, tau: Row) -> Any:
    """Return the accelerations caused by the torques minus friction."""
    left = [t - f for t, f in zip(tau, _of_speeds(chain, qd), strict=True)]
    if not bears_load(chain):
        return run(chain, q, qd, left)
    return run(*transmission(chain, q, qd, left, _shares(chain, qd)).problem(q, qd))


def in_inverse_dynamics_derivatives(
    run: Run, chain: Chain, q: Row, qd: Row, qdd: Row
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives of the torques that drives give by q, qd and qdd."""
    by_speed = slopes(chain, qd)
    if bears_load(chain):
        bare = without_rotors(chain)
        joints = positions(chain, q), rates(chain, qd), rates(chain, qdd)
        load = projected(chain, second_moment.inverse_dynamics(bare, *joints))
        factors = [1.0 + x * sign(L) for x, L in zip(_shares(chain, qd), load, strict=True)]
        by_q, by_qd, by_qdd = (_rows_times(factors, A) for A in run(bare, q, qd, qdd))
        by_speed = _with_load(chain, qd, projected(chain, by_speed), load)
        rotors = [link.Jm for link in of_coordinates(chain)]
        return by_q, _plus_diagonal(by_qd, by_speed), _plus_diagonal(by_qdd, rotors)
    dtau_dq, dtau_dqd, M = run(chain, q, qd, qdd)
    if chain.mechanism == COUPLED:
        return dtau_dq, _sum(dtau_dqd, _damping(chain, by_speed)), M
    return dtau_dq, _plus_diagonal(dtau_dqd, projected(chain, by_speed)), M


def in_forward_dynamics_derivatives(
    run: Run, chain: Chain, q: Row, qd: Row, tau: Row
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives by q, qd and tau of the accelerations that tau gives."""
    by_speed = slopes(chain, qd)
    left = [t - f for t, f in zip(tau, _of_speeds(chain, qd), strict=True)]
    if bears_load(chain):
        found = transmission(chain, q, qd, left, _shares(chain, qd))
        dqdd_dq, dqdd_dqd, Minv = run(*found.problem(q, qd))
        Minv = [[x / d for x, d in zip(row, found.factors, strict=True)] for row in Minv]
        by_speed = _with_load(chain, qd, projected(chain, by_speed), found.loads(q, qd))
    else:
        dqdd_dq, dqdd_dqd, Minv = run(chain, q, qd, left)
        if chain.mechanism == COUPLED:
            damping = _damping(chain, by_speed)
            slowed = [[-inner(row, column) for column in damping] for row in Minv]
            return dqdd_dq, _sum(dqdd_dqd, slowed), Minv
        by_speed = projected(chain, by_speed)
    rows = [
        [x - y * z for x, y, z in zip(row, inverse, by_speed, strict=True)]
        for row, inverse in zip(dqdd_dqd, Minv, strict=True)
    ]
    return dqdd_dq, rows, Minv


def _with_load(chain: Chain, qd: Row, slopes: Row, load: Row) -> list[Scalar]:
    """Return the slopes of friction by speed, load terms included."""
    more = [
        _slope(k.friction, k.shapes, v, load=True)
        for k, v in zip(of_coordinates(chain), qd, strict=True)
    ]
    return [
        x if is_zero(y) else x + y * absolute(L) for x, y, L in zip(slopes, more, load, strict=True)
    ]


def _damping(chain: Chain, slopes: Row) -> Matrix:
    """Return G^T diag(slopes) G, symmetric: followers slow the coordinates that they follow."""
    diagonal = [[x if i == j else 0.0 for j in range(chain.n)] for i, x in enumerate(slopes)]
    return projected_matrix(chain, diagonal, symmetric=True)


def _sum(A: Matrix, B: Matrix) -> Matrix:
    return [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(A, B, strict=True)]


def _rows_times(factors: Row, A: Matrix) -> Matrix:
    return [[d * x for x in row] for d, row in zip(factors, A, strict=True)]


def _plus_diagonal(A: Matrix, diagonal: Row) -> Matrix:
    rows: Matrix = [list(row) for row in A]
    for i, x in enumerate(diagonal):
        rows[i][i] = rows[i][i] + x
    return rows
