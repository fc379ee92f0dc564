"""Passes over the pieces of paths: backwards what is admissible, forwards the fastest of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Evaluator
from armdyn.motion.timing._paths import Indices
from armdyn.motion.timing._problem import Problem
from armdyn.motion.timing._programs import TOO_HIGH, bound_step, cap_step, forward_step

Array = NDArray[np.float64]

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


def passed(
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
