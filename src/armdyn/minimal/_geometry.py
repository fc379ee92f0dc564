"""Joint axes at q = 0, in E_0, to decide whether they meet in one point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms.frame import frames
from armdyn.algorithms.regressor import X, Y, Z
from armdyn.robot import Chain

Array = NDArray[np.float64]

# Directions, and distances relative to the size of the arm, that differ by less are equal: the rank
# of a regressor cannot resolve smaller differences either.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Axes:
    """Origins O_i and axes u_i of the joints i = 1..n (rows 0..n-1), in E_0 at q = 0."""

    origins: Array
    directions: Array

    @property
    def size(self) -> float:
        """Size of the arm [m]: the largest coordinate of an origin."""
        return float(np.abs(self.origins).max(initial=0.0))


def axes_at_zero(chain: Chain) -> Axes:
    """Return the axes of a chain at q = 0."""
    turn, p = np.eye(3), np.zeros(3)
    origins: list[Array] = []
    directions: list[Array] = []
    for F in frames(chain, [0.0] * chain.n)[1:]:
        p = p + turn @ np.array(F.s, dtype=np.float64)
        turn = turn @ np.array([F.to_parent(e) for e in (X, Y, Z)], dtype=np.float64).T
        origins.append(p)
        directions.append(turn[:, 2])
    return Axes(np.array(origins), np.array(directions))


def common_point(axes: Axes, joints: int) -> Array | None:
    """Return the common point of the axes of the first joints; None if there is none.

    The axes must not all be parallel.
    """
    u, o = axes.directions[:joints], axes.origins[:joints]
    across: Array = np.eye(3) - u[:, :, None] * u[:, None, :]
    total, moment = across.sum(axis=0), (across @ o[:, :, None]).sum(axis=0)
    point: Array = np.asarray(np.linalg.solve(total, moment)[:, 0], dtype=np.float64)
    distances = np.linalg.norm((across @ (point - o)[:, :, None])[:, :, 0], axis=1)
    return point if distances.max() <= TOLERANCE * max(axes.size, 1e-6) else None
