"""The delay of the torques behind the positions, by the fit that it improves most.

Drives report torques that are filtered, or sent later than positions. With torques shifted by the
right delay a model fits best. With a poor friction law a delay stands in for friction, and what one
part of a log shows another denies. So all terms of friction take part, and both halves of the data
have to agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.band.quick_fit import (
    Products,
    misfits,
    products,
    quick_fit,
    quick_model,
    solved,
)
from armdyn.identification.band.windows import POSITIONS, prepared_windows
from armdyn.identification.fit.columns import Column, Model
from armdyn.log.log import Log
from armdyn.log.segments import scipy

# Delays that are tried [s].
MOST = 0.04
GRID = np.linspace(-MOST, MOST, 17)
FINE = np.linspace(-MOST, MOST, 3201)

# The misfit is smooth from one delay to the next up to this band [Hz].
WIDEST = 10.0

# The parts of a log whose delays are compared.
PARTS = 4

# The halves agree if their delays differ by at most this share of the delay.
AGREEMENT = 0.5
# A delay counts from this many standard errors on, by the scatter of the parts ...
SIGNIFICANT = 3.0
# ... and if it lowers the sum of squares of residuals by at least this share.
WORTH = 0.02


@dataclass(frozen=True)
class Delays:
    """Delays [s] of torques behind positions.

    Attributes:
        whole: of all data.
        halves: of their first and second halves.
        error: standard error of `whole`, by the scatter of four parts; infinite if one has no best
            delay within bounds.
        gain: share by which `whole` lowers the sum of squares of residuals.
    """

    whole: float
    halves: tuple[float, float]
    error: float
    gain: float

    @property
    def repeatable(self) -> bool:
        """Whether there is a delay: significant, and the same in both halves."""
        return (
            abs(self.whole) < MOST
            and abs(self.halves[0] - self.halves[1]) <= AGREEMENT * abs(self.whole)
            and all(half * self.whole > 0.0 for half in self.halves)
            and abs(self.whole) >= SIGNIFICANT * self.error
            and self.gain >= WORTH
        )


def measured_delays(
    arm: Arm,
    parts: Sequence[Log],
    cutoff: float,
    highest: float,
    coupling: Array | None,
    extra: Sequence[Column],
) -> Delays | None:
    """Return the delays in the band of a cut-off [Hz]; None if the logs are too short.

    Args:
        arm: the arm.
        parts: windows of the logs.
        cutoff: of positions [Hz].
        highest: the highest cut-off that the logs allow [Hz].
        coupling: of the drives.
        extra: columns that the user supplies.
    """
    width = min(cutoff, WIDEST)
    quarters = [
        prepared_windows([_quarter(part, k) for part in parts], min(POSITIONS * width, highest))
        for k in range(PARTS)
    ]
    if not all(quarters):
        return None
    model, top = quick_model(arm, [one for quarter in quarters for one in quarter], coupling, extra)
    data = [products(model, quarter, width, top, GRID.tolist()) for quarter in quarters]
    whole = reduce(add, data)
    if not all(one.counts.any() for one in data):
        return None
    noise = _noise(model, whole)
    found = [_best(model, one, noise)[0] for one in data]
    first, _ = _best(model, data[0] + data[1], noise)
    second, _ = _best(model, data[2] + data[3], noise)
    delay, gain = _best(model, whole, noise)
    bounded = np.abs(found).max() < MOST
    error = float(np.std(found, ddof=1)) / np.sqrt(PARTS) if bounded else np.inf
    return Delays(delay, (first, second), error, gain)


def _quarter(part: Log, k: int) -> Log:
    a, b = k * len(part) // PARTS, (k + 1) * len(part) // PARTS
    return part.part(a, max(b, a + 1))


def _noise(model: Model, data: Products) -> Array:
    """Return the noise of every joint without a delay."""
    k = len(GRID) // 2
    one = slice(k, k + 1)
    plain = Products(data.columns, data.torques[:, :, one], data.squares[:, one], data.counts)
    return quick_fit(model, plain).noise


def _best(model: Model, data: Products, noise: Array) -> tuple[float, float]:
    """Return the delay of least misfit, and the share by which it lowers the misfit."""
    misfit = np.tensordot(noise**-2, misfits(data, solved(model, data, noise)), axes=1)
    smooth: Array = scipy("interpolate").CubicSpline(GRID, misfit)(FINE)
    k, plain = int(np.argmin(smooth)), float(misfit[len(GRID) // 2])
    return float(FINE[k]), 1.0 - float(smooth[k]) / plain if plain > 0.0 else 0.0
