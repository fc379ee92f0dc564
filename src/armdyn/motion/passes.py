"""Passes over the pieces of paths: backwards what is admissible, forwards the fastest of it.

And why a path cannot be followed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import ArmdynError, InputError, NumericalError
from armdyn.motion.limits import Question
from armdyn.motion.paths import Indices
from armdyn.motion.problem import MAX_PATH_SPEED, Problem
from armdyn.motion.programs import (
    SPEEDS_TOGETHER,
    TOO_HIGH,
    admissible_step,
    bound_step,
    cap_step,
    forward_step,
)
from armdyn.programs.evaluate import Evaluator

# Passes over the pieces of paths: backwards what is admissible, forwards the fastest of it.

# Tangents and chords reach no closer to rest than this share of the largest speed.
LEAST_SPEED = 1e-4
# How often the search for a bound is taken up again; three times were the most that was seen.
MOST_AGAIN = 50


@dataclass(frozen=True)
class Room:
    """The limits of each piece, tightened.

    Attributes:
        left: limits of torque above, then below, less dry friction, at left ends, ``(N, B, 2n)``.
        right: the same at right ends.
        most: limits of acceleration, ``(N, B, n)``.
        fastest: limits of the speed along the path, ``(N + 1, B)``.
    """

    left: Array
    right: Array
    most: Array
    fastest: Array


@dataclass(frozen=True)
class Law:
    """A time law.

    Attributes:
        bound: largest admissible speeds at the nodes, ``(N + 1, B)``.
        speed: those of the law.
    """

    bound: Array
    speed: Array

    def some(self, which: Indices) -> Law:
        """Return those of some paths."""
        return Law(self.bound.take(which, axis=1), self.speed.take(which, axis=1))


def two_pass_law(
    problem: Problem,
    room: Room,
    start: float,
    end: float,
    last: Array | None = None,
    *,
    capped: bool = True,
) -> Law:
    """Return the time law of one pass backwards and one forwards.

    Args:
        problem: the paths.
        room: the limits.
        start: speed at the start.
        end: speed at the end.
        last: speeds of the last pass, where tangents touch; None: only left ends of pieces count.
        capped: whether speeds that would have to fall again at once are avoided.
    """
    N, B = problem.length.shape
    piece = np.empty((N, B, 3))
    piece[:, :, 0] = 2.0 * problem.length
    piece[:, :, 1] = _weights(problem.length)
    least = LEAST_SPEED if last is None else LEAST_SPEED * last.max(axis=0)
    piece[:, :, 2] = np.maximum(least, 1e-12)
    bound, speed, most, state = (np.empty((k, B)) for k in (N + 1, N + 1, N, N))
    bound[N] = np.minimum(end, room.fastest[N])
    rows = _rows(problem, room, piece, bound, last)
    fastest = room.fastest[:-1].reshape(-1, 1).copy()
    results = [x.reshape(-1) for x in (bound[:-1], most, state)]
    drives = problem.drives
    cap = cap_step(drives)
    with np.errstate(all="ignore"):  # of rows that do not matter
        step = _chunks(bound_step(drives), [*rows, fastest], results, B)
        for i in reversed(range(N)):
            step(i)
            if not state[i].any():
                continue
            for _ in range(MOST_AGAIN):
                if not (state[i] == TOO_HIGH).any():
                    break
                fastest[i * B : (i + 1) * B, 0] = most[i]
                step(i)
            if capped:
                lanes = np.nonzero(state[i])[0]
                at = i * B + lanes
                given = [x[at if len(x) == N * B else lanes] for x in rows]
                bound[i, lanes] = _values(cap, [*given, most[i, lanes, None]])
        speed[0] = np.minimum(start, bound[0])
        before, after = speed[:-1].reshape(-1, 1), speed[1:].reshape(-1)
        step = _chunks(forward_step(drives), [*rows, before], [after], B)
        for i in range(N):
            step(i)
    return Law(bound, speed)


def _rows(
    problem: Problem, room: Room, piece: Array, bound: Array, last: Array | None
) -> list[Array]:
    """Return what the programs read of each piece but for the speed: see `slots`.

    Args:
        problem: the paths.
        room: the limits.
        piece: lengths, weights and least speeds.
        bound: largest admissible speeds; those of right ends are found first.
        last: speeds of the last pass; None: only left ends of pieces count.
    """
    node, n, B = problem.node, problem.n, problem.paths.count
    right, room_right, speeds = node[1:], room.right, last
    if speeds is None:
        plenty = np.repeat([[1.0, -1.0]], B, axis=0).repeat(n, axis=1)
        right, room_right, speeds = np.zeros((1, B, 5 * n)), plenty[None], bound
    ends = (bound[1:, :, None], speeds[1:, :, None])
    sides = (node[:-1], right, room.left, room_right, room.most)
    return [
        np.ascontiguousarray(x).reshape(-1, x.shape[-1])
        for x in (*sides, problem.sigma, piece, *ends)
    ]


def _chunks(
    evaluate: Evaluator, given: list[Array], results: list[Array], rows: int
) -> Callable[[int], None]:
    """Return the function that evaluates a program for the pieces i of all paths."""
    if evaluate.kernel is not None:
        return evaluate.kernel.chunks([*given, *results], rows)

    def interpreted(i: int) -> None:
        at = slice(i * rows, (i + 1) * rows)
        part = [x if len(x) == rows else x[at] for x in given]
        evaluate(part, (rows,), [x[at] for x in results])

    return interpreted


def _values(evaluate: Evaluator, given: list[Array]) -> Array:
    """Return the only result of a program for some paths."""
    kernel = evaluate.kernel
    if kernel is None:
        return evaluate(given, (len(given[0]),)).results[0]
    found = kernel(*given)
    assert not isinstance(found, tuple)
    return found


def _weights(length: Array) -> Array:
    """Return how much time a higher speed at the right end of a piece saves, that at the left as 1.

    A speed counts for the two pieces beside its node.
    """
    none = np.zeros_like(length[:1])
    beside = np.concatenate([none, length]) + np.concatenate([length, none])
    return beside[1:] / np.maximum(beside[:-1], np.finfo(float).tiny)


# Where speeds above the bound are admissible again: islands, which viscous friction may cause.

# Speeds that are looked at, up to this many times the largest bound.
LOOKED_AT, UP_TO = 32, 3.0


def islands(problem: Problem, room: Room, bound: Array) -> NDArray[np.bool_]:
    """Return at which nodes admissible speeds are not all connected with rest, ``(N + 1, B)``.

    Without viscous friction and without loss of effort at speed, they are.
    """
    found = np.zeros(bound.shape, dtype=np.bool_)
    drives = problem.drives
    if not drives.curved:
        return found
    gap = admissible_step(drives)
    N, B = problem.length.shape
    top = np.minimum(room.fastest[:-1], UP_TO * bound.max(axis=0)).reshape(-1, 1)
    sides = (problem.node[:-1], room.left, room.most, problem.sigma)
    rows = [x.reshape(N * B, -1) for x in sides]
    out = np.empty((N * B, LOOKED_AT), dtype=np.bool_)
    for k in range(0, LOOKED_AT, SPEEDS_TOGETHER):
        speeds = top * (np.arange(k + 1, k + SPEEDS_TOGETHER + 1) / LOOKED_AT)
        out[:, k : k + SPEEDS_TOGETHER] = gap([*rows, speeds], (N * B,)).results[0] < 0.0
    found[:-1] = (out[:, :-1] & ~out[:, 1:]).any(axis=1).reshape(N, B)
    return found


# Why a path cannot be followed, in words; other paths are not affected.

# A speed reached to this share is reached.
REACHED_TOLERANCE = 1e-6


def note_unheld(problem: Problem, errors: list[ArmdynError | None]) -> None:
    """Note paths on which the arm cannot hold itself, moving on against friction or at an end."""
    n, limited = problem.n, np.array(problem.drives.effort)
    g, effort = problem.node[:, :, 4 * n :], problem.limits.effort
    # the largest torques and the least limits anywhere
    most = np.maximum(g.max(axis=(0, 1)), -g.min(axis=(0, 1))) * (
        1.0 + np.array(problem.drives.share)
    )
    high, low = problem.creeping[:, :, :n], problem.creeping[:, :, n:]
    least = np.minimum(np.minimum(high.min(axis=(0, 1)), -low.max(axis=(0, 1))), effort)
    if ((most < least) | ~limited).all():
        return
    still = effort - np.abs(g[[0, -1]])
    for right, ends in enumerate((g[:-1], g[1:])):
        left = problem.held(ends, problem.creeping, problem.sigma)
        lack = np.minimum(left[:, :, :n], left[:, :, n:])
        lack[-right] = np.minimum(lack[-right], still[right])
        real = problem.length > 0.0
        real[-1] = True  # the node of an end, even if only other paths have the piece before it
        bad = (lack <= 0.0) & limited & real[:, :, None]
        for lane in np.nonzero(bad.any(axis=(0, 2)))[0].tolist():
            if errors[lane] is None:
                i, j = (int(x) for x in np.argwhere(bad[:, lane])[0])
                s, name = float(problem.s[i + right, lane]), problem.arm.joint_names[j]
                errors[lane] = NumericalError(
                    f"the arm cannot hold itself at s = {s:.4g} of the path: joint {name!r} lacks "
                    f"{-lack[i, lane, j]:.4g} of its effort, {effort[j]:.4g}, to "
                    "move on slowly against friction."
                )


def note_failures(
    question: Question, problem: Problem, law: Law, errors: list[ArmdynError | None]
) -> None:
    """Note paths without a time law."""
    going = law.speed > 0.0
    going[0], going[1:][problem.s[1:] >= 1.0] = True, True
    top, last = law.speed.max(axis=0), law.speed[-1]
    fine = (
        going.all(axis=0)
        & (top < MAX_PATH_SPEED / 2)
        & (last >= question.end * (1.0 - REACHED_TOLERANCE))
    )
    fine &= question.start <= law.bound[0] * (1.0 + REACHED_TOLERANCE)
    for lane in np.nonzero(~fine)[0].tolist():
        if errors[lane] is None:
            errors[lane] = _failure(question, problem, law, lane)


def _failure(question: Question, problem: Problem, law: Law, lane: int) -> ArmdynError | None:
    real = int((problem.length[:, lane] > 0.0).sum())
    s, speed = problem.s[: real + 1, lane], law.speed[: real + 1, lane]
    start, end = question.start, question.end
    if start > law.bound[0, lane] * (1.0 + REACHED_TOLERANCE):
        return InputError(
            f"`start_speed` is {start:g}, but the path can be entered with at most "
            f"{law.bound[0, lane]:.6g}: the limits do not allow to slow down in time.",
            argument="start_speed",
        )
    if end > problem.fastest[real, lane] * (1.0 + REACHED_TOLERANCE):
        return InputError(
            f"`end_speed` is {end:g}, but limits of velocity allow at most "
            f"{problem.fastest[real, lane]:.6g}.",
            argument="end_speed",
        )
    if not np.isfinite(speed).all() or (speed[1:-1] <= 0.0).any():
        stop = int(np.argmax(~(np.isfinite(speed[1:-1]) & (speed[1:-1] > 0.0)))) + 1
        return NumericalError(
            f"the limits stop the motion at s = {s[stop]:.4g} of the path: no drive has torque "
            "left to go on."
        )
    if speed.max() >= MAX_PATH_SPEED / 2:
        place = s[int(speed.argmax())]
        return InputError(
            f"no limit holds at s = {place:.4g} of the path: only joints without limits move "
            "there; give `velocity`.",
            argument="velocity",
        )
    if speed[-1] < end * (1.0 - REACHED_TOLERANCE):
        return InputError(
            f"`end_speed` is {end:g}, but the limits allow to reach at most {speed[-1]:.6g}.",
            argument="end_speed",
        )
    return None
