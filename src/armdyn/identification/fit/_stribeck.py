"""Stribeck friction: the speed at which it fades is chosen from a grid, joint by joint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armdyn.identification._tolerances import TINY
from armdyn.identification.fit._columns import Model
from armdyn.identification.fit._segments import FilteredSegment
from armdyn.log import extremes
from armdyn.robot import FRICTION_TERMS

Array = NDArray[np.float64]

# Speeds of the grid, relative to the highest speed of the joint.
GRID = np.array([0.01, 0.02, 0.05, 0.1, 0.2])


def grid_of_speeds(parts: Sequence[FilteredSegment]) -> Array:
    """Return the speeds of every joint, ``(n, g)``."""
    top = np.max(np.abs(extremes([part.qd for part in parts])), axis=0)
    return np.maximum(top, 1e-6)[:, None] * GRID


def unneeded(
    model: Model, values: Array, factors: Sequence[Array], counts: Sequence[int], worth: Array
) -> list[int]:
    """Return the Stribeck columns to drop: all but at most one of each joint.

    A joint keeps the column that lowers its misfit most, if the gain exceeds what an additional
    parameter gives by chance (Bayesian information criterion, for the number of independent rows).

    Args:
        model: the columns, with those of the whole grid.
        values: parameters fitted without Stribeck friction; 0 for the Stribeck columns.
        factors: R_j over all columns.
        counts: numbers of rows in the factors.
        worth: number of rows that are worth one independent row, of every joint.
    """
    dropped: list[int] = []
    for j in range(model.n):
        grid = [i for i in model.indices("fading") if model.columns[i].joint == j]
        own = [i for i in model.indices(*FRICTION_TERMS) if model.columns[i].joint == j]
        R = factors[j]
        rest = R[:, -1] - R[:, :-1] @ values
        before = _misfit(R[:, own], rest)
        after = [_misfit(R[:, [*own, i]], rest) for i in grid]
        best = int(np.argmin(after))
        rows = max(counts[j] / worth[j], 2.0)
        gain = rows * np.log(max(before, TINY) / max(after[best], TINY))
        dropped += [i for k, i in enumerate(grid) if k != best or gain <= np.log(rows)]
    return dropped


def _misfit(A: Array, b: Array) -> float:
    found = np.linalg.lstsq(A, b, rcond=1e-10)[0]
    return float(np.sum((b - A @ found) ** 2))
