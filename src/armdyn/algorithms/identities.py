"""Equations between quantities that `verify` checks, one function each.

A function takes the answer of a method, `got`, and what is known at the same states, `at`. It
returns pairs of sides that are equal to rounding. Answers are lists of numbers; a number may stand
for many states at once. Friction is left out of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, cast

from armdyn.algorithms.coordinates import projected, rates
from armdyn.algorithms.friction import terms
from armdyn.algorithms.link_parameters import parameters
from armdyn.robot.chain import Chain

Sides: TypeAlias = list[tuple[Any, Any]]


class Answers(Protocol):
    """The known values at the states of a check.

    Attributes:
        chain: the constants of the arm.
    """

    chain: Chain

    def __getitem__(self, name: str) -> Any:
        """Return an input, e.g. "qd", or a quantity: the median of its methods."""
        ...

    def slope(self, quantity: str, by: str) -> Any:
        """Return the derivative by an input, on the last index, by differences."""
        ...

    def evaluate(self, quantity: str, **inputs: Any) -> Any:
        """Return a quantity at these states, some inputs replaced."""
        ...


def coriolis_matrix(C: Any, at: Answers) -> Sides:
    """C qd = bias - gravity."""
    torques = [b - g for b, g in zip(at["bias"], at["gravity"], strict=True)]
    return [(_apply(C, at["qd"]), torques)]


def inverse_dynamics_derivatives(got: Any, at: Answers) -> Sides:
    """The derivatives by q and qd are slopes of the torques.

    They are taken together: differences of the whole torque are no better than its rounding.
    """
    slopes = (at.slope("inverse_dynamics", by) for by in ("q", "qd"))
    return [(_beside(*got[:2]), _beside(*slopes))]


def forward_dynamics_derivatives(got: Any, at: Answers) -> Sides:
    """M dqdd = -dtau, at the accelerations that tau gives."""
    M, n = at["mass_matrix"], at.chain.dof
    by_q, by_qd, _ = at.evaluate("inverse_dynamics_derivatives", qdd=at["forward_dynamics"])
    dq, dqd, Minv = got
    return [
        (_minus(_product(M, dq)), by_q),
        (_minus(_product(M, dqd)), by_qd),
        (_product(M, Minv), _one(n)),
    ]


def inverse_mass_matrix(Minv: Any, at: Answers) -> Sides:
    """M Minv = 1."""
    return [(_product(at["mass_matrix"], Minv), _one(at.chain.dof))]


def udu(got: Any, at: Answers) -> Sides:
    """M = U D U^T."""
    U, D = got
    scaled = [[u * d for u, d in zip(row, D, strict=True)] for row in U]
    return [([_apply(scaled, row) for row in U], at["mass_matrix"])]


def regressor(Y: Any, at: Answers) -> Sides:
    """Y p, with rotors, is the torque."""
    torques = _apply(Y, parameters(at.chain))
    pushes = zip(at.chain.links, rates(at.chain, at["qdd"]), strict=True)
    drives = projected(at.chain, [link.Jm * a for link, a in pushes])
    return [([t + x for t, x in zip(torques, drives, strict=True)], at["inverse_dynamics"])]


def kinetic_energy(T: Any, at: Answers) -> Sides:
    """T = qd M qd / 2."""
    qd = at["qd"]
    return [(T, 0.5 * _dot(qd, _apply(at["mass_matrix"], qd)))]


def potential_energy(V: Any, at: Answers) -> Sides:
    """dV/dq = gravity."""
    return [(at.slope("potential_energy", "q"), at["gravity"])]


def pose(T: Any, at: Answers) -> Sides:
    """The tip's origin moves as the Jacobian says."""
    slope = at.slope("pose", "q")
    return [(at["jacobian"][:3], [slope[i][3] for i in range(3)])]


def jacobian(J: Any, at: Answers) -> Sides:
    """The Jacobian says how the tip's origin moves."""
    slope = at.slope("pose", "q")
    return [(J[:3], [slope[i][3] for i in range(3)])]


def jacobian_derivative(dJ: Any, at: Answers) -> Sides:
    """The Jacobian changes along qd."""
    slope, qd = at.slope("jacobian", "q"), at["qd"]
    return [(dJ, [_apply(rows, qd) for rows in slope])]


def friction(tau: Any, at: Answers) -> Sides:
    """Friction is the sum of its terms, each with its coefficient."""
    torques: list[Any] = []
    for link, v in zip(at.chain.links, cast(Any, rates(at.chain, at["qd"])), strict=True):
        sign = (v > 0.0) * 1.0 - (v < 0.0) * 1.0
        own = [(F, *pair) for F, pair in zip(link.friction, terms(link.shapes), strict=True) if F]
        torques.append(sum(F * term.column(v, sign, *shape) for F, term, shape in own) + 0.0 * v)
    return [(tau, projected(at.chain, torques))]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _apply(A: Sequence[Sequence[Any]], x: Sequence[Any]) -> list[Any]:
    return [_dot(row, x) for row in A]


def _product(A: Sequence[Sequence[Any]], B: Sequence[Sequence[Any]]) -> list[list[Any]]:
    columns = list(zip(*B, strict=True))
    return [_apply(columns, row) for row in A]


def _minus(A: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [[-x for x in row] for row in A]


def _beside(A: Sequence[Sequence[Any]], B: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [[*a, *b] for a, b in zip(A, B, strict=True)]


def _one(n: int) -> list[list[float]]:
    return [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
