"""Convex problems for the solver Clarabel, which is imported on use.

    minimise  sum of c_k u_k + w_k u_k^2   such that   M u + m  lies in a cone

for unknowns u and any number of cones. A symmetric matrix X is its upper triangle, column by
column: X_00, X_01, X_11, X_02, ... In the cone of semidefinite matrices, Clarabel weighs entries
off the diagonal with sqrt 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import Array
from armdyn.errors import NumericalError
from armdyn.files import imported
from armdyn.log.segments import scipy

Terms = Sequence[tuple[slice, Array]]

# Settings that are tried in turn: a small gap, so that results do not depend on units; Clarabel's
# own; more regularisation of the linear systems, for data without noise, where the cost is nearly
# flat; then reduced tolerances as well.
PRECISE = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10}
REGULARISED = {"static_regularization_constant": 1e-6, "iterative_refinement_max_iter": 30}
REDUCED = {"reduced_tol_gap_abs": 1e-4, "reduced_tol_gap_rel": 1e-4, "reduced_tol_feas": 1e-4}
SETTINGS: tuple[dict[str, float], ...] = (PRECISE, {}, REGULARISED, {**REGULARISED, **REDUCED})
WITHOUT_SOLUTION = {
    "PrimalInfeasible": "says that the problem is infeasible",
    "DualInfeasible": "says that the problem is unbounded",
}


def need_solver(why: str) -> Any:
    """Return the module of the solver, or raise an error if it is missing, before any work."""
    return imported("clarabel", why, "identify")


def vec_of_triangle(n: int) -> Array:
    """Return F ``(n^2, n (n + 1) / 2)``: vec(X) = F u for a symmetric X of triangle u."""
    j, i = np.tril_indices(n)
    F = np.zeros((n, n, len(i)))
    F[i, j, range(len(i))] = F[j, i, range(len(i))] = 1.0
    return F.reshape(n * n, len(i))


class ConicProblem:
    """Unknowns with their cost, and affine functions of them that lie in cones.

    A function is a sum of terms: a slice of the unknowns, and the matrix that multiplies it.
    """

    def __init__(self, what: str) -> None:
        self._clarabel, self._what = need_solver(what), what
        self._costs: list[Array] = []
        self._cones: list[tuple[Any, Terms, Array]] = []
        self._count = 0

    def unknowns(self, count: int, linear: ArrayLike = 0.0, square: float = 0.0) -> slice:
        """Add unknowns u, which cost ``linear @ u + square |u|^2``, and return where they are."""
        cost = np.full((2, count), square)
        cost[0] = linear
        self._costs.append(cost)
        self._count += count
        return slice(self._count - count, self._count)

    def zero(self, terms: Terms, constant: Array) -> None:
        """Keep an affine function at 0."""
        self._within(self._clarabel.ZeroConeT(len(constant)), terms, constant)

    def not_negative(self, terms: Terms, constant: Array) -> None:
        """Keep every entry of an affine function at 0 or above."""
        self._within(self._clarabel.NonnegativeConeT(len(constant)), terms, constant)

    def norm(self, at: slice) -> None:
        """Add the cost ``|u|`` of unknowns u."""
        t = self.unknowns(1, 1.0)
        count: int = at.stop - at.start
        rows, cone = np.eye(1 + count), self._clarabel.SecondOrderConeT(1 + count)
        self._within(cone, [(t, rows[:, :1]), (at, rows[:, 1:])], np.zeros(1 + count))

    def semidefinite(self, n: int, terms: Terms) -> None:
        """Keep a symmetric matrix of n rows, whose triangle a linear function is, semidefinite."""
        j, i = np.tril_indices(n)
        weights = np.where(i == j, 1.0, math.sqrt(2.0))
        weighted = [(at, weights[:, None] * rows) for at, rows in terms]
        self._within(self._clarabel.PSDTriangleConeT(n), weighted, np.zeros(len(weights)))

    def minus_log_det(self, n: int, at: slice, weight: float) -> None:
        """Add the cost ``-weight log det X`` of a symmetric matrix X of n rows.

        With an upper triangular Z, whose diagonal is d, the matrix [diag(d) Z; Z^T X] is
        semidefinite if and only if X - Z^T diag(d)^-1 Z is. The determinant of the latter product
        is that of diag(d), so log det X is the largest sum of log d_i.
        """
        whole = np.zeros((2 * n, 2 * n), np.int64)  # which entry of its triangle an entry is
        whole[np.tril_indices(2 * n)] = range(n * (2 * n + 1))
        j, i = np.tril_indices(n)
        half, diagonal = len(i), whole.diagonal()[:n]
        Z, X = np.zeros((2, n * (2 * n + 1), half))
        Z[whole[n + j, i], range(half)] = X[whole[n + j, n + i], range(half)] = 1.0
        Z[diagonal, diagonal] = 1.0
        z = self.unknowns(half)
        self.semidefinite(2 * n, [(z, Z), (at, X)])
        logs = self.unknowns(n, -weight)
        for k, place in enumerate(diagonal):  # (t, 1, d) is in the exponential cone if e^t <= d
            log, d = np.zeros((3, n)), np.zeros((3, half))
            log[0, k] = d[2, place] = 1.0
            constant = np.array([0.0, 1.0, 0.0])
            self._within(self._clarabel.ExponentialConeT(), [(logs, log), (z, d)], constant)

    def _within(self, cone: Any, terms: Terms, constant: Array) -> None:
        if len(constant):
            self._cones.append((cone, terms, constant))

    def solve(self) -> Array:
        """Return the unknowns of least cost.

        Raises:
            NumericalError: there are none, or the solver gave up.
        """
        linear, squares = np.concatenate(self._costs, axis=1)
        blocks: list[Array] = []
        for _, terms, constant in self._cones:
            block = np.zeros((len(constant), self._count))
            for at, rows in terms:
                block[:, at] -= rows
            blocks.append(block)
        A, b = np.concatenate(blocks), np.concatenate([constant for *_, constant in self._cones])
        if not all(np.isfinite(x).all() for x in (linear, squares, A, b)):
            raise NumericalError(f"{self._what}: a coefficient of the problem is not finite.")
        sparse, status = scipy("sparse"), ""
        for changes in SETTINGS:
            settings = self._clarabel.DefaultSettings()
            for name, value in {"verbose": False, **changes}.items():
                setattr(settings, name, value)
            solver = self._clarabel.DefaultSolver(
                sparse.csc_matrix(np.diag(2.0 * squares)), linear, sparse.csc_matrix(A), b,
                [cone for cone, *_ in self._cones], settings,
            )  # fmt: skip
            solution = solver.solve()
            # the caller judges whether a solution to reduced tolerances is good enough
            status = str(solution.status).removeprefix("Almost")
            if status == "Solved":
                return np.array(solution.x)
            if status in WITHOUT_SOLUTION:
                break
        why = WITHOUT_SOLUTION.get(status, f"gave up ({status})")
        raise NumericalError(f"{self._what}: the solver Clarabel {why}.")
