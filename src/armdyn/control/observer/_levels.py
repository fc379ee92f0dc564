"""Thresholds of an observer: what residuals do in ordinary motion, by the speed of the joint.

Residuals are largest where a joint turns around or rests: there friction is known worst. So every
joint has a level for motion, one for slow motion, and one for rest, which adds its dry friction: a
joint at rest withstands that much in either direction, and nothing tells how much it does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm

Array = NDArray[np.float64]
Truths = NDArray[np.bool_]

# A joint is slow, or rests, below these shares of its greatest speed.
SLOW, REST = 0.05, 0.01
# It counts so for this many time constants of the observer, and this long [s], after it was.
CONSTANTS, MARGIN = 3.0, 0.03

# From motion without contacts: this many times its largest residual.
ABOVE_LARGEST = 1.6
# In units of the 68 % quantile of the residuals, one sigma of noise: at least, and from a log with
# contacts at most.
LEAST, MOST = 6.0, 12.0
# From a log with contacts: this many times the 95 % quantile; both bounds agree for noise.
ABOVE_MOST = 3.0
# Fewer samples of a kind of motion tell nothing about it.
FEWEST = 50
# Levels grow if the median residual of a log is more than this many times the one they are from.
GROWN = 1.5


@dataclass(frozen=True, eq=False)
class Levels:
    """Thresholds of the joints ``(n,)`` each [N m].

    Attributes:
        moving: at usual speeds.
        slow: at low speeds and soon after.
        resting: at rest and soon after.
        speed: greatest speed, of which the others are shares.
        median: of the residuals in motion; 0 if it is unknown.
    """

    moving: Array
    slow: Array
    resting: Array
    speed: Array
    median: Array

    def at(self, t: Array, qd: Array, gain: float) -> Array:
        """Return the thresholds over time ``(N, n)``."""
        slow, rest = (recently(t, qd, share * self.speed, gain) for share in (SLOW, REST))
        return np.where(rest, self.resting, np.where(slow, self.slow, self.moving))

    def grown(self, t: Array, qd: Array, residual: Array, gain: float) -> tuple[Levels, Array]:
        """Return levels for a log whose usual residuals are larger, and by which factors."""
        if not self.median.all():
            return self, np.ones_like(self.median)
        slow = recently(t, qd, SLOW * self.speed, gain)
        found = np.array([_quantile(residual[~s, j], 0.5) for j, s in enumerate(slow.T)])
        factor = np.maximum(found / self.median / GROWN, 1.0)
        wider = {x: factor * getattr(self, x) for x in ("moving", "slow", "resting")}
        return replace(self, **wider), factor


def recently(t: Array, qd: Array, speed: Array, gain: float) -> Truths:
    """Return where joints are, or shortly before were, slower than a speed ``(n,)``."""
    last = np.where(np.abs(qd) <= speed, t[:, None], -np.inf)
    return t[:, None] - np.maximum.accumulate(last, axis=0) <= CONSTANTS / gain + MARGIN


def given_levels(arm: Arm, threshold: Array) -> Levels:
    """Return levels that the user chose; they hold at every speed."""
    zero = np.zeros(arm.n)
    return Levels(threshold, threshold, threshold, zero, zero)


def levels_of(
    arm: Arm, t: Array, qd: Array, residual: Array, gain: float, blur: Array, *, free: bool
) -> Levels:
    """Return the levels of a log.

    Args:
        arm: the arm, for its dry friction.
        t: times ``(N,)``.
        qd: velocities ``(N, n)``.
        residual: of the observer ``(N, n)``.
        gain: of the observer [1/s].
        blur: torques that errors in time explain ``(N, n)``; thresholds have them beside levels.
        free: whether the log is free of contacts.
    """
    speed = np.abs(qd).max(axis=0)
    slow = recently(t, qd, SLOW * speed, gain)
    size = np.abs(residual)
    left = np.maximum(size - blur, 0.0)
    level = _free_level if free else _robust_level
    moving, near = np.zeros(arm.n), np.zeros(arm.n)
    for j in range(arm.n):
        parts = [~slow[:, j], slow[:, j]]
        found = [level(size[x, j], left[x, j]) if x.sum() >= FEWEST else None for x in parts]
        whole = level(size[:, j], left[:, j])
        moving[j] = whole if found[0] is None else found[0]
        near[j] = max(moving[j], whole if found[1] is None else found[1])
    median = np.array([_quantile(size[~s, j], 0.5) for j, s in enumerate(slow.T)])
    return Levels(moving, near, near + dry_friction(arm), speed, median)


def dry_friction(arm: Arm) -> Array:
    """Return half the jump of friction at rest ``(n,)``, with the weight of the arm at zero."""
    n = arm.n
    load = np.abs(arm.gravity(np.zeros(n)))
    ahead, back = (arm.friction(np.full(n, v), load=load) for v in (1e-9, -1e-9))
    return 0.5 * np.abs(ahead - back)


def _free_level(size: Array, left: Array) -> float:
    return max(ABOVE_LARGEST * float(left.max()), LEAST * _quantile(size, 0.68))


def _robust_level(size: Array, left: Array) -> float:
    sigma = _quantile(size, 0.68)
    return float(np.clip(ABOVE_MOST * _quantile(left, 0.95), LEAST * sigma, MOST * sigma))


def _quantile(values: Array, share: float) -> float:
    return float(np.quantile(np.abs(values), share)) if len(values) else 0.0
