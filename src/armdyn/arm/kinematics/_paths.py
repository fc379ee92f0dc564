"""Poses along a path: the branch that continues from pose to pose with the shortest way in all.

Of a joint to spare, the closed form is followed at a constant position of it: its start, or one of
several all over its range.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.kinematics._branch_arrays import Branches
from armdyn.arm.kinematics._branch_solver import BranchSolver
from armdyn.arm.kinematics._turns import TURN, nearest_turn

Array = NDArray[np.float64]

# Ranges that are wider than a turn by less [rad] hold one position of a turn.
ROOM = 1e-9


def followed(solver: BranchSolver, poses: Array, start: Array, name: str) -> Array | None:
    """Return positions ``(N, n)`` along poses ``(N, 4, 4)``; None if no branch reaches them all.

    Args:
        solver: the closed form.
        poses: the poses, in order.
        start: the positions before the first of them, ``(n,)``.
        name: of the poses, for errors.
    """
    at = solver.form.given
    if at is None:
        return _cheapest(solver, solver(poses, None, True, None, name), start)
    for given in (start[at], *solver.spread().tolist()):
        path = _cheapest(solver, solver(poses, np.asarray(given), True, None, name), start)
        if path is not None:
            return path
    return None


def _cheapest(solver: BranchSolver, found: Branches, start: Array) -> Array | None:
    """Return the way through branches ``(N, B)`` with the least sum of squared steps."""
    q, valid = found.q, found.valid
    if not valid.any(axis=-1).all():
        return None
    with np.errstate(invalid="ignore"):
        several = solver.turns & ~(solver.upper - solver.lower <= TURN + ROOM)
    first = nearest_turn(q[0], start, solver.lower, solver.upper, solver.turns)
    cost = np.where(valid[0], np.square(first - start).sum(axis=-1), np.inf)
    price = np.zeros((len(q) - 1, *valid.shape[1:], valid.shape[1]))
    for k, turning in enumerate(several.tolist()):
        way = q[1:, None, :, k] - q[:-1, :, None, k]
        price += np.square(way - TURN * np.rint(way / TURN) if turning else way)
    price = np.where(valid[1:, None, :], price, np.inf)
    came = np.empty(valid.shape, dtype=np.intp)
    for k, each in enumerate(price, 1):
        total = cost[:, None] + each
        came[k] = total.argmin(axis=0)
        cost = total.min(axis=0)
    for last in np.argsort(cost).tolist():
        if not np.isfinite(cost[last]):
            break
        path = _within(solver, _traced(q, first, came, last, several), several)
        if path is not None:
            return path
    return None


def _traced(
    q: Array, first: Array, came: NDArray[np.intp], last: int, several: NDArray[np.bool_]
) -> Array:
    """Return the way that ends at a branch, without jumps of whole turns."""
    chosen = np.empty(len(q), dtype=np.intp)
    for k in range(len(q) - 1, -1, -1):
        chosen[k] = last
        last = int(came[k, last]) if k else last
    path = q[np.arange(len(q)), chosen]
    steps = np.diff(path, axis=0)
    steps -= np.where(several, TURN * np.rint(steps / TURN), 0.0)
    begin = first[chosen[0]]
    way = np.cumsum(np.vstack([begin, steps]), axis=0)
    return path + TURN * np.rint((way - path) / TURN)


def _within(solver: BranchSolver, path: Array, several: NDArray[np.bool_]) -> Array | None:
    """Return a path shifted by whole turns into the limits; None if it does not fit."""
    low, high = path.min(axis=0), path.max(axis=0)
    shift = np.zeros(path.shape[1])
    for k in np.flatnonzero(several).tolist():
        if low[k] < solver.lower[k]:
            shift[k] = TURN * np.ceil((solver.lower[k] - low[k]) / TURN)
        elif high[k] > solver.upper[k]:
            shift[k] = -TURN * np.ceil((high[k] - solver.upper[k]) / TURN)
    moved = path + shift
    inside = np.clip(moved, solver.lower, solver.upper)
    return inside if np.abs(moved - inside).max(initial=0.0) <= ROOM else None
