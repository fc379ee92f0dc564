"""Limits of pieces of paths, reduced where they were exceeded between the nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.motion.timing._judge import Asked
from armdyn.motion.timing._passes import Room
from armdyn.motion.timing._paths import Indices
from armdyn.motion.timing._problem import Problem

Array = NDArray[np.float64]

# Limits are reduced by this many times the excess.
TIGHTENED = 1.05
# Share of a limit, or of what is left of it for holding the arm, that tightening never takes.
KEPT = 0.05


@dataclass(frozen=True)
class Tight:
    """Limits, reduced.

    Attributes:
        effort: limits of torque as `Problem.creeping`, ``(N, B, 2n)``.
        most: limits of acceleration, ``(N, B, n)``.
        slow: factors of the largest speeds along the path, ``(N + 1, B)``.
    """

    effort: Array
    most: Array
    slow: Array

    @classmethod
    def none(cls, problem: Problem) -> Tight:
        """Return limits as they are."""
        most = np.zeros((*problem.length.shape, problem.n))
        if any(problem.drives.acceleration):
            a = problem.limits.acceleration
            most[...] = np.where(np.isfinite(a), a, 0.0)
        return cls(problem.creeping, most, np.ones_like(problem.s))

    def some(self, which: Indices) -> Tight:
        """Return those of some paths."""
        return Tight(*(x.take(which, axis=1) for x in (self.effort, self.most, self.slow)))

    def room(self, problem: Problem, speed: Array | None) -> Room:
        """Return the limits; for `speed`, see `Problem.efforts`."""
        left, right = problem.efforts(speed)
        if left is problem.creeping:
            left = right = self.effort
        else:
            less = self.effort - problem.creeping
            left, right = left + less, right + less
        return Room(left, right, self.most, problem.fastest * self.slow)

    def more(self, problem: Problem, got: Asked) -> Tight:
        """Return limits reduced by what was asked beyond them."""
        at, n = got.beyond, problem.n
        whole, spare = problem.creeping[at], (1.0 - KEPT) * np.maximum(problem.spare(at), 0.0)
        less = np.abs(self.effort[at] - whole) + TIGHTENED * np.maximum(got.over, 0.0)
        less = np.minimum(less, spare)
        less[:, :n] *= -1.0
        effort, most, slow = self.effort.copy(), self.most, self.slow.copy()
        effort[at] = whole + less
        if got.acceleration is not None:
            a = problem.limits.acceleration
            over = TIGHTENED * np.maximum(got.acceleration - a, 0.0)
            most = most.copy()
            most[at] = np.maximum(most[at] - over, KEPT * np.where(np.isfinite(a), a, 0.0))
        fast = 1.0 + TIGHTENED * np.maximum(got.velocity - 1.0, 0.0)
        slow[:-1] /= fast
        slow[1:] /= fast
        return Tight(effort, most, slow)
