"""Passes over the pieces of paths: backwards what is admissible, forwards the fastest of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Evaluator
from armdyn.motion.timing._paths import Indices
from armdyn.motion.timing._problem import Problem
from armdyn.motion.timing._programs import backward_step, forward_step

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
        return Law(self.bound[:, which], self.speed[:, which])


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
    (N, B), n = problem.length.shape, problem.n
    piece = np.empty((N, B, 5))
    piece[:, :, 0] = 2.0 * problem.length
    piece[:, :, 4] = _weights(problem.length)
    least = np.full(B, LEAST_SPEED) if last is None else LEAST_SPEED * last.max(axis=0)
    least = np.maximum(least, 1e-12)
    backward = _call(backward_step(problem.drives, capped))
    forward = _call(forward_step(problem.drives))
    node, real = problem.node, problem.length > 0.0
    bound, speed = np.empty((N + 1, B)), np.empty((N + 1, B))
    bound[N] = np.minimum(end, room.fastest[N])

    nothing, plenty = np.zeros_like(node[0]), np.repeat([[1.0, -1.0]], B, axis=0).repeat(n, axis=1)

    def inputs(i: int) -> tuple[Array, ...]:
        right = (nothing, plenty) if last is None else (node[i + 1], room.right[i])
        sides = (node[i], right[0], room.left[i], right[1], room.most[i])
        return (*sides, problem.sigma[i], piece[i])

    with np.errstate(all="ignore"):  # of rows that do not matter
        for i in reversed(range(N)):
            top = bound[i + 1]
            piece[i, :, 1] = top * top
            piece[i, :, 2] = np.maximum(
                top if last is None else np.minimum(last[i + 1], top), least
            )
            piece[i, :, 3] = np.maximum(top, least)
            given, y, most = inputs(i), room.fastest[i], room.fastest[i]
            for _ in range(MOST_AGAIN):
                y, most, again = backward(*given, most[:, None])
                if not again.any():
                    break
            bound[i] = np.where(real[i], y, top)
        speed[0] = np.minimum(start, bound[0])
        for i in range(N):
            (y,) = forward(*inputs(i), speed[i][:, None])
            speed[i + 1] = np.where(real[i], y, speed[i])
    return Law(bound, speed)


def _call(evaluate: Evaluator) -> Callable[..., tuple[Array, ...]]:
    """Return the function that evaluates a program for all paths."""
    kernel = evaluate.kernel
    if kernel is None:
        return lambda *arrays: tuple(evaluate(arrays, arrays[0].shape[:-1]).results)

    def compiled(*arrays: Array) -> tuple[Array, ...]:
        found = kernel(*arrays)
        return found if isinstance(found, tuple) else (found,)

    return compiled


def _weights(length: Array) -> Array:
    """Return how much time a higher speed at the right end of a piece saves, that at the left as 1.

    A speed counts for the two pieces beside its node.
    """
    none = np.zeros_like(length[:1])
    beside = np.concatenate([none, length]) + np.concatenate([length, none])
    return beside[1:] / np.maximum(beside[:-1], np.finfo(float).tiny)
