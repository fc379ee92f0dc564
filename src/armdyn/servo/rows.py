"""Rows of a fit to servo errors: joints that hold still, and joints that move slowly.

A position servo without integrator needs an error e = q_cmd - q to make torque. A joint that holds
still gives one row, the mean of e after the joint has come to rest, with the direction of the
motion before it: friction leaves e on that side of its band. A moving joint gives a row for every
window of constant direction. No row reaches across an episode, and samples near the limits of a
joint are left out: values may be clipped there, and the arm may lean on its stop.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.log.log import Log

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

# The numbers of this module are those of the study of SO-101 arms in `benchmarks/servo.py`.

# Speeds are slopes over this time before and after a sample [s]: 130 counts/s of a 12-bit encoder
# make 0.02 rad/s there.
SLOPE = 0.1

# A joint below the first speed holds still, above the second it moves [rad/s].
STILL, MOVING = 0.02, 0.06

# A hold lasts at least the second time, and its first part is left out [s].
SETTLING, SHORTEST_HOLD = 0.15, 0.25

# Length of a row of a moving joint [s].
WINDOW = 0.2

# Moving rows have accelerations below this [rad/s^2].
FASTEST_CHANGE = 3.0

# The same below `SLOW_RATE`, where slopes of so few samples are noisier [rad/s^2].
FASTEST_CHANGE_SLOW_LOG = 8.0

# Logs below this rate [Hz] are slow: LeRobot records at 30 Hz.
SLOW_RATE = 35.0

# Left out at the start of every episode, where the motion before is unknown [s].
FIRST_PART = 0.3

# Samples within this share of a joint's range from its limits are left out.
NEAR_LIMIT = 0.03

# Controllers may limit goals to a distance from the position (LeRobot: max_relative_target). The
# errors of a joint pile up at the limit then: more than this share of samples is within three
# counts of a 12-bit encoder of the largest error [rad], and more than twice as many as in the next
# six counts. Without a limit the second ratio is below 1.2 on logs of `benchmarks/servo.py`.
PILED_SHARE, PILED_WIDTH, PILED_RATIO = 0.01, 0.0045, 2.0


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of all joints, N of them, for n joints.

    Attributes:
        joint: the joint of each row ``(N,)``, from 0.
        q: mean positions of all joints ``(N, n)``.
        qd, qdd: mean speeds and accelerations of all joints ``(N, n)``; 0 of holds.
        error: mean servo error of the joint ``(N,)`` [rad].
        side: direction of the motion, or of the last one before a hold: -1, 1, or 0 if unknown.
        moving: whether the joint moves.
        integral: of the servo error since the start of the episode ``(N,)`` [rad s].
        time: of the middle of the row ``(N,)`` [s].
        episode: number of the episode ``(N,)``.
        hung: whether the known mass hangs on the arm ``(N,)``.
    """

    joint: Whole
    q: Array
    qd: Array
    qdd: Array
    error: Array
    side: Array
    moving: Flags
    integral: Array
    time: Array
    episode: Whole
    hung: Flags

    def __len__(self) -> int:
        return len(self.joint)

    def where(self, mask: Flags) -> Rows:
        """Return some of the rows."""
        return Rows(**{f.name: getattr(self, f.name)[mask] for f in fields(self)})

    def read_as(self, source: tuple[int, ...], sign: Array) -> Rows:
        """Return the rows of a log whose columns mean other joints.

        Args:
            source: column of the log that holds each joint.
            sign: by which each joint's column is multiplied ``(n,)``.
        """
        order = list(source)
        joint = np.argsort(order)[self.joint]
        own = sign[joint]
        return replace(
            self, joint=joint, q=self.q[:, order] * sign, qd=self.qd[:, order] * sign,
            qdd=self.qdd[:, order] * sign, error=self.error * own, side=self.side * own,
            integral=self.integral * own,
        )  # fmt: skip


def joined(parts: list[Rows], counts: list[int]) -> Rows:
    """Return rows of several logs; episodes and times continue each other.

    Args:
        parts: rows of each log.
        counts: of its episodes.
    """
    moved = list[Rows]()
    episodes, seconds = 0, 0.0
    for part, count in zip(parts, counts, strict=True):
        moved.append(replace(part, episode=part.episode + episodes, time=part.time + seconds))
        episodes += count
        if len(part):
            seconds += float(part.time.max()) + 1.0
    return Rows(**{f.name: np.concatenate([getattr(p, f.name) for p in moved])
                   for f in fields(Rows)})  # fmt: skip


def rows_of(arm: Arm, log: Log, loaded: Flags, *, hung: bool = False) -> Rows:
    """Return the rows of a log with commanded positions.

    Args:
        arm: whose limits are kept away from.
        log: with `q_cmd`.
        loaded: the joints that carry weight ``(n,)``; at the limits of another joint, only its own
            rows are left out.
        hung: whether the known mass hangs on the arm.
    """
    assert log.q_cmd is not None
    parts = list[tuple[object, ...]]()
    clear = off_limits(arm, log.q)
    free = clear & np.all(clear[:, loaded], axis=1, keepdims=True)
    free &= np.abs(log.q_cmd - log.q) < error_limits(log)
    for number, part in enumerate(log.episodes or [slice(0, len(log))]):
        t, q, goal = log.t[part], log.q[part], log.q_cmd[part]
        parts += _episode_rows(t, q, goal, free[part], number)
    if not parts:
        return no_rows(arm.n)
    joint, place, speed, change, error, side, moving, integral, time, episode = map(
        np.array, zip(*parts, strict=True)
    )
    return Rows(
        joint, place, speed, change, error, side, moving, integral, time, episode,
        np.full(len(joint), hung),
    )  # fmt: skip


def no_rows(n: int) -> Rows:
    """Return no rows of n joints."""
    none, nowhere = np.empty(0), np.empty((0, n))
    whole, flags = none.astype(np.int64), none.astype(np.bool_)
    return Rows(whole, nowhere, nowhere, nowhere, none, none, flags, none, none, whole, flags)


def off_limits(arm: Arm, q: Array) -> Flags:
    """Return which positions are away from the limits of their joints, ``(N, n)``."""
    lower = np.array([joint.lower for joint in arm.robot.joints])
    upper = np.array([joint.upper for joint in arm.robot.joints])
    finite = np.isfinite(upper - lower)
    margin = np.where(finite, NEAR_LIMIT * np.where(finite, upper - lower, 0.0), 0.0)
    return (q > lower + margin) & (q < upper - margin)


def error_limits(log: Log) -> Array:
    """Return the servo errors at which goals of the joints are clipped ``(n,)``; inf if not."""
    assert log.q_cmd is not None
    error = np.abs(log.q_cmd - log.q)
    edge = np.quantile(error, 0.999, axis=0) - PILED_WIDTH
    at_limit = (error > edge).mean(axis=0)
    below = (error > edge - 2.0 * PILED_WIDTH).mean(axis=0) - at_limit
    piled = (at_limit > PILED_SHARE) & (at_limit > PILED_RATIO * below) & (edge > PILED_WIDTH)
    return np.where(piled, edge, np.inf)


def slopes(t: Array, x: Array, reach: int) -> Array:
    """Return the slopes of x ``(N, n)`` over `reach` samples to both sides."""
    after = np.minimum(np.arange(len(t)) + reach, len(t) - 1)
    before = np.maximum(np.arange(len(t)) - reach, 0)
    return (x[after] - x[before]) / (t[after] - t[before])[:, None]


def _episode_rows(
    t: Array, q: Array, goal: Array, free: Flags, number: int
) -> list[tuple[object, ...]]:
    """Return the rows of one episode as tuples in the order of `Rows`, without `hung`."""
    made = list[tuple[object, ...]]()
    if len(t) < 4 or t[-1] - t[0] <= FIRST_PART + SHORTEST_HOLD:
        return made
    step = float(np.median(np.diff(t)))
    reach = max(round(SLOPE / step), 1)
    qd, goal_speed = slopes(t, q, reach), slopes(t, goal, reach)
    qdd = slopes(t, qd, reach)
    error = goal - q
    steps = np.diff(t, append=t[-1])[:, None]
    integral = np.cumsum(error * steps, axis=0)
    quiet = (np.abs(qd) < MOVING).all(axis=1)
    late = t >= t[0] + FIRST_PART
    limit = FASTEST_CHANGE if step < 1.0 / SLOW_RATE else FASTEST_CHANGE_SLOW_LOG
    for j in range(q.shape[1]):
        ok = free[:, j] & late
        direction = np.where(np.abs(qd[:, j]) > MOVING, np.sign(qd[:, j]), 0.0)
        last = _last_nonzero(direction)

        def row(a: int, b: int, side: float, moving: bool, j: int = j) -> None:
            part = slice(a, b)
            still = np.zeros(q.shape[1])
            made.append((
                j, q[part].mean(axis=0), qd[part].mean(axis=0) if moving else still,
                qdd[part].mean(axis=0) if moving else still, error[part, j].mean(), side, moving,
                integral[part, j].mean(), t[part].mean(), number,
            ))  # fmt: skip

        hold = ok & quiet & (np.abs(qd[:, j]) < STILL) & (np.abs(goal_speed[:, j]) < STILL)
        for a, b in _runs(hold.astype(np.float64)):
            start = int(np.searchsorted(t, float(t[a]) + SETTLING))
            if t[b - 1] - t[a] >= SHORTEST_HOLD and start < b:
                row(start, b, float(last[a]), False)
        steady = np.where(ok & (np.abs(qdd[:, j]) < limit), direction, 0.0)
        for a, b in _runs(steady):
            edges = np.arange(t[a], t[b - 1] + step / 2.0, WINDOW)
            cuts = np.searchsorted(t, edges - step / 4.0)
            for first, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
                row(first, end, float(steady[a]), True)
    return made


def _runs(values: Array) -> list[tuple[int, int]]:
    """Return the first and the end of every run of equal values other than 0."""
    cuts = np.flatnonzero(np.diff(values)) + 1
    edges = [0, *cuts.tolist(), len(values)]
    return [(a, b) for a, b in itertools.pairwise(edges) if values[a] != 0.0]


def _last_nonzero(values: Array) -> Array:
    """Return, for every sample, the last value other than 0 up to it; 0 before the first."""
    at = np.where(values != 0.0, np.arange(len(values)), -1)
    last = np.maximum.accumulate(at)
    return np.where(last >= 0, values[np.maximum(last, 0)], 0.0)
