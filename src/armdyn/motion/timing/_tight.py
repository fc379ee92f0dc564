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
    """By how much limits are reduced.

    Attributes:
        high: upper limits of torque, ``(N, B, n)``.
        low: lower limits of torque.
        most: limits of acceleration.
        slow: factors of the largest speeds along the path, ``(N + 1, B)``.
    """

    high: Array
    low: Array
    most: Array
    slow: Array

    @classmethod
    def none(cls, problem: Problem) -> Tight:
        """Return limits as they are."""
        zeros = np.zeros_like(problem.sigma)
        return cls(zeros, zeros, zeros, np.ones_like(problem.s))

    def some(self, which: Indices) -> Tight:
        """Return those of some paths."""
        return Tight(*(x[:, which] for x in (self.high, self.low, self.most, self.slow)))

    def ends(self, problem: Problem, speed: Array | None) -> list[tuple[Array, Array]]:
        """Return upper and lower limits less dry friction, at left and at right ends."""
        most = np.where(np.isfinite(problem.limits.effort), problem.limits.effort, 0.0)
        left, right = problem.dry(speed)
        first = (most - self.high - left, self.low - most - left)
        if left is right:
            return [first, first]
        return [first, (most - self.high - right, self.low - most - right)]

    def room(self, problem: Problem, speed: Array | None) -> Room:
        """Return the limits; for `speed`, see `Problem.dry`."""
        ends = self.ends(problem, speed)
        left = np.concatenate(ends[0], axis=-1)
        right = left if ends[0] is ends[1] else np.concatenate(ends[1], axis=-1)
        a = problem.limits.acceleration
        most = np.where(np.isfinite(a), a, 0.0) - self.most
        return Room(left, right, most, problem.fastest * self.slow)

    def more(self, problem: Problem, got: Asked) -> Tight:
        """Return limits reduced by what was asked beyond them."""
        most = (1.0 - KEPT) * np.maximum(problem.spare, 0.0)
        high, low = (
            np.minimum(old + TIGHTENED * np.maximum(over, 0.0), most)
            for old, over in ((self.high, got.above), (self.low, got.below))
        )
        a, v = problem.limits.acceleration, problem.limits.velocity
        finite = np.where(np.isfinite(a), a, 0.0)
        over = np.where(np.isfinite(a), got.acceleration - finite, 0.0)
        less = self.most + TIGHTENED * np.maximum(over, 0.0)
        fast = 1.0 + TIGHTENED * np.maximum((got.velocity / v).max(axis=-1) - 1.0, 0.0)
        slow = self.slow.copy()
        slow[:-1] /= fast
        slow[1:] /= fast
        return Tight(high, low, np.minimum(less, (1.0 - KEPT) * finite), slow)
