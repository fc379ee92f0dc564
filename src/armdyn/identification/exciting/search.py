"""A search for the largest value: an evolution strategy that adapts a step to every number.

The separable covariance matrix adaptation of Ros and Hansen (2008): a normal distribution of rows
moves to the better half of its samples; its widths follow the successful steps. It needs no
gradients, so it suits scores with many maxima and signs. All samples of a generation are one batch.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armdyn.arrays import Array

FIRST_STEP = 0.3


class Evolution:
    """A search that can be stopped and continued.

    Attributes:
        best: the row with the largest score so far, ``(D,)``.
        top: its score.
        done: rows scored so far.
    """

    def __init__(
        self,
        score: Callable[[Array], Array],
        starts: Array,
        generation: int,
        rng: np.random.Generator,
        step: float = FIRST_STEP,
    ) -> None:
        """Begin at the best of some rows.

        Args:
            score: of rows ``(P, D)``, ``(P,)``.
            starts: candidate rows ``(S, D)``.
            generation: rows that are scored at once.
            rng: random numbers.
            step: width of the first steps.
        """
        self._score, self._generation, self._rng = score, generation, rng
        scores = score(starts)
        self.best, self.top = starts[int(np.argmax(scores))], float(scores.max())
        self.done = len(starts)
        D = starts.shape[1]
        half = generation // 2
        weights = np.log(half + 0.5) - np.log(np.arange(1, half + 1))
        self._weights = weights / weights.sum()
        self._mass = mass = 1.0 / float(np.sum(self._weights**2))
        # the authors' learning rates; widths learn (D + 2) / 3 times faster
        self._path_rate = (4 + mass / D) / (D + 4 + 2 * mass / D)
        self._step_rate = (mass + 2) / (D + mass + 5)
        quicker = (D + 2) / 3
        self._one = min(1.0, quicker * 2 / ((D + 1.3) ** 2 + mass))
        many = quicker * 2 * (mass - 2 + 1 / mass) / ((D + 2) ** 2 + mass)
        self._many = min(1.0 - self._one, many)
        self._usual = np.sqrt(D) * (1 - 1 / (4 * D) + 1 / (21 * D**2))
        self._mean, self._width, self._step = self.best.copy(), np.ones(D), step
        self._path, self._step_path = np.zeros(D), np.zeros(D)

    def run(self, until: int, report: Callable[[int], object]) -> Array:
        """Go on until so many rows have been scored; return the best one.

        Args:
            until: number of rows, those of earlier calls included.
            report: called with the number of rows scored so far.
        """
        while self.done + self._generation <= until:
            self._advance()
            report(self.done)
        return self.best

    def _advance(self) -> None:
        """Score a generation, and move to the better half of it."""
        D, step, mass = len(self._mean), self._step, self._mass
        moves = self._rng.normal(size=(self._generation, D)) * np.sqrt(self._width)
        rows = self._mean + step * moves
        scores = self._score(rows)
        self.done += self._generation
        order = np.argsort(-scores, kind="stable")[: len(self._weights)]
        if scores[order[0]] > self.top:
            self.best, self.top = rows[order[0]], float(scores[order[0]])
        better = moves[order]
        move = self._weights @ better
        self._mean = self._mean + step * move
        rate = self._step_rate
        self._step_path *= 1 - rate
        self._step_path += np.sqrt(rate * (2 - rate) * mass) * move / np.sqrt(self._width)
        rate = self._path_rate
        self._path = (1 - rate) * self._path + np.sqrt(rate * (2 - rate) * mass) * move
        self._width = (
            (1 - self._one - self._many) * self._width
            + self._one * self._path**2
            + self._many * (self._weights @ better**2)
        )
        longer = float(np.linalg.norm(self._step_path)) / self._usual - 1
        self._step *= float(np.exp(self._step_rate / (1 + self._step_rate) * longer))
