"""Positions that a drive reports within one turn: whole turns are put back."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armdyn.arrays import Array
from armdyn.log.rows import extremes

# A jump of a whole turn, by this tolerance [rad], between samples that are no farther apart than
# LONGEST_STEP [s], is no motion: a joint turns by less than the tolerance in that time, at 1 rad/s.
TOLERANCE = 0.5
LONGEST_STEP = 0.5
# Drives that report positions within one turn have this range [rad], with rounding.
RANGE = math.tau * (1.0 + 1e-3)
# Jumps are believed of a joint with so many steps, of which no other one is larger than TOLERANCE.
LEAST_STEPS = 20


class Turns:
    """Unwraps the positions of joints, block by block.

    Attributes:
        count: jumps of every joint so far ``(n,)``.
    """

    def __init__(self, n: int) -> None:
        self.count = np.zeros(n, dtype=np.int64)
        self._turns = np.zeros(n)
        self._last: tuple[float, Array] | None = None
        self._low, self._high = np.full(n, np.inf), np.full(n, -np.inf)
        self._steps = 0
        self._is_smooth = np.ones(n, dtype=np.bool_)

    def unwrapped(self, t: Array, q: Array) -> Array:
        """Return positions ``(N, n)`` [rad] of the following samples without jumps.

        Args:
            t: stamps ``(N,)`` [s].
            q: positions as they were reported.
        """
        if not len(t):
            return q
        before = (t[0], q[0]) if self._last is None else self._last
        self._last = float(t[-1]), q[-1].copy()
        self._steps += len(t) - 1
        with np.errstate(invalid="ignore"):  # positions that are no numbers are told elsewhere
            low, high = extremes([q])
            self._low, self._high = np.minimum(self._low, low), np.maximum(self._high, high)
            width = self._high - self._low
            wide = np.flatnonzero((width >= math.tau - TOLERANCE) & (width <= RANGE))
        if not len(wide) and not self._turns.any():
            return q
        near = np.diff(t, prepend=before[0]) <= LONGEST_STEP
        turns = np.broadcast_to(self._turns, q.shape).copy()
        for j in wide.tolist():
            steps = np.diff(q[:, j], prepend=before[1][j])
            jumps = near & (np.abs(np.abs(steps) - math.tau) < TOLERANCE)
            self._is_smooth[j] &= not np.any(near & ~jumps & (np.abs(steps) > TOLERANCE))
            if self._is_smooth[j] and self._steps >= LEAST_STEPS and jumps.any():
                self.count[j] += int(jumps.sum())
                turns[:, j] -= np.cumsum(np.where(jumps, np.sign(steps), 0.0))
        self._turns = turns[-1]
        return np.where(turns != 0.0, q + math.tau * turns, q)  # else every bit stays, -0.0 too

    def beside(self, q: Array, goals: Array) -> Array:
        """Return commanded positions within half a turn of unwrapped ones, where joints jumped."""
        turns = np.round((q - goals) / math.tau)
        return goals + math.tau * np.where(self.count > 0, turns, 0.0)

    def words(self, names: Sequence[str]) -> list[str]:
        """Return a sentence on the joints that jumped; none if none did."""
        each = [f"{k} ({c})" for k, c in zip(names, self.count.tolist(), strict=True) if c]
        if not each:
            return []
        return [
            f"positions jump by a whole turn, as of drives that report them within one: "
            f"{', '.join(each)} times. The turns are put back."
        ]
