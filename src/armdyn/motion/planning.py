"""Time laws of many paths: passes over their pieces, then tightening until the limits hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import ArmdynError, NumericalError
from armdyn.motion.checking import LIMITS, Asked, asked
from armdyn.motion.limits import Question
from armdyn.motion.passes import Law, Room, islands, note_failures, note_unheld, two_pass_law
from armdyn.motion.paths import Indices, Paths
from armdyn.motion.problem import Problem

# Limits of pieces of paths, reduced where they were exceeded between the nodes.

# Limits are reduced by this many times the excess.
TIGHTENING_FACTOR = 1.05
# Share of a limit, or of what is left of it for holding the arm, that tightening never takes.
KEPT = 0.05


@dataclass(frozen=True)
class Tight:
    """Limits, reduced.

    Attributes:
        effort: limits of torque as `Problem.creeping`, ``(N, B, 2n)``.
        most: limits of acceleration, ``(N, B, n)``.
        slow: factors of the largest speeds along the path, ``(N + 1, B)``.
    """

    effort: Array
    most: Array
    slow: Array

    @classmethod
    def none(cls, problem: Problem) -> Tight:
        """Return limits as they are."""
        most = np.zeros((*problem.length.shape, problem.n))
        if any(problem.drives.acceleration):
            a = problem.limits.acceleration
            most[...] = np.where(np.isfinite(a), a, 0.0)
        return cls(problem.creeping, most, np.ones_like(problem.s))

    def some(self, which: Indices) -> Tight:
        """Return those of some paths."""
        return Tight(*(x.take(which, axis=1) for x in (self.effort, self.most, self.slow)))

    def room(self, problem: Problem, speed: Array | None) -> Room:
        """Return the limits; for `speed`, see `Problem.efforts`."""
        left, right = problem.efforts(speed)
        if left is problem.creeping:
            left = right = self.effort
        else:
            less = self.effort - problem.creeping
            left, right = left + less, right + less
        return Room(left, right, self.most, problem.fastest * self.slow)

    def more(self, problem: Problem, got: Asked) -> Tight:
        """Return limits reduced by what was asked beyond them."""
        at, n = got.beyond, problem.n
        whole, spare = problem.creeping[at], (1.0 - KEPT) * np.maximum(problem.spare(at), 0.0)
        less = np.abs(self.effort[at] - whole) + TIGHTENING_FACTOR * np.maximum(got.over, 0.0)
        less = np.minimum(less, spare)
        less[:, :n] *= -1.0
        effort, most, slow = self.effort.copy(), self.most, self.slow.copy()
        effort[at] = whole + less
        if got.acceleration is not None:
            a = problem.limits.acceleration
            over = TIGHTENING_FACTOR * np.maximum(got.acceleration - a, 0.0)
            most = most.copy()
            most[at] = np.maximum(most[at] - over, KEPT * np.where(np.isfinite(a), a, 0.0))
        fast = 1.0 + TIGHTENING_FACTOR * np.maximum(got.velocity - 1.0, 0.0)
        slow[:-1] /= fast
        slow[1:] /= fast
        return Tight(effort, most, slow)


# Time laws of many paths: passes, then tightening until the limits hold between the nodes too.

Flags = NDArray[np.bool_]

# Passes with the rows of both ends, after the one with those of left ends; more of them if friction
# is taken at the speed of the last pass. Where rows have no viscous terms, one pass is exact.
PASSES, MORE_PASSES = 2, 5
# Rounds of tightening; then the number of nodes is doubled, so often.
ROUNDS, DOUBLED = 6, 3
# Rounds end below this share of the tolerance: between the places that are looked at, there may be
# a little more.
TOLERANCE_SHARE = 0.5


@dataclass(frozen=True)
class Plan:
    """The time law of one path.

    Attributes:
        s: nodes, ``(N + 1,)``.
        bound: largest admissible speeds there, ``(N + 1,)``.
        speed: those of the law, ``(N + 1,)``.
        excess: largest excess over a limit, as a share of it; negative if none is reached.
        joint: the joint that is nearest to a limit in each piece, ``(N,)``.
        limit: which limit that is, an index into `LIMITS`, ``(N,)``.
        used: what share of it is used, ``(N,)``.
        islands: nodes above whose bound there are admissible speeds again, ``(N + 1,)``.
        times: when the nodes are passed [s], ``(N + 1,)``.
    """

    s: Array
    bound: Array
    speed: Array
    excess: float
    joint: NDArray[np.intp]
    limit: NDArray[np.intp]
    used: Array
    islands: Flags
    times: Array


def plans(question: Question, paths: Paths, pieces: int) -> list[Plan | ArmdynError]:
    """Return the time law of each path, or why there is none."""
    found: list[Plan | ArmdynError | None] = [None] * paths.count
    left = np.arange(paths.count)
    for k in range(DOUBLED + 1):
        some = paths if len(left) == paths.count else paths.some(left)
        for lane, plan in zip(left.tolist(), _attempt(question, some, pieces << k), strict=True):
            found[lane] = plan
        left = np.array([k for k in left.tolist() if _too_much(found[k], question)], dtype=np.intp)
        if not len(left):
            break
    return [
        _excess(question, x) if isinstance(x, Plan) and _too_much(x, question) else x
        for x in found
        if x is not None
    ]


def _too_much(plan: Plan | ArmdynError | None, question: Question) -> bool:
    return isinstance(plan, Plan) and plan.excess > question.tolerance


def _attempt(question: Question, paths: Paths, pieces: int) -> list[Plan | ArmdynError]:
    """Return time laws with a number of pieces; their excess may be too large."""
    whole = Problem.of(question.arm, paths, question.limits, question.friction, pieces)
    errors: list[ArmdynError | None] = [None] * paths.count
    tight = Tight.none(whole)
    note_unheld(whole, errors)
    start, end = question.start, question.end
    room = tight.room(whole, None)
    if whole.exact and not whole.drives.curved:
        law = two_pass_law(whole, room, start, end, whole.fastest)
    else:
        law = two_pass_law(whole, room, start, end)
        for _ in range(PASSES if whole.exact else MORE_PASSES):
            room = tight.room(whole, law.speed)
            law = two_pass_law(whole, room, start, end, law.speed)
    note_failures(question, whole, law, errors)
    best = _Best(whole, law, islands(whole, room, law.bound))
    lanes = np.array([k for k, error in enumerate(errors) if error is None], dtype=np.intp)
    problem = whole
    if len(lanes) < paths.count:
        problem, tight, law = whole.some(lanes), tight.some(lanes), law.some(lanes)
    for k in range(ROUNDS + 1 if len(lanes) else 0):
        got = asked(problem, law.speed)
        now = got.used.max(axis=0) - 1.0
        best.improve(lanes, now, law, got)
        more = np.nonzero(now > TOLERANCE_SHARE * question.tolerance)[0]
        if not len(more) or k == ROUNDS:
            break
        if len(more) < len(lanes):
            lanes, problem, tight = lanes[more], problem.some(more), tight.some(more)
            law, got = law.some(more), got.some(more)
        tight = tight.more(problem, got)
        law = two_pass_law(problem, tight.room(problem, law.speed), start, end, law.speed)
    return [error or best.plan(lane) for lane, error in enumerate(errors)]


class _Best:
    """The laws with the least excess so far."""

    def __init__(self, problem: Problem, law: Law, split: Flags) -> None:
        self.problem, self.split = problem, split
        self.excess = np.full(problem.paths.count, np.inf)
        self.bound, self.speed = law.bound.copy(), law.speed.copy()
        self.used, self.which = (np.zeros_like(problem.length) for _ in range(2))
        self.pieces = np.count_nonzero(problem.length, axis=0).tolist()

    def improve(self, lanes: Indices, excess: Array, law: Law, got: Asked) -> None:
        """Take laws of some paths where they are better."""
        better = excess < self.excess[lanes]
        to = lanes[better]
        self.excess[to] = excess[better]
        ours = (self.bound, self.speed, self.used, self.which)
        for mine, new in zip(ours, (law.bound, law.speed, got.used, got.which), strict=True):
            if len(lanes) == len(self.excess):
                np.copyto(mine, new, where=better)
            else:
                mine[:, to] = new[:, better]

    @cached_property
    def _times(self) -> Array:
        """When the nodes are passed [s], ``(N + 1, B)``; without pieces that only fill up."""
        length = self.problem.length
        both = np.where(length > 0.0, self.speed[1:] + self.speed[:-1], 1.0)
        with np.errstate(divide="ignore"):  # paths that are not followed
            steps = 2.0 * length / both
        return np.concatenate([np.zeros_like(length[:1]), np.cumsum(steps, axis=0)])

    @cached_property
    def _nearest(self) -> NDArray[np.intp]:
        """The limit and the joint that are nearest to it in each piece, ``(2, N, B)``."""
        return np.array(np.divmod(self.which.astype(np.intp), self.problem.n))

    def plan(self, lane: int) -> Plan:
        """Return the plan of one path."""
        real = self.pieces[lane]
        limit, joint = self._nearest[:, :real, lane]
        at_nodes = (self.problem.s, self.bound, self.speed, self._times)
        s, bound, speed, times = (x[: real + 1, lane] for x in at_nodes)
        excess, used, split = float(self.excess[lane]), self.used[:real, lane], self.split[:, lane]
        return Plan(s, bound, speed, excess, joint, limit, used, split[: real + 1], times)


def _excess(question: Question, plan: Plan) -> ArmdynError:
    worst = int(plan.used.argmax())
    name, limit = question.arm.joint_names[int(plan.joint[worst])], LIMITS[int(plan.limit[worst])]
    return NumericalError(
        f"between s = {plan.s[worst]:.4g} and {plan.s[worst + 1]:.4g} of the path, joint {name!r} "
        f"is beyond its limit of {limit} by {plan.excess:.2g} of it, more than `tolerance`, "
        f"{question.tolerance:g}, with {len(plan.s)} nodes: give more `nodes` or a smoother path."
    )
