"""A search for the largest value: an evolution strategy that adapts a step to every number.

The separable covariance matrix adaptation of Ros and Hansen (2008): a normal distribution of rows
moves to the better half of its samples; its widths follow the successful steps. It needs no
gradients, so it suits scores with many maxima and signs. All samples of a generation are one batch.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FIRST_STEP = 0.3


def search(
    score: Callable[[Array], Array],
    starts: Array,
    evaluations: int,
    generation: int,
    rng: np.random.Generator,
    report: Callable[[int], object],
) -> Array:
    """Return the row with the largest score found.

    Args:
        score: of rows ``(P, D)``, ``(P,)``.
        starts: candidate rows ``(S, D)``; the search begins at the best one.
        evaluations: how many rows may be scored.
        generation: rows that are scored at once.
        rng: random numbers.
        report: called with the number of rows scored so far.
    """
    scores = score(starts)
    best, top = starts[int(np.argmax(scores))], float(scores.max())
    D = starts.shape[1]
    half = generation // 2
    weights = np.log(half + 0.5) - np.log(np.arange(1, half + 1))
    weights /= weights.sum()
    mass = 1.0 / float(np.sum(weights**2))
    # the authors' learning rates; widths learn (D + 2) / 3 times faster
    path_rate = (4 + mass / D) / (D + 4 + 2 * mass / D)
    step_rate = (mass + 2) / (D + mass + 5)
    quicker = (D + 2) / 3
    one = min(1.0, quicker * 2 / ((D + 1.3) ** 2 + mass))
    many = min(1.0 - one, quicker * 2 * (mass - 2 + 1 / mass) / ((D + 2) ** 2 + mass))
    usual = np.sqrt(D) * (1 - 1 / (4 * D) + 1 / (21 * D**2))
    mean, width, step = best.copy(), np.ones(D), FIRST_STEP
    path, step_path = np.zeros(D), np.zeros(D)
    done = len(starts)
    while done + generation <= evaluations:
        moves = rng.normal(size=(generation, D)) * np.sqrt(width)
        rows = mean + step * moves
        scores = score(rows)
        done += generation
        order = np.argsort(-scores, kind="stable")[:half]
        if scores[order[0]] > top:
            best, top = rows[order[0]], float(scores[order[0]])
        kept = moves[order]
        move = weights @ kept
        mean = mean + step * move
        step_path *= 1 - step_rate
        step_path += np.sqrt(step_rate * (2 - step_rate) * mass) * move / np.sqrt(width)
        path = (1 - path_rate) * path + np.sqrt(path_rate * (2 - path_rate) * mass) * move
        width = (1 - one - many) * width + one * path**2 + many * (weights @ kept**2)
        longer = float(np.linalg.norm(step_path)) / usual - 1
        step *= float(np.exp(step_rate / (1 + step_rate) * longer))
        report(done)
    return best
