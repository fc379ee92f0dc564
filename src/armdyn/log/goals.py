"""Whether commanded positions are the goals of the joints: slope, lag, and which column is whose.

A position controller follows its goal: after a lag, the position is the goal plus an offset, the
droop under load. So for the right column the slope of positions on commands, at the lag of best
correlation, is 1, and no other column explains the joint better. Increments, goals of another arm,
of a leader in other units, or of other joints fail one of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.log.health import RESTING
from armdyn.log.log import Log
from armdyn.log.rows import runs
from armdyn.log.segments import segments
from armdyn.log.trim import NEGLIGIBLE_MOTION
from armdyn.numerics import ratio

# Commands are compared at steps of time no shorter than this [s]: drives lag by several of them.
SHORTEST_STEP = 0.01
# Lags of positions behind commands that are tried [s]. Drives follow within 0.3 s; a command that
# is stamped late has a negative lag.
LAGS = (-0.4, 0.8)
# Of a long piece of a log, so many runs of so many rows are compared.
RUNS, RUN = 8, 1 << 14
# Fewer rows show no correlation.
LEAST_ROWS = 20

# A joint at rest ignores its command if the range of that is larger [rad or m]: droop under the
# motion of other joints, some degrees, is no motion.
IGNORED_RANGE = 0.1

# A goal explains the position of its joint: least correlation, and the tolerance of the slope,
# which droop under gravity, a part of the position, changes by less.
LEAST_CORRELATION = 0.9
SLOPE_TOLERANCE = 0.1
# Another column is the goal of a joint if its own leaves this many times as much unexplained: both
# leave droop and friction, some per cent of the motion.
CLEARLY_BETTER = 4.0
# ... and at least this share of the squares: joints that move alike have equal commands.
LEAST_UNEXPLAINED = 0.002

DEGREES = np.degrees(1.0)

# A command is a copy of positions up to so many samples later if most of those in motion are equal
# [rad or m]. A position in counts of an encoder meets its goal in a few per cent of samples.
MOST_LATER, LEAST_COPIED, COPIED = 3, 0.5, 1e-6


@dataclass(frozen=True, eq=False)
class GoalMatch:
    """How commanded positions match the positions of the joints.

    Attributes:
        joint_names: names of the n joints.
        width: number of command columns.
        correlation: of each position with its command at the best lag ``(n,)``; NaN where it
            cannot be judged, because the joint and its command are at rest.
        slope: of the position on the command at that lag ``(n,)``.
        lag: of the position behind the command [s] ``(n,)``.
        column: which command column (from 0) explains each joint best ``(n,)``; its own if no other
            one does so clearly better.
        best_correlation: of each position with that column ``(n,)``.
        step: between lags that were tried [s]; lags are interpolated between them.
    """

    joint_names: tuple[str, ...]
    width: int
    correlation: Array
    slope: Array
    lag: Array
    column: NDArray[np.int64]
    best_correlation: Array
    step: float

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Which joints, or their commands, move enough to be judged ``(n,)``."""
        return np.isfinite(self.correlation)

    @property
    def matches(self) -> NDArray[np.bool_]:
        """Which joints follow their own command ``(n,)``; False where it cannot be judged."""
        own = self.column == np.arange(len(self.column))
        with np.errstate(invalid="ignore"):
            close = np.abs(self.slope - 1.0) <= SLOPE_TOLERANCE
            return own & close & (self.correlation >= LEAST_CORRELATION)

    @property
    def is_goal(self) -> bool:
        """Whether there is a command for each joint, and every joint that moves follows its own."""
        if self.width != len(self.joint_names):
            return False
        return bool((self.matches | ~self.judged).all() and self.judged.any())

    @property
    def exchanged(self) -> tuple[tuple[int, ...], ...]:
        """Cycles of joints (from 0) whose commands are exchanged, such as ``((1, 2),)``."""
        made: list[tuple[int, ...]] = []
        for first in range(len(self.column)):
            cycle, at = [first], int(self.column[first])
            while at not in cycle and at < len(self.column):
                cycle.append(at)
                at = int(self.column[at])
            if len(cycle) > 1 and at == first and first == min(cycle):
                made.append(tuple(cycle))
        return tuple(made)

    def why(self, j: int) -> str:
        """Return in words what is wrong with the command of a joint (from 0); empty if nothing."""
        if not self.judged[j] or self.matches[j]:
            return ""
        r, slope = float(self.correlation[j]), float(self.slope[j])
        if self.column[j] != j:
            return (
                f"command {int(self.column[j]) + 1} explains it better (correlation "
                f"{self.best_correlation[j]:.3f}) than its own ({r:.3f})"
            )
        if abs(r) < LEAST_CORRELATION:
            return f"correlation with its command {r:.2f}, expected at least {LEAST_CORRELATION:g}"
        for factor, cause in (
            (-1.0, "the sign of the command is reversed"),
            (1.0 / DEGREES, "the command is in degrees, or positions are not in radians"),
            (DEGREES, "the command is in radians, or positions are in degrees"),
        ):
            if abs(slope / factor - 1.0) <= SLOPE_TOLERANCE:
                return f"slope on its command {slope:.3g}: {cause}"
        return f"slope on its command {slope:.3g}, expected 1 +- {SLOPE_TOLERANCE:g}"

    @property
    def words(self) -> str:
        """The result as a sentence."""
        names = self.joint_names
        if self.width != len(names):
            return (
                f"the command is not the goal of these joints: it has {self.width} columns for "
                f"{len(names)} joints."
            )
        if not self.judged.any():
            return "nothing tells whether the command is the goal of these joints: none moves."
        if not self.is_goal:
            wrong = [f"{name}: {why}" for j, name in enumerate(names) if (why := self.why(j))]
            return f"the command is not the goal of these joints: {'; '.join(wrong)}."
        lags = 1e3 * self.lag[self.judged]
        return (
            f"the command is the goal of these joints: slopes {self.slope[self.judged].min():.3g} "
            f"to {self.slope[self.judged].max():.3g}, positions lag by {lags.min():.0f} to "
            f"{lags.max():.0f} ms."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON; None where a joint cannot be judged."""
        return {
            "is_goal": self.is_goal,
            "words": self.words,
            "joints": [
                {
                    "name": name,
                    "matches": bool(self.matches[j]) if self.judged[j] else None,
                    "column": int(self.column[j]) + 1,
                    "correlation": _plain(self.correlation[j]),
                    "slope": _plain(self.slope[j]),
                    "lag": _plain(self.lag[j]),
                }
                for j, name in enumerate(self.joint_names)
            ],
        }


def goal_match(log: Log) -> GoalMatch:
    """Compare the commanded positions of a log with its positions.

    Args:
        log: the log; it has `q_cmd`.

    Returns:
        Correlation, slope and lag of every joint, which column is its goal, and words.

    Raises:
        InputError: the log has no commanded positions.
    """
    if log.q_cmd is None:
        raise InputError("the log has no commanded positions (`q_cmd`).", argument="log")
    step = max(log.median_step, SHORTEST_STEP)
    pieces: list[tuple[Array, Array]] = []
    for piece in segments(log):
        for a, b in runs(len(piece), RUNS, RUN):
            rows = slice(piece.start + a, piece.start + b)
            t, q, goal = log.t[rows], log.q[rows], log.q_cmd[rows]
            at = t[0] + step * np.arange(int((t[-1] - t[0]) / step + 0.5) + 1)
            pieces.append((_at(at, t, q), _at(at, t, goal)))
    return match_goals(pieces, step, log.joint_names)


def copied_positions(log: Log) -> int | None:
    """Return how many samples later positions equal the commands; None if they do not.

    Some recorders store the next position, or the present one, as the action.

    Args:
        log: with `q_cmd`, of as many joints.
    """
    assert log.q_cmd is not None
    moves = np.diff(log.q, axis=0) != 0.0
    for later in range(MOST_LATER + 1):
        rows = len(log.q) - max(later, 1)
        goal, place, moving = log.q_cmd[:rows], log.q[later : rows + later], moves[:rows]
        same = np.isclose(goal, place, rtol=0.0, atol=COPIED)[moving]
        if same.size and same.mean() > LEAST_COPIED:
            return later
    return None


def match_goals(
    pieces: Sequence[tuple[Array, Array]], step: float, joint_names: Sequence[str]
) -> GoalMatch:
    """Compare positions with commands, at equal steps of time.

    Args:
        pieces: positions ``(N, n)`` and commands ``(N, m)`` of motions without interruption.
        step: of time [s].
        joint_names: names of the n joints.

    Returns:
        How they match; m may differ from n.
    """
    n, m = len(joint_names), pieces[0][1].shape[1] if pieces else 0
    q_range, goal_range = (_range([piece[k] for piece in pieces]) for k in (0, 1))
    delays = np.arange(round(LAGS[0] / step), round(LAGS[1] / step) + 1)
    tables = [_products(pieces, int(delay)) for delay in delays]
    correlation = np.array([table[0] for table in tables])  # (lags, n, m)
    slope = np.array([table[1] for table in tables])
    moves = q_range >= max(RESTING, NEGLIGIBLE_MOTION * q_range.max(initial=0.0))
    asked = goal_range >= IGNORED_RANGE
    best = np.abs(correlation).argmax(axis=0)
    lags = np.asarray(step * delays, np.float64)
    value, at = np.zeros((n, m)), np.zeros((n, m))
    for i, j in np.ndindex(n, m):
        value[i, j], at[i, j] = _peak(correlation[:, i, j], lags, int(best[i, j]))
    own = np.arange(min(n, m))
    column = np.arange(n)
    # what a command leaves unexplained; a parabola may pass 1 a little
    left = 1.0 - np.clip(value, 0.0, 1.0) ** 2
    for i in own[moves[own]].tolist():
        k = int(left[i].argmin())
        worse = left[i, i] > max(CLEARLY_BETTER * left[i, k], LEAST_UNEXPLAINED)
        if value[i, k] >= LEAST_CORRELATION and worse:
            column[i] = k
    judged = np.zeros(n, dtype=np.bool_)
    judged[own] = moves[own] | asked[own]
    result = np.full((4, n), np.nan)
    for i in np.flatnonzero(judged).tolist():
        k = int(column[i])
        result[:, i] = value[i, i], slope[best[i, i], i, i], at[i, i], value[i, k]
    return GoalMatch(
        joint_names=tuple(joint_names),
        width=m,
        correlation=result[0],
        slope=result[1],
        lag=result[2],
        column=column,
        best_correlation=result[3],
        step=step,
    )


def _at(at: Array, t: Array, columns: Array) -> Array:
    made = np.empty((len(at), columns.shape[1]))
    for j in range(columns.shape[1]):
        made[:, j] = np.interp(at, t, columns[:, j])
    return made


def _range(columns: Sequence[Array]) -> Array:
    if not columns:
        return np.zeros(0)
    return np.max([x.max(axis=0) for x in columns], axis=0) - np.min(
        [x.min(axis=0) for x in columns], axis=0
    )


def _products(pieces: Sequence[tuple[Array, Array]], delay: int) -> tuple[Array, Array]:
    """Return correlations and slopes ``(n, m)`` of positions with commands `delay` rows before."""
    pairs = [
        (q[max(delay, 0) : len(q) + min(delay, 0)], goal[max(-delay, 0) : len(q) - max(delay, 0)])
        for q, goal in pieces
        if len(q) - abs(delay) >= LEAST_ROWS
    ]
    n, m = (pieces[0][k].shape[1] if pieces else 0 for k in (0, 1))
    if not pairs:
        return np.zeros((n, m)), np.zeros((n, m))
    q, goal = (np.concatenate(x) for x in zip(*pairs, strict=True))
    q, goal = q - q.mean(axis=0), goal - goal.mean(axis=0)
    squares, goals = np.sum(q**2, axis=0), np.sum(goal**2, axis=0)
    product = q.T @ goal
    return ratio(product, np.sqrt(np.outer(squares, goals)), 0.0), ratio(product, goals, 0.0)


def _peak(values: Array, lags: Array, k: int) -> tuple[float, float]:
    """Return the value and the lag of an extremum near row k, by a parabola."""
    at, value = float(lags[k]), float(values[k])
    if not 0 < k < len(values) - 1:
        return value, at
    before, after = float(values[k - 1]), float(values[k + 1])
    bend = before - 2.0 * value + after
    if bend == 0.0:
        return value, at
    share = 0.5 * (before - after) / bend
    return value - 0.25 * (before - after) * share, at + share * float(lags[1] - lags[0])


def _plain(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None
