"""Joint friction in the kinds whose torque is the one that a drive gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from armdyn.algorithms.friction import friction
from armdyn.algorithms.vector import Matrix
from armdyn.robot import Chain
from armdyn.scalar import Scalar


def with_friction(
    kind: str, run: Callable[..., Any], chain: Chain, inputs: tuple[list[Scalar], ...]
) -> Any:
    """Run a method of a kind in `RULES`; its inputs are q, qd and either qdd or tau."""
    return RULES[kind](run, chain, *inputs)


def _inverse(
    run: Callable[..., Any], chain: Chain, q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]
) -> list[Scalar]:
    return [t + f for t, f in zip(run(chain, q, qd, qdd), friction(chain, qd), strict=True)]


def _forward(
    run: Callable[..., Any], chain: Chain, q: list[Scalar], qd: list[Scalar], tau: list[Scalar]
) -> Any:
    return run(chain, q, qd, [t - f for t, f in zip(tau, friction(chain, qd), strict=True)])


# Of friction only the viscous part has a derivative, Fv; that of Coulomb's is 0 where there is one.


def _inverse_derivatives(
    run: Callable[..., Any], chain: Chain, q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]
) -> tuple[Matrix, Matrix, Matrix]:
    dtau_dq, dtau_dqd, M = run(chain, q, qd, qdd)
    rows: Matrix = [list(row) for row in dtau_dqd]
    for i, link in enumerate(chain.links):
        rows[i][i] = rows[i][i] + link.Fv
    return dtau_dq, rows, M


def _forward_derivatives(
    run: Callable[..., Any], chain: Chain, q: list[Scalar], qd: list[Scalar], tau: list[Scalar]
) -> tuple[Matrix, Matrix, Matrix]:
    dqdd_dq, dqdd_dqd, Minv = _forward(run, chain, q, qd, tau)
    rows = [
        [x - y * link.Fv for x, y, link in zip(row, inverse, chain.links, strict=True)]
        for row, inverse in zip(dqdd_dqd, Minv, strict=True)
    ]
    return dqdd_dq, rows, Minv


RULES: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": _inverse,
    "forward_dynamics": _forward,
    "inverse_dynamics_derivatives": _inverse_derivatives,
    "forward_dynamics_derivatives": _forward_derivatives,
}
"""How friction enters, by kind; the other kinds have none."""
