"""Measured velocities against the slope of the positions: a check of signs, units and stamps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Velocities agree if their correlation is at least this ...
ALIKE = 0.95
# ... and their sizes are within this factor.
FACTOR = 1.1
# A ratio of sizes this close to a known ratio is explained by its cause.
NEAR = 0.1

# A joint slower than this share of the fastest is not compared.
RESTING = 1e-3

# Known ratios of measured to differentiated velocity, and their causes.
CAUSES = (
    (-1.0, "their sign is the other way round"),
    (180 / math.pi, "they are in degrees per second"),
    (math.pi / 180, "positions are in degrees but velocities in radians per second"),
    (60 / math.tau, "they are in turns per minute"),
    (1000.0, "they are in millimetres per second, or time stamps are wrong by 1000"),
    (0.001, "the time stamps are wrong by 1000"),
)


@dataclass(eq=False)
class Velocities:
    """Mean products of the velocities of every joint, ``(n,)``, for the comparison.

    Attributes:
        slope: squares of those from differentiated positions.
        measured: squares of the measured ones at the same times, low-passed in the same way.
        product: of both.
        count: samples in the means.
    """

    slope: Array
    measured: Array
    product: Array
    count: int = 0

    @staticmethod
    def none(n: int) -> Velocities:
        """Return means of no samples."""
        return Velocities(np.zeros(n), np.zeros(n), np.zeros(n))

    def add(self, slope: Array, measured: Array) -> None:
        """Add more samples, ``(N, n)`` both."""
        self.count += len(slope)
        share = len(slope) / max(self.count, 1)
        pairs = (slope, slope), (measured, measured), (slope, measured)
        for mean, (a, b) in zip((self.slope, self.measured, self.product), pairs, strict=True):
            mean += share * (np.einsum("ij,ij->j", a, b) / max(len(a), 1) - mean)

    @property
    def difference(self) -> Array:
        """Root mean square of measured velocity minus slope, ``(n,)``."""
        return np.sqrt(np.maximum(self.slope + self.measured - 2.0 * self.product, 0.0))

    def moving(self, least: float) -> NDArray[np.bool_]:
        """Return which joints move at least at this share of the speed of the fastest."""
        speed = np.sqrt(self.slope)
        return speed > least * speed.max(initial=0.0)


def compare_velocities(names: Sequence[str], seen: Velocities) -> list[str]:
    """Return a sentence for each cause of velocities that differ from the slope of positions."""
    moving = seen.moving(RESTING)
    causes: dict[str, list[str]] = {}
    for j in np.flatnonzero(moving).tolist():
        cause = _cause(float(seen.slope[j]), float(seen.measured[j]), float(seen.product[j]))
        if cause is not None:
            causes.setdefault(cause, []).append(names[j])
    if moving.any() and not causes:
        return ["measured velocities agree with the slopes of the positions."]
    return [
        f"measured velocities of {', '.join(who)} are not the slopes of positions; perhaps {why}."
        for why, who in causes.items()
    ]


def _cause(slope: float, measured: float, product: float) -> str | None:
    """Return why velocities may differ; None if they agree."""
    size, other = math.sqrt(slope), math.sqrt(measured)
    likeness = product / (size * other) if other else 0.0
    ratio = math.copysign(other / size, likeness)
    if likeness >= ALIKE and 1 / FACTOR < ratio < FACTOR:
        return None
    if abs(likeness) >= ALIKE:
        for factor, words in CAUSES:
            if abs(ratio / factor - 1) < NEAR:
                return words
        return f"they are {ratio:.3g} times as large, as on the other side of a drive"
    return "they are not of the same motion or not of the same joint"
