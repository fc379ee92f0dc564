"""Measured velocities against the slope of the positions: a check of signs, units and stamps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Velocities agree if they are this much alike, and their sizes within this factor.
ALIKE = 0.95
FACTOR = 1.1

# A joint that moves less than this share of the fastest says nothing.
RESTING = 1e-3

# What a ratio of measured to differentiated velocity comes from.
CAUSES = (
    (-1.0, "their sign is the other way round"),
    (180 / math.pi, "they are in degrees per second"),
    (math.pi / 180, "positions are in degrees but velocities in radians per second"),
    (60 / math.tau, "they are in turns per minute"),
    (1000.0, "they are in millimetres per second, or time stamps are wrong by 1000"),
    (0.001, "the time stamps are wrong by 1000"),
)


def compare_velocities(names: Sequence[str], slope: Array, measured: Array) -> list[str]:
    """Return a sentence for every cause why velocities are not the slopes of the positions.

    Args:
        names: of the joints.
        slope: velocities from differentiated positions ``(N, n)``.
        measured: the measured ones at the same times, low-passed in the same way.
    """
    power = np.sqrt(np.mean(slope**2, axis=0))
    moving = power > RESTING * power.max(initial=0.0)
    causes: dict[str, list[str]] = {}
    for j in np.flatnonzero(moving).tolist():
        cause = _cause(slope[:, j], measured[:, j])
        if cause is not None:
            causes.setdefault(cause, []).append(names[j])
    if moving.any() and not causes:
        return ["measured velocities agree with the slopes of the positions."]
    return [
        f"measured velocities of {', '.join(who)} are not the slopes of positions; perhaps {why}."
        for why, who in causes.items()
    ]


def _cause(slope: Array, measured: Array) -> str | None:
    """Return why velocities may differ, None if they do not."""
    size, other = (float(np.sqrt(np.mean(v**2))) for v in (slope, measured))
    likeness = float(np.mean(slope * measured)) / (size * other) if other else 0.0
    ratio = math.copysign(other / size, likeness)
    if likeness >= ALIKE and 1 / FACTOR < ratio < FACTOR:
        return None
    if abs(likeness) >= ALIKE:
        for factor, words in CAUSES:
            if abs(ratio / factor - 1) < 0.1:
                return words
        return f"they are {ratio:.3g} times as large, as on the other side of a drive"
    return "they are not of the same motion or not of the same joint"
