"""Least squares of currents with unknown gains, links and friction.

See `_identify_gains` for the equation. R_j, the factor of the rows of joint j, has the columns of
the minimal parameters, of friction (three of each joint), of the load's torques (one of each
joint), and of the currents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import NumericalError
from armdyn.identification._tolerances import RANK, TINY
from armdyn.identification.fit._columns import Model
from armdyn.identification.fit._r_factor import r_factor

Array = NDArray[np.float64]

# Gauss-Newton iterations; they end when a step changes the residuals by less than this share.
ROUNDS = 60
SETTLED = 1e-9


@dataclass
class Unknowns:
    """The unknowns: a_j ``(n,)``, w ``(k,)`` and friction in amperes, three of every joint."""

    a: Array
    w: Array
    f: Array

    def of_joint(self, j: int) -> Array:
        """Return the parameters of joint j's columns in amperes ``(p,)``."""
        n = len(self.a)
        own, held = np.zeros(3 * n), np.zeros(n)
        own[3 * j : 3 * j + 3], held[j] = self.f[3 * j : 3 * j + 3], self.a[j]
        return np.concatenate([self.a[j] * self.w, own, held])


def linear(model: Model, factors: Sequence[Array]) -> Unknowns:
    """Return the initial guess: g_j i_j - Y_j w - F_j (g_j f_j) = L_j, by least squares."""
    n, k = model.n, model.k
    blocks: list[Array] = []
    for j, R in enumerate(factors):
        A = np.zeros((len(R), n + k + 3 * n + 1))
        A[:, j] = R[:, -1]
        A[:, n : n + k] = -R[:, :k]
        A[:, n + k : -1] = -R[:, k : k + 3 * n]
        A[:, -1] = R[:, k + 3 * n + j]
        blocks.append(A / max(float(np.linalg.norm(R[:, -1])), TINY))
    rows = np.vstack(blocks)
    x, _ = _least_squares(rows[:, :-1], rows[:, -1])
    g = x[:n]
    if not (np.abs(g) > 0.0).all():
        silent = [name for name, one in zip(model.arm.joint_names, g, strict=True) if one == 0.0]
        raise NumericalError(f"the currents of {', '.join(silent)} show no load, or are zero.")
    return Unknowns(1.0 / g, x[n : n + k], x[n + k :] / np.repeat(g, 3))


def gauss_newton(
    model: Model, factors: Sequence[Array], rows: Array, c: Array, found: Unknowns
) -> tuple[Unknowns, Array]:
    """Return the minimum of the sum of squares, and the covariance of a, w and f there.

    Args:
        model: the columns.
        factors: R_j of every joint.
        rows: numbers of rows in the factors ``(n,)``.
        c: number of rows that are worth one independent row, of every joint ``(n,)``.
        found: the initial guess.

    Raises:
        NumericalError: the steps do not converge.
    """
    n, k = model.n, model.k
    cov = np.eye(n + k + 3 * n)
    for _ in range(ROUNDS):
        w = np.sqrt(c) * sigma_of(factors, rows, found)
        blocks: list[Array] = []
        for j, R in enumerate(factors):
            A = np.zeros((len(R), n + k + 3 * n + 1))
            A[:, j] = R[:, :k] @ found.w + R[:, k + 3 * n + j]
            A[:, n : n + k] = found.a[j] * R[:, :k]
            A[:, n + k : -1] = R[:, k : k + 3 * n]
            A[:, -1] = R[:, -1] - R[:, :-1] @ found.of_joint(j)
            blocks.append(A / w[j])
        all_rows = r_factor(np.vstack(blocks))
        J, left = all_rows[:, :-1], all_rows[:, -1]
        step, cov = _least_squares(J, left)
        found = Unknowns(found.a + step[:n], found.w + step[n : n + k], found.f + step[n + k :])
        if not np.isfinite(found.w).all() or not np.isfinite(found.a).all():
            break
        if np.linalg.norm(J @ step) <= SETTLED * np.linalg.norm(left) + SETTLED:
            return found, cov
    raise NumericalError(
        "the gains of the drives were not found: the logs hardly show the load. Use a heavier "
        "load, or motions that excite the arm more."
    )


def _least_squares(A: Array, b: Array) -> tuple[Array, Array]:
    """Return x and its covariance, for columns of any size.

    Unknowns that the rows do not show stay zero, with an infinite variance.
    """
    size = np.linalg.norm(A, axis=0)
    unit = 1.0 / np.where(size > 0.0, size, 1.0)
    U, s, V = np.linalg.svd(A * unit, full_matrices=False)
    shown = s > RANK * s[0]
    inverse = unit[:, None] * V[shown].T / s[shown]
    x = inverse @ (U[:, shown].T @ b)
    cov = inverse @ inverse.T
    blind = np.sum(V[~shown] ** 2, axis=0) > RANK
    cov[np.diag_indices(len(x))] += np.where(blind, np.inf, 0.0)
    return x, cov


def sigma_of(factors: Sequence[Array], rows: Array, found: Unknowns) -> Array:
    """Return the standard deviation of the current residuals of every joint ``(n,)``."""
    left = [np.linalg.norm(R[:, -1] - R[:, :-1] @ found.of_joint(j)) for j, R in enumerate(factors)]
    size = np.array([np.linalg.norm(R[:, -1]) for R in factors])
    # the joint's own parameters, and its share of the common ones
    n = len(factors)
    spent = 4.0 + len(found.w) / n
    exact = RANK * np.maximum(size, TINY)
    return np.maximum(np.array(left), exact) / np.sqrt(np.maximum(rows - spent, 1.0))
