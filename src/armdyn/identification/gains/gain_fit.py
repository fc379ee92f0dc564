"""Least squares of currents with unknown gains, links, friction and, partly, load.

See `_identify_gains` for the equation. R_j, the factor of the rows of joint j, has the columns of
the ten parameters of the load (zero in rows without load), of the minimal parameters, of friction
(three of each joint), and of the currents. There is a factor for each of some blocks of time: what
leaving out a block changes shows how far residuals that are not independent can move a gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import NumericalError
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.r_factor import r_factor
from armdyn.identification.tolerances import RANK

# Gauss-Newton iterations; they end when a step changes the residuals by less than this share.
ROUNDS = 60
SETTLED = 1e-9

LOAD = 10


@dataclass(frozen=True)
class KnownLoad:
    """The ten parameters of the load: the known ones, and which are unknown.

    Attributes:
        known: values ``(10,)``; zero where unknown.
        unknown: their places.
    """

    known: Array
    unknown: tuple[int, ...]

    def parameters(self, x: Array) -> Array:
        """Return all ten parameters, for values x of the unknown ones."""
        all_ten = self.known.copy()
        all_ten[list(self.unknown)] = x
        return all_ten


@dataclass
class Unknowns:
    """The unknowns: a_j ``(n,)``, w ``(k,)``, friction in amperes (three of every joint), load."""

    a: Array
    w: Array
    f: Array
    x: Array

    def moved(self, step: Array) -> Unknowns:
        """Return the unknowns after a step."""
        parts = np.split(step, np.cumsum([len(self.a), len(self.w), len(self.f)]))
        a, w, f, x = (
            old + more for old, more in zip((self.a, self.w, self.f, self.x), parts, strict=True)
        )
        return Unknowns(a, w, f, x)

    def of_joint(self, j: int, load: KnownLoad) -> Array:
        """Return the parameters of joint j's columns in amperes ``(p,)``."""
        own = np.zeros_like(self.f)
        own[3 * j : 3 * j + 3] = self.f[3 * j : 3 * j + 3]
        held = load.parameters(self.x)
        return np.concatenate([self.a[j] * held, self.a[j] * self.w, own])


def linear(model: Model, factors: Sequence[Array], load: KnownLoad) -> Unknowns:
    """Return the initial guess: g_j i_j - Y_j w - F_j (g_j f_j) - X_j x = L_j, by least squares."""
    n, k, m = model.n, model.k - LOAD, len(load.unknown)
    blocks: list[Array] = []
    for j, R in enumerate(factors):
        A = np.zeros((len(R), n + k + 3 * n + m + 1))
        A[:, j] = R[:, -1]
        A[:, n : n + k] = -R[:, LOAD : LOAD + k]
        A[:, n + k : n + k + 3 * n] = -R[:, LOAD + k : -1]
        A[:, n + k + 3 * n : -1] = -R[:, list(load.unknown)]
        A[:, -1] = R[:, :LOAD] @ load.known
        blocks.append(A / (float(np.linalg.norm(R[:, -1])) or 1.0))
    rows = np.vstack(blocks)
    x, _ = _least_squares(rows[:, :-1], rows[:, -1])
    g = x[:n]
    each = zip(model.arm.joint_names, g, factors, strict=True)
    silent = [name for name, one, R in each if one == 0.0 or not R[:, -1].any()]
    if silent:
        raise NumericalError(f"the currents of {', '.join(silent)} show no load, or are zero.")
    f = x[n + k : n + k + 3 * n] / np.repeat(g, 3)
    return Unknowns(1.0 / g, x[n : n + k], f, x[n + k + 3 * n :])


def gauss_newton(
    model: Model, factors: Sequence[Array], rows: Array, c: Array, found: Unknowns, load: KnownLoad
) -> tuple[Unknowns, Array]:
    """Return the minimum of the sum of squares, and the covariance of the unknowns there.

    Args:
        model: the columns.
        factors: R_j of every joint.
        rows: numbers of rows in the factors ``(n,)``.
        c: number of rows that are worth one independent row, of every joint ``(n,)``.
        found: the initial guess.
        load: what is known of the load.

    Raises:
        NumericalError: the steps do not converge.
    """
    for _ in range(ROUNDS):
        w = np.sqrt(c) * sigma_of(factors, rows, found, load)
        all_rows = r_factor(_linearised(model, factors, w, found, load))
        J, left = all_rows[:, :-1], all_rows[:, -1]
        step, cov = _least_squares(J, left)
        found = found.moved(step)
        if not np.isfinite(found.w).all() or not np.isfinite(found.a).all():
            break
        if np.linalg.norm(J @ step) <= SETTLED * np.linalg.norm(left) + SETTLED:
            return found, cov
    raise NumericalError(
        "the gains of the drives were not found: the logs hardly show the load. Use a heavier "
        "load, or motions that excite the arm more."
    )


def jackknife(
    model: Model, blocks: Sequence[Sequence[Array]], w: Array, found: Unknowns, load: KnownLoad
) -> Array:
    """Return the covariance of the unknowns from what leaving out single blocks changes."""
    made = [r_factor(_linearised(model, block, w, found, load)) for block in blocks]
    steps: list[Array] = []
    for b in range(len(made)):
        rows = r_factor(np.vstack([one for k, one in enumerate(made) if k != b]))
        steps.append(_least_squares(rows[:, :-1], rows[:, -1])[0])
    off = np.stack(steps) - np.mean(steps, axis=0)
    return (len(made) - 1) / len(made) * off.T @ off


def _linearised(
    model: Model, factors: Sequence[Array], w: Array, found: Unknowns, load: KnownLoad
) -> Array:
    """Return weighted rows [J | residuals] about the unknowns."""
    n, k, m = model.n, model.k - LOAD, len(load.unknown)
    held = load.parameters(found.x)
    blocks: list[Array] = []
    for j, R in enumerate(factors):
        A = np.zeros((len(R), n + k + 3 * n + m + 1))
        A[:, j] = R[:, LOAD : LOAD + k] @ found.w + R[:, :LOAD] @ held
        A[:, n : n + k] = found.a[j] * R[:, LOAD : LOAD + k]
        A[:, n + k : n + k + 3 * n] = R[:, LOAD + k : -1]
        A[:, n + k + 3 * n : -1] = found.a[j] * R[:, list(load.unknown)]
        A[:, -1] = R[:, -1] - R[:, :-1] @ found.of_joint(j, load)
        blocks.append(A / w[j])
    return np.vstack(blocks)


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


def sigma_of(factors: Sequence[Array], rows: Array, found: Unknowns, load: KnownLoad) -> Array:
    """Return the standard deviation of the current residuals of every joint ``(n,)``."""
    left = [
        np.linalg.norm(R[:, -1] - R[:, :-1] @ found.of_joint(j, load))
        for j, R in enumerate(factors)
    ]
    size = np.array([np.linalg.norm(R[:, -1]) for R in factors])
    # the joint's own parameters, and its share of the common ones
    n = len(factors)
    spent = 4.0 + (len(found.w) + len(found.x)) / n
    exact = RANK * np.where(size > 0.0, size, 1.0)
    return np.maximum(np.array(left), exact) / np.sqrt(np.maximum(rows - spent, 1.0))
