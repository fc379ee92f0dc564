"""The branch nearest to a start, chosen by the program itself.

For one pose, choosing among the branches in arrays takes longer than computing them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.kernel.kernel import Kernel
from armdyn.kinematics.turns import ROUNDING, TURN
from armdyn.programs.evaluate import Evaluator
from armdyn.scalar import Scalar, copysign, min, select
from armdyn.scalar import max as greater

if TYPE_CHECKING:
    from armdyn.kinematics.branch_solver import BranchSolver

# The distance of branches that are no solutions.
NO_SOLUTION_DISTANCE = 1e300
# Limits that are farther apart [turns] leave more than one turn in each direction.
MOST_TURNS = 3.0
# Positions of the redundant joint that are tried for poses that few of them reach.
FINE_REDUNDANCY_SAMPLES = 480

Limits = Sequence[tuple[float, float]]


class Choice:
    """Machine code that chooses the branch for one pose: of a pose, the redundancy and a start."""

    def __init__(self, solver: BranchSolver, kernel: Kernel) -> None:
        self._solver, self._kernel = solver, kernel
        self._finely = (
            solver.spread(FINE_REDUNDANCY_SAMPLES) if solver.form.given is not None else None
        )

    def __call__(self, pose: Array, start: Array) -> Array | None:
        """Return the nearest branch, or None where a pose must be looked at more closely."""
        flat, at = pose.reshape(16), self._solver.form.given
        with np.errstate(all="ignore"):  # what is not finite is not near
            if at is None or self._finely is None:
                q, away, doubt = self._kernel(flat, start)
                return q if away < 0.5 * NO_SOLUTION_DISTANCE and doubt <= 0.0 else None
            for tried in (self._solver.tried(start, at), self._finely):
                q, away, doubt = self._kernel(flat, tried[:, None], start)
                k = int(away.argmin())
                if away[k] < 0.5 * NO_SOLUTION_DISTANCE:
                    return q[k] if doubt[k] <= 0.0 else None
        return None


def choice_of(solver: BranchSolver) -> Choice | None:
    """Return the choice of a closed form that is exact and has `few_turns`; else None."""
    form, limits, turns = solver.form, solver.limits, solver.turns.tolist()
    unasked = form.asks and form.given is None
    if unasked or form.polish or not form.exact or not few_turns(limits, turns):
        return None

    def function(*inputs: Sequence[Scalar]) -> tuple[list[Scalar], Scalar, Scalar]:
        *where, start = inputs
        q, _, misses, doubt = solver.marked(*where)
        return *nearest_branch(q, misses, start, limits, turns), doubt

    n = solver.chain.n
    outputs = [Slot("q", (n,)), Slot("away", ()), Slot("doubt", ())]
    inputs = [*solver.inputs, Slot("start", (n,))]
    kernel = Evaluator(trace(function, inputs, outputs, "nearest_branch")).kernel
    return None if kernel is None else Choice(solver, kernel)


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
    least: Scalar = NO_SOLUTION_DISTANCE
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
