"""Thresholds of an observer: what residuals do in ordinary motion, by the speed of the joint.

Residuals are largest where a joint turns around or rests: there friction is known worst. So every
joint has a level for motion, one for slow motion, and one for rest, which adds its dry friction: a
joint at rest withstands that much in either direction, and nothing tells how much it does. A joint
that turns around accelerates most, one that stands does not: errors of inertia and of fast motion
are none of its residuals, so it has a level of its own if a log without contacts shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.control.observation import Samples, spans
from armdyn.numerics import ratio

Truths = NDArray[np.bool_]

# A joint is slow, or rests, below these shares of its greatest speed.
SLOW, REST = 0.05, 0.01
# The same in units of the noise of its speed, if that is more.
SLOW_NOISE, REST_NOISE = 8.0, 5.0
# It counts so for this many time constants of the observer, and this long [s], before and after:
# drives report their torques through low-passes, which spread the jump of friction.
CONSTANTS, MARGIN = 3.0, 0.15

# From motion without contacts: this many times its largest residual.
ABOVE_LARGEST = 1.6
# In units of the 68 % quantile of the residuals, one sigma of noise: at least, and from a log with
# contacts at most.
MIN_SIGMAS, MAX_SIGMAS = 6.0, 12.0
# From a log with contacts: this many times the 95 % quantile; both bounds agree for noise.
ABOVE_MOST = 3.0
# Peaks that a smaller one, or the level, comes as near as this are of the same kind: no contacts.
SAME_KIND_RATIO, SAME_KIND_MARGIN = 1.6, 1.25
# At least this share of a joint's torque limit, or of the largest torque in the log if it is less.
SHARE_OF_LIMIT, SHARE_OF_LARGEST = 0.025, 0.05
# Dry friction differs from place to place: this many times the described one.
DRY_FRICTION_FACTOR = 1.3
# A joint that moves in fewer samples may do so because it is pushed.
SELDOM_MOVING_SHARE = 0.2
# Fewer samples of a kind of motion tell nothing about it; fewer visits nothing about the usual one.
MIN_SAMPLES, VISITS = 50, 4
# Levels grow if the median residual of a log is more than this many times the one they are from.
GROWTH_RATIO = 1.5


@dataclass(frozen=True, eq=False)
class Levels:
    """Thresholds of the joints ``(n,)`` each [N m] or [N].

    Attributes:
        moving: at usual speeds.
        slow: below the speed `slow_speed`, and shortly before and after.
        resting: below the speed `resting_speed`, and shortly before and after.
        standing: below the speed `resting_speed`, also shortly before and after.
        slow_speed: a share of the greatest speed, above noise.
        resting_speed: the same, a smaller share.
        median: of the residuals in motion; 0 if it is unknown.

    Examples:
        >>> observer = armdyn.MomentumObserver(armdyn.load("planar2"), threshold=[2.0, 1.0])
        >>> observer.levels.moving
        array([2., 1.])
    """

    moving: Array
    slow: Array
    resting: Array
    standing: Array
    slow_speed: Array
    resting_speed: Array
    median: Array

    def at(self, t: Array, qd: Array, gain: float) -> Array:
        """Return the thresholds over time.

        Args:
            t: times ``(N,)`` [s].
            qd: velocities ``(N, n)`` [rad/s or m/s].
            gain: gain of the observer [1/s].

        Returns:
            Thresholds ``(N, n)`` [N m or N].

        Examples:
            >>> observer = armdyn.MomentumObserver(armdyn.load("planar2"), threshold=[2.0, 1.0])
            >>> observer.levels.at(np.arange(3.0), np.zeros((3, 2)), observer.gain).shape
            (3, 2)
        """
        slow, rest = (nearby(t, qd, v, gain) for v in (self.slow_speed, self.resting_speed))
        level = np.where(rest, self.resting, np.where(slow, self.slow, self.moving))
        return np.where(stands(t, qd, self.resting_speed, gain), self.standing, level)

    def grown(self, t: Array, qd: Array, residual: Array, gain: float) -> tuple[Levels, Array]:
        """Return thresholds scaled to a log with larger residuals without contacts.

        Args:
            t: times ``(N,)`` [s].
            qd: velocities ``(N, n)`` [rad/s or m/s].
            residual: residuals ``(N, n)`` [N m or N].
            gain: gain of the observer [1/s].

        Returns:
            The thresholds, and the factors ``(n,)``.

        Examples:
            >>> arm, log = armdyn.load("planar2"), armdyn.Log.read("run.csv")
            >>> observer = armdyn.MomentumObserver(arm, free=log)
            >>> seen = observer.run(log)
            >>> observer.levels.grown(seen.t, np.ones_like(seen.residual), seen.residual, 100.0)[1]
            array([1., 1.])
        """
        slow = nearby(t, qd, self.slow_speed, gain)
        found = np.array([_quantile(residual[~s, j], 0.5) for j, s in enumerate(slow.T)])
        factor = np.maximum(ratio(found, self.median, 1.0) / GROWTH_RATIO, 1.0)
        wider = {x: factor * getattr(self, x) for x in ("moving", "slow", "resting", "standing")}
        return replace(self, **wider), factor


def nearby(t: Array, qd: Array, speed: Array, gain: float) -> Truths:
    """Return where joints are, or shortly before or after are, slower than a speed ``(n,)``."""
    return _around(t, np.abs(qd) <= speed, gain)


def stands(t: Array, qd: Array, speed: Array, gain: float) -> Truths:
    """Return where joints are, and shortly before and after, no faster than a speed ``(n,)``."""
    return ~_around(t, np.abs(qd) > speed, gain)


def _around(t: Array, where: Truths, gain: float) -> Truths:
    """Return where something is true, or shortly before or after is."""
    times, far = t[:, None], np.inf
    before = np.maximum.accumulate(np.where(where, times, -far), axis=0)
    after = np.minimum.accumulate(np.where(where, times, far)[::-1], axis=0)[::-1]
    reach = CONSTANTS / gain + MARGIN
    return (times - before <= reach) | (after - times <= reach)


def given_levels(arm: Arm, threshold: Array) -> Levels:
    """Return levels that the user chose; they hold at every speed."""
    zero = np.zeros(arm.n)
    return Levels(threshold, threshold, threshold, threshold, zero, zero, zero)


def levels_of(arm: Arm, samples: Samples, residual: Array, *, free: bool) -> Levels:
    """Return the levels of a log.

    Args:
        arm: the arm, for its dry friction and its limits.
        samples: of the log.
        residual: of the observer ``(N, n)``.
        free: whether the log is free of contacts.
    """
    top = np.abs(samples.qd).max(axis=0)
    slow_speed = np.maximum(SLOW * top, SLOW_NOISE * samples.noise)
    resting_speed = np.maximum(REST * top, REST_NOISE * samples.noise)
    states = samples.t, samples.qd
    slow, rest = (nearby(*states, v, samples.gain) for v in (slow_speed, resting_speed))
    stand = stands(*states, resting_speed, samples.gain)
    dry = DRY_FRICTION_FACTOR * dry_friction(arm)
    size = np.maximum(np.abs(residual) - np.where(rest, dry, 0.0), 0.0)
    left = np.maximum(size - samples.blur, 0.0)
    level = _free_level if free else _robust_level
    least = _least(arm, samples.tau)
    moving, near, standing = np.zeros((3, arm.n))
    for j in range(arm.n):
        parts = [~slow[:, j], slow[:, j]]
        found = [
            level(size[:, j], left[:, j], x, least[j]) if x.sum() >= MIN_SAMPLES else None
            for x in parts
        ]
        whole = level(size[:, j], left[:, j], np.ones(len(size), dtype=bool), least[j])
        seldom = not free and parts[0].mean() < SELDOM_MOVING_SHARE
        moving[j] = whole if found[0] is None or seldom else found[0]
        near[j] = max(moving[j], whole if found[1] is None else found[1])
        standing[j] = near[j] + dry[j]
        if free and len(spans(stand[:, j])) >= VISITS:  # one pose tells nothing of the weight
            held = level(size[:, j], np.abs(residual[:, j]), stand[:, j], least[j])
            standing[j] = min(standing[j], max(held, dry[j] + least[j]))
    median = np.array([_quantile(size[~s, j], 0.5) for j, s in enumerate(slow.T)])
    return Levels(moving, near, near + dry, standing, slow_speed, resting_speed, median)


def dry_friction(arm: Arm) -> Array:
    """Return half the jump of friction at rest ``(n,)``, with the weight of the arm at zero."""
    n = arm.n
    load = np.abs(arm.gravity(np.zeros(n)))
    ahead, back = (arm.friction(np.full(n, v), load=load) for v in (1e-9, -1e-9))
    return 0.5 * np.abs(ahead - back)


def _least(arm: Arm, tau: Array) -> Array:
    """Return the smallest torques ``(n,)`` that are worth the name of a contact."""
    limit = np.array([joint.effort for joint in arm.robot.joints])
    largest = np.abs(tau).max(axis=0)
    return np.minimum(SHARE_OF_LIMIT * limit, SHARE_OF_LARGEST * largest)


def _free_level(size: Array, left: Array, part: Truths, least: float) -> float:
    """Return the level of a part of a log that has no contacts."""
    largest = ABOVE_LARGEST * float(left[part].max())
    return max(largest, MIN_SIGMAS * _quantile(size[part], 0.68), least)


def _robust_level(size: Array, left: Array, part: Truths, least: float) -> float:
    """Return the level of a part of a log that may have contacts in it.

    Most samples have none. Contacts stand out from them: what exceeds the level is none if a
    little more would hold it, too.
    """
    sigma = _quantile(size[part], 0.68)
    usual = ABOVE_MOST * _quantile(left[part], 0.95)
    level = float(np.clip(usual, MIN_SIGMAS * sigma, MAX_SIGMAS * sigma))
    visits = [float(left[a:b].max()) for a, b in spans(part)]
    if len(visits) >= VISITS:  # a contact may fill much of a part that is short
        level = min(level, SAME_KIND_RATIO * float(np.median(visits)))
    level = max(level, least)
    rest = np.where(part, left, 0.0)
    while peaks := sorted(float(rest[a:b].max()) for a, b in spans(rest > level)):
        if peaks[0] > SAME_KIND_RATIO * level:
            break
        level = SAME_KIND_MARGIN * peaks[0]
    return level


def _quantile(values: Array, share: float) -> float:
    return float(np.quantile(np.abs(values), share)) if len(values) else 0.0
