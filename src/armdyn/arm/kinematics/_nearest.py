"""The branch nearest to a start, chosen by the program itself.

For one pose, choosing among the branches in arrays takes longer than computing them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from armdyn.arm.kinematics._turns import ROUNDING, TURN
from armdyn.scalar import Scalar, copysign, min, select
from armdyn.scalar import max as greater

# The distance of branches that are no solutions.
FAR = 1e300
# Limits that are farther apart [turns] leave more than one turn in each direction.
MOST_TURNS = 3.0

Limits = Sequence[tuple[float, float]]


def few_turns(limits: Limits, turns: Sequence[bool]) -> bool:
    """Whether joints have at most one turn in each direction to choose from."""
    return all(
        high - low < MOST_TURNS * TURN
        for (low, high), turning in zip(limits, turns, strict=True)
        if turning
    )


def nearest_branch(
    branches: Sequence[Sequence[Scalar]],
    misses: Sequence[Scalar],
    start: Sequence[Scalar],
    limits: Limits,
    turns: Sequence[bool],
) -> tuple[list[Scalar], Scalar]:
    """Return the branch nearest to a start, with its turns, and the square of its distance.

    Args:
        branches: positions, nearest to the middle of the limits.
        misses: above 0 for branches that are no solutions.
        start: positions within the limits.
        limits: of the joints; there are `few_turns`.
        turns: which joints turn.
    """
    best: list[Scalar] = list(start)
    least: Scalar = FAR
    for q, miss in zip(branches, misses, strict=True):
        row = [
            _turned(x, s, *limit)
            if turning and limit[1] - limit[0] > TURN * (1.0 - ROUNDING)
            else x
            for x, s, limit, turning in zip(q, start, limits, turns, strict=True)
        ]
        away: Scalar = 0.0
        for x, s in zip(row, start, strict=True):
            away = away + (x - s) * (x - s)
        # a comparison with what is not a number is never true: such branches are not chosen
        nearer = select(miss, -1.0, least - away)
        best = [select(nearer, x, old) for x, old in zip(row, best, strict=True)]
        least = select(nearer, away, least)
    return best, least


def _turned(x: Scalar, start: Scalar, low: float, high: float) -> Scalar:
    """Return an angle, or the one a turn nearer to a start if that is within the limits."""
    other = x + copysign(TURN, start - x)
    slack = ROUNDING * TURN
    possible = min(abs(start - x) - math.pi, min(other - (low - slack), (high + slack) - other))
    return select(possible, min(greater(other, low), high), x)
