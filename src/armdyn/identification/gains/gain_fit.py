"""Least squares of currents with unknown gains, links, friction and, partly, load.

See `identify_gains` for the equation. The rows of joint j have the columns of the ten parameters of
the load (zero in rows without load), of the minimal parameters, of friction (three of each joint),
and of the currents. G_j is their Gram matrix, and there is one for each block of time: what leaving
out a block changes shows how far residuals that are not independent can move a gain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import NumericalError
from armdyn.identification.fit.columns import Model
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


def linear(model: Model, squares: Array, load: KnownLoad) -> Unknowns:
    """Return the initial guess: g_j i_j - Y_j w - F_j (g_j f_j) - X_j x = L_j, by least squares.

    Args:
        model: the columns.
        squares: G_j of every joint ``(n, p + 1, p + 1)``.
        load: what is known of the load.
    """
    n, k, m = model.n, model.k - LOAD, len(load.unknown)
    whole = np.zeros((n + k + 3 * n + m + 1,) * 2)
    for j, G in enumerate(squares):
        M = np.zeros((len(G), len(whole)))
        M[-1, j] = 1.0
        M[LOAD:-1, n : n + k + 3 * n] = -np.eye(k + 3 * n)
        M[list(load.unknown), n + k + 3 * n : -1] = -np.eye(m)
        M[:LOAD, -1] = load.known
        whole += M.T @ G @ M / (float(G[-1, -1]) or 1.0)
    x, _ = _least_squares(whole)
    g = x[:n]
    each = zip(model.arm.joint_names, g, squares, strict=True)
    silent = [name for name, one, G in each if one == 0.0 or not G[-1, -1]]
    if silent:
        raise NumericalError(f"the currents of {', '.join(silent)} show no load, or are zero.")
    f = x[n + k : n + k + 3 * n] / np.repeat(g, 3)
    return Unknowns(1.0 / g, x[n : n + k], f, x[n + k + 3 * n :])


def gauss_newton(
    model: Model, squares: Array, rows: Array, c: Array, found: Unknowns, load: KnownLoad
) -> tuple[Unknowns, Array]:
    """Return the minimum of the sum of squares, and the covariance of the unknowns there.

    Args:
        model: the columns.
        squares: G_j of every joint ``(n, p + 1, p + 1)``.
        rows: numbers of rows ``(n,)``.
        c: number of rows that are worth one independent row, of every joint ``(n,)``.
        found: the initial guess.
        load: what is known of the load.

    Raises:
        NumericalError: the steps do not converge.
    """
    for _ in range(ROUNDS):
        w = np.sqrt(c) * sigma_of(squares, rows, found, load)
        whole = _linearised(model, squares, w, found, load)
        step, cov = _least_squares(whole)
        found = found.moved(step)
        if not np.isfinite(found.w).all() or not np.isfinite(found.a).all():
            break
        # squares of the change of the residuals, and of the residuals
        if step @ whole[:-1, :-1] @ step <= SETTLED**2 * (whole[-1, -1] + 1.0):
            return found, cov
    raise NumericalError(
        "the gains of the drives were not found: the logs hardly show the load. Use a heavier "
        "load, or motions that excite the arm more."
    )


def jackknife(model: Model, blocks: Array, w: Array, found: Unknowns, load: KnownLoad) -> Array:
    """Return the covariance of the unknowns from what leaving out single blocks changes.

    Args:
        model: the columns.
        blocks: G_j of every block and joint ``(B, n, p + 1, p + 1)``.
        w: weights of the joints ``(n,)``.
        found: the unknowns.
        load: what is known of the load.
    """
    made = np.stack([_linearised(model, block, w, found, load) for block in blocks])
    whole = made.sum(axis=0)
    steps = np.stack([_least_squares(whole - one)[0] for one in made])
    off = steps - steps.mean(axis=0)
    return (len(made) - 1) / len(made) * off.T @ off


def _linearised(model: Model, squares: Array, w: Array, found: Unknowns, load: KnownLoad) -> Array:
    """Return the Gram matrix of weighted rows [J | residuals] about the unknowns."""
    n, k, m = model.n, model.k - LOAD, len(load.unknown)
    held = load.parameters(found.x)
    whole = np.zeros((n + k + 3 * n + m + 1,) * 2)
    for j, G in enumerate(squares):
        M = np.zeros((len(G), len(whole)))
        M[:LOAD, j], M[LOAD : LOAD + k, j] = held, found.w
        M[LOAD : LOAD + k, n : n + k] = found.a[j] * np.eye(k)
        M[LOAD + k : -1, n + k : n + k + 3 * n] = np.eye(3 * n)
        M[list(load.unknown), n + k + 3 * n : -1] = found.a[j] * np.eye(m)
        M[:-1, -1], M[-1, -1] = -found.of_joint(j, load), 1.0
        whole += M.T @ G @ M / w[j] ** 2
    return whole


def _least_squares(G: Array) -> tuple[Array, Array]:
    """Return x and its covariance from the Gram matrix of rows [A | b], for columns of any size.

    Unknowns that the rows do not show stay zero, with an infinite variance.
    """
    size = np.sqrt(np.maximum(np.diag(G)[:-1], 0.0))
    unit = 1.0 / np.where(size > 0.0, size, 1.0)
    e, V = np.linalg.eigh(unit[:, None] * G[:-1, :-1] * unit)
    shown = e > max(RANK**2, len(e) * np.finfo(np.float64).eps) * e[-1]
    root = unit[:, None] * V[:, shown] / np.sqrt(e[shown])
    cov = root @ root.T
    x = cov @ G[:-1, -1]
    blind = np.sum(V[:, ~shown] ** 2, axis=1) > RANK
    cov[np.diag_indices(len(x))] += np.where(blind, np.inf, 0.0)
    return x, cov


def sigma_of(squares: Array, rows: Array, found: Unknowns, load: KnownLoad) -> Array:
    """Return the standard deviation of the current residuals of every joint ``(n,)``."""
    n = len(squares)
    each = (np.append(found.of_joint(j, load), -1.0) for j in range(n))
    left = np.array([max(float(x @ G @ x), 0.0) for x, G in zip(each, squares, strict=True)])
    size = squares[:, -1, -1]
    # the joint's own parameters, and its share of the common ones
    spent = 4.0 + (len(found.w) + len(found.x)) / n
    exact = RANK**2 * np.where(size > 0.0, size, 1.0)
    return np.sqrt(np.maximum(left, exact) / np.maximum(rows - spent, 1.0))
