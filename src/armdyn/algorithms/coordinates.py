"""Coordinates of trees: joint positions are q_t = G q + q0, and torques are tau = G^T tau_t.

[Featherstone2008] section 3.5, with a constant G: qd_t = G qd, qdd_t = G qdd, M = G^T M_t G. The
row of G of a joint that moves by itself has a one, that of the frame of a branch is empty, and that
of a follower has the factors of the coordinates that it follows. Of a serial arm G is the identity,
and nothing is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from armdyn.algorithms.vector import Matrix, is_zero
from armdyn.robot.chain import Chain, Link
from armdyn.scalar import Scalar

Row = Sequence[Scalar]

# Outputs of which every entry below the diagonal is that above it.
SYMMETRIC = ("M", "Minv")


def positions(chain: Chain, q: Row) -> Row:
    """Return q_t = G q + q0."""
    if chain.is_serial:
        return q
    pairs = zip(rates(chain, q), chain.couplings, strict=True)
    return [x + row.offset if row.offset else x for x, row in pairs]


def rates(chain: Chain, qd: Row) -> Row:
    """Return G qd: velocities or accelerations of the joints."""
    if chain.is_serial:
        return qd
    return [_sum([_times(x, qd[k]) for k, x in row.factors]) for row in chain.couplings]


def of_coordinates(chain: Chain) -> list[Link]:
    """Return the links of the joints that are coordinates: all but followers."""
    return [chain[i] for i in chain.link_numbers[: chain.dof]]


def projected(chain: Chain, tau: Row) -> list[Scalar]:
    """Return G^T tau_t."""
    if chain.is_serial:
        return list(tau)
    parts: list[list[Scalar]] = [[] for _ in range(chain.dof)]
    for value, row in zip(tau, chain.couplings, strict=True):
        for k, x in row.factors:
            parts[k].append(_times(x, value))
    return [_sum(terms) for terms in parts]


def projected_rows(chain: Chain, A: Matrix) -> Matrix:
    """Return G^T A of a matrix that has a row for each joint."""
    return _transposed([projected(chain, column) for column in _transposed(A)])


def projected_columns(chain: Chain, A: Matrix) -> Matrix:
    """Return A G of a matrix that has a column for each joint."""
    return [projected(chain, row) for row in A]


def projected_matrix(chain: Chain, A: Matrix, symmetric: bool = False) -> Matrix:
    """Return G^T A G; of a symmetric A every entry is summed once."""
    if chain.is_serial:
        return A
    found = projected_rows(chain, projected_columns(chain, A))
    if not symmetric:
        return found
    n = range(chain.dof)
    return [[found[max(i, j)][min(i, j)] for j in n] for i in n]


def of_parameters(chain: Chain, Y: Matrix) -> Matrix:
    """Return G^T Y with the columns of the robot's own links, in its order; 10 for each."""
    if chain.is_serial:
        return Y
    columns = [10 * (i - 1) + p for i in chain.link_numbers for p in range(10)]
    return projected_rows(chain, [[row[k] for k in columns] for row in Y])


def on_coordinates(
    run: Callable[..., Any], inputs: Sequence[str], outputs: Mapping[str, tuple[int | str, ...]]
) -> Callable[..., Any]:
    """Return a method of joints as one of coordinates.

    Args:
        run: ``run(chain, *inputs, **options)``, by joints.
        inputs: names of the inputs: "q", and rates. "tau" goes to the joints that are coordinates.
        outputs: their names and shapes, with "n" for the number of joints and "10n" for that of
            parameters.
    """

    def projecting(chain: Chain, *given: Row, **options: Any) -> Any:
        if chain.is_serial:
            return run(chain, *given, **options)
        of_joints = [_to_joints(chain, name, x) for name, x in zip(inputs, given, strict=True)]
        found = run(chain, *of_joints, **options)
        parts = found if len(outputs) > 1 else (found,)
        pairs = zip(parts, outputs.items(), strict=True)
        results = tuple(_projected_output(chain, x, *output) for x, output in pairs)
        return results if len(outputs) > 1 else results[0]

    return projecting


def _to_joints(chain: Chain, name: str, x: Row) -> Row:
    return positions(chain, x) if name == "q" else rates(chain, x)


def _projected_output(chain: Chain, found: Any, name: str, shape: tuple[int | str, ...]) -> Any:
    if shape == ("n",):
        return projected(chain, found)
    if shape == ("n", "n"):
        return projected_matrix(chain, found, symmetric=name in SYMMETRIC)
    if shape == ("n", "10n"):
        return of_parameters(chain, found)
    if shape[-1:] == ("n",):
        return projected_columns(chain, found)
    return found


def _times(factor: float, x: Scalar) -> Scalar:
    if is_zero(x):
        return 0.0
    if factor == 1.0:
        return x
    return -x if factor == -1.0 else factor * x


def _sum(terms: Sequence[Scalar]) -> Scalar:
    found: Scalar = 0.0
    for x in terms:
        found = x if is_zero(found) else found if is_zero(x) else found + x
    return found


def _transposed(A: Sequence[Sequence[Scalar]]) -> Matrix:
    return [list(column) for column in zip(*A, strict=True)]
