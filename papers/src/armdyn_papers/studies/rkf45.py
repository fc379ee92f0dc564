"""Runge-Kutta-Fehlberg of fourth and fifth order, as in programs of that time.

[Mata2002] names "the fourth/fifth order Runge-Kutta technique", a tolerance, and an interval
between results. The last step of one interval is the first trial step of the next. After a rejected
step, the first slope is reused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from armdyn.simulation.integrators import Tableau, Weights

Array: TypeAlias = NDArray[np.float64]
Slope: TypeAlias = Callable[[float, Array], Array]

# Fehlberg's 4(5); the step is of order five, the embedded method for the error estimate of four.
FEHLBERG = Tableau.of(
    "",
    "1/4",
    "3/32 9/32",
    "1932/2197 -7200/2197 7296/2197",
    "439/216 -8 3680/513 -845/4104",
    "-8/27 2 -3544/2565 1859/4104 -11/40",
    weights="16/135 0 6656/12825 28561/56430 -9/50 2/55",
)
EMBEDDED = Weights.of("25/216 0 1408/2565 2197/4104 -1/5 0")

FIFTH = np.array(FEHLBERG.weights.floats)
FOURTH = np.array(EMBEDDED.floats)

# Limits of the factor by which a step changes, and the safety factor below the allowed step.
LEAST, MOST, SAFE = 0.2, 5.0, 0.9

# Rounding error of times, as a share of a step.
ROUNDING = 1e-9


class Fehlberg:
    """An integration that continues from interval to interval.

    Attributes:
        evaluations: number of evaluations of the slope so far.
    """

    def __init__(self, tolerance: float, first_step: float) -> None:
        """Begin.

        Args:
            tolerance: largest error of a step, times 1 + |y|, of each component.
            first_step: to try first [s].
        """
        self.evaluations = 0
        self._tolerance = tolerance
        self._step: float = first_step

    def restart(self, step: float) -> None:
        """Try this step next [s]."""
        self._step = step

    def advance(self, slope: Slope, t: float, y: Array, end: float) -> Array:
        """Return y at the end of an interval."""
        first = self._ask(slope, t, y)
        while True:
            last = t + self._step >= end - ROUNDING * self._step
            h = end - t if last else self._step
            slopes = self._stages(slope, t, y, h, first)
            allowed = self._tolerance * (1.0 + np.abs(y))
            error = float((h * np.abs((FIFTH - FOURTH) @ slopes) / allowed).max())
            wanted = h * min(MOST, max(LEAST, SAFE * max(error, 1e-10) ** -0.2))
            if not error <= 1.0:
                self._step = wanted
                continue
            t, y = t + h, y + h * (FIFTH @ slopes)
            if last:
                self._step = max(wanted, self._step)  # the end of the interval shortened h
                return y
            self._step = wanted
            first = self._ask(slope, t, y)

    def _stages(self, slope: Slope, t: float, y: Array, h: float, first: Array) -> Array:
        slopes = [first]
        for time, row in zip(FEHLBERG.times[1:], FEHLBERG.stages[1:], strict=True):
            pushed = np.asarray(row.floats) @ np.array(slopes)
            slopes.append(self._ask(slope, t + time * h, y + h * pushed))
        return np.array(slopes)

    def _ask(self, slope: Slope, t: float, y: Array) -> Array:
        self.evaluations += 1
        return slope(t, y)
