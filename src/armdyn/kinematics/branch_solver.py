"""`BranchSolver`: the closed form of an arm for one frame, compiled, for poses in arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.checks import check_memory, checked_array
from armdyn.errors import InputError, NumericalError
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.kernel.batch import new_rows
from armdyn.kinematics.branch_programs import branches, newton
from armdyn.kinematics.families import ClosedForm
from armdyn.kinematics.nearest import Choice, choice_of
from armdyn.kinematics.poses import check_rotations, nearest_rotations, roughness
from armdyn.kinematics.turns import TURN, Branches, every_turn, joined, joint_limits, nearest_turn
from armdyn.programs.evaluate import Evaluator
from armdyn.robot.chain import Chain
from armdyn.robot.joint import Joint
from armdyn.scalar import Scalar
from armdyn.scalar import max as greater

if TYPE_CHECKING:
    from armdyn.kinematics.near_singular import NearSingular

# A margin above the first is that of a solution, one below minus the second that of none (no unit).
# Between, two branches meet: rounding counts by its square root, and Newton's method decides.
MEETING_MARGIN, UNREACHABLE_MARGIN = 1e-10, 1e-6
# Steps of Newton's method there.
MEETING_STEPS = 4
# Largest error of a pose, in rotation [-] and in position relative to the size of the arm, of a
# branch that is marked as valid.
ERROR = 1e-9
# A pose that is farther from a rotation is replaced by the nearest one.
ROUNDING = 1e-12
# Poses that are computed at a time, and the most that are computed at once.
PART = 2**14
MANY_POSES = 2 * PART
# Positions of the redundant joint that are tried if none is given.
REDUNDANCY_SAMPLES = 24
NONE = np.empty(0, dtype=np.intp)


class Query(NamedTuple):
    """What is asked of a closed form.

    Attributes:
        poses: ``(..., 4, 4)``.
        given: the redundancy ``(...)``; None if the form asks for none.
        limits: whether branches beyond the limits are no solutions.
        polish: steps of Newton's method; None for as many as the form needs.
        name: of the poses, in messages.
        out: arrays for the results.
    """

    poses: Array
    given: Array | None
    limits: bool = True
    polish: int | None = None
    name: str = "poses"
    out: Branches | None = None


class BranchSolver:
    """The closed form of an arm for one frame, compiled at its first use.

    `searches` says that poses out of reach have no answer of their own, but by a search.
    """

    searches = False

    def __init__(self, chain: Chain, form: ClosedForm, joints: Sequence[Joint]) -> None:
        self.chain, self.form = chain, form
        self.lower, self.upper = joint_limits(joints)
        self.turns = np.array([joint.is_revolute for joint in joints])

    @property
    def limits(self) -> list[tuple[float, float]]:
        """The limits of the joints."""
        return list(zip(self.lower.tolist(), self.upper.tolist(), strict=True))

    @property
    def inputs(self) -> list[Slot]:
        """What the closed form is computed from: the pose, and the redundancy."""
        return [Slot("pose", (16,)), *([Slot("given", (1,))] if self.form.asks else [])]

    @cached_property
    def program(self) -> Program:
        """The traced code: of a pose and the redundancy; q, margins, misses, doubt.

        A branch is valid within the limits if its miss is not above 0. Where the doubt is
        positive, the pose is no exact rotation, two branches meet, or a joint is at its limit.
        """
        return self._traced("inverse_kinematics", limits=True)

    @cached_property
    def free_program(self) -> Program:
        """The traced code of what limits do not matter for: q, margins, doubt."""
        return self._traced("inverse_kinematics_free", limits=False)

    def _traced(self, name: str, *, limits: bool) -> Program:
        B = self.form.branches
        misses = [Slot("miss", (B,))] if limits else []
        outputs = [Slot("q", (B, self.chain.n)), Slot("margin", (B,)), *misses, Slot("doubt", ())]
        return trace(partial(self.marked, limits=limits), self.inputs, outputs, name)

    def marked(
        self, T: Sequence[Scalar], given: Sequence[Scalar] = (), *, limits: bool = True
    ) -> tuple[Any, ...]:
        """Return q, margins, misses if limits matter, and the doubt of a pose."""
        spare = given[0] if given else None
        q, margins, beyond, defect = branches(
            self.form, self.limits, self.turns.tolist(), T, spare, False
        )
        misses: list[Scalar] = []
        doubt: Scalar = defect - ROUNDING
        for margin, off in zip(margins, beyond, strict=True):
            doubt = greater(doubt, _between(margin, -UNREACHABLE_MARGIN, MEETING_MARGIN))
            if limits:
                misses.append(greater(MEETING_MARGIN - margin, off - ERROR))
                doubt = greater(doubt, _between(off, 0.0, ERROR))
        return (q, margins, misses, doubt) if limits else (q, margins, doubt)

    @cached_property
    def _choice(self) -> Choice | None:
        return choice_of(self)

    @cached_property
    def _evaluate(self) -> Evaluator:
        return Evaluator(self.program)

    @cached_property
    def _evaluate_free(self) -> Evaluator:
        return Evaluator(self.free_program)

    @cached_property
    def newton_program(self) -> Program:
        """The traced code of a step of Newton's method: of q and a pose; new q, error before."""
        n = self.chain.n
        inputs, outputs = [Slot("q", (n,)), Slot("pose", (16,))], [Slot("moved", (n,))]
        step = partial(newton, self.chain, self.form.given)
        return trace(step, inputs, [*outputs, Slot("error", ())], "inverse_kinematics_step")

    @cached_property
    def _newton(self) -> Evaluator:
        return Evaluator(self.newton_program)

    def __call__(self, query: Query) -> Branches:
        """Return all branches for poses ``(..., 4, 4)`` and the redundancy ``(...)``.

        `out` receives them; its arrays are dense.
        """
        poses, given, limits, polish, name, out = query
        flat = poses.reshape(*poses.shape[:-2], 16)
        inputs = [flat] if given is None else [flat, given[..., None]]
        lead = flat.shape[:-1]
        if given is not None:
            lead = np.broadcast_shapes(lead, given.shape)
        if math.prod(lead) > MANY_POSES and flat.shape[:-1] == lead:
            if given is None or given.ndim == 0 or given.shape == lead:
                return self._by_parts(query)
        results = None if out is None else self._results(out, lead, limits)
        evaluate = self._evaluate if limits else self._evaluate_free
        outcome = evaluate(inputs, lead, out=results)
        if not outcome.inputs_within:
            checked_array(poses, name, what="finite numbers")
            if given is not None:
                checked_array(given, "redundancy", what="finite numbers")
        if not outcome.results_finite:
            raise NumericalError(f"inverse kinematics of `{name}` is not finite: too far away.")
        q, margin, *misses, doubt = outcome.results
        all_rows = np.broadcast_to(flat, (*(lead or (1,)), 16))
        doubtful, rows = NONE, flat[:0]
        if float(doubt.max(initial=-1.0)) > 0.0:
            doubtful = np.flatnonzero(doubt > 0.0)
            rows = all_rows[np.unravel_index(doubtful, all_rows.shape[:-1])]
        if len(rows) and roughness(rows.reshape(-1, 4, 4)) > ROUNDING:
            check_rotations(name, poses)
            return self(query._replace(poses=nearest_rotations(poses)))
        valid = None if out is None else out.valid
        if limits:
            valid = np.less_equal(misses[0], 0.0, out=valid)
        else:
            valid = np.greater_equal(margin, MEETING_MARGIN, out=valid)
        steps = self.form.polish if polish is None else polish
        error: Array | None = None
        if steps or not self.form.exact:
            q[...], error = self.polished(q, flat[..., None, :], steps)
            valid[...] = (margin >= -UNREACHABLE_MARGIN) & (error <= ERROR) & self.inside(q, limits)
        elif polish is not None:
            valid[...] = (margin >= -ERROR) & self.inside(q, limits)
        elif len(rows):
            self._resolve_meeting_branches(doubtful, rows, q, margin, valid, limits)
        if polish is None:
            which = np.flatnonzero(~_any(valid))
            if len(which):
                self._near_singular.retry(which, all_rows, q, margin, error, valid, limits)
        if limits and len(rows):
            flat_q = q.reshape(-1, *q.shape[-2:])
            flat_q[doubtful] = self._at_limits(flat_q[doubtful])
        if out is not None:
            out.complete[...] = True
            return out
        return Branches(q, np.asarray(valid), margin, np.ones(lead, dtype=bool))

    def _by_parts(self, query: Query) -> Branches:
        """Return all branches for many poses, some at a time, while these are near.

        What is computed of every branch and is no result is then used again and again.
        """
        poses, given = query.poses, query.given
        lead, B, n = poses.shape[:-2], self.form.branches, self.chain.n
        count = math.prod(lead)
        found = query.out or Branches(
            new_rows(lead, (B, n)), np.empty((*lead, B), dtype=bool), new_rows(lead, (B,)),
            np.empty(lead, dtype=bool),
        )  # fmt: skip
        rows = poses.reshape(count, 4, 4)
        # one number for all poses is copied for each: kernels then read all inputs alike
        shared = given is not None and given.ndim == 0
        spare = None if given is None else np.full(PART, given) if shared else given.reshape(count)
        q, valid = found.q.reshape(count, B, n), found.valid.reshape(count, B)
        margin, complete = found.margin.reshape(count, B), found.complete.reshape(count)
        for i in range(0, count, PART):
            at = slice(i, i + PART)
            part = Branches(q[at], valid[at], margin[at], complete[at])
            each = None if spare is None else spare[: len(q[at])] if shared else spare[at]
            try:
                self(query._replace(poses=rows[at], given=each, out=part))
            except InputError:  # names the pose by its place among all
                checked_array(poses, query.name, what="finite numbers")
                check_rotations(query.name, poses)
                raise
        return found

    def _results(self, out: Branches, lead: tuple[int, ...], limits: bool) -> list[Array]:
        misses = [new_rows(lead, (self.form.branches,))] if limits else []
        return [out.q, out.margin, *misses, new_rows(lead, ())]

    def _resolve_meeting_branches(
        self, which: Any, poses: Array, q: Array, margin: Array, valid: Any, limits: bool
    ) -> None:
        """Decide by steps of Newton's method which branches reach poses where two meet."""
        B = margin.shape[-1]
        here = margin.reshape(-1, B)[which]
        among, branch = np.nonzero((here < MEETING_MARGIN) & (here > -UNREACHABLE_MARGIN))
        at = which[among], branch
        moved = q.reshape(-1, *q.shape[-2:])[at]
        moved, error = self.polished(moved, poses[among], MEETING_STEPS)
        q.reshape(-1, *q.shape[-2:])[at] = moved
        valid.reshape(-1, B)[at] = (error <= ERROR) & self.inside(moved, limits)

    @cached_property
    def _near_singular(self) -> NearSingular:
        from armdyn.kinematics.near_singular import NearSingular  # it is made of such solvers

        return NearSingular(self)

    def polished(self, q: Array, poses: Array, steps: int) -> tuple[Array, Array]:
        """Return positions after steps of Newton's method, and the error of their poses."""
        for _ in range(steps):
            q = self._newton([q, poses], q.shape[:-1]).results[0]
        return q, self._newton([q, poses], q.shape[:-1]).results[1]

    def nearest(self, poses: Array, start: Array, name: str) -> tuple[Array, NDArray[np.bool_]]:
        """Return the branch within the limits that is nearest to a start, and whether there is one.

        Args:
            poses: ``(..., 4, 4)``.
            start: positions ``(n,)`` or ``(..., n)``. A joint to spare is tried at its start and
                all over its range.
            name: of the poses, for errors.
        """
        at = self.form.given
        if poses.ndim == 2 and self._choice is not None:
            one = self._choice(poses, start)
            if one is not None:
                return one, np.array(True)
        if at is None:
            found = self(Query(poses, None, name=name))
        else:
            tried = self.tried(start, at)
            found = joined(self(Query(poses[..., None, :, :], tried, name=name)))
        here = start[..., None, :]
        q = nearest_turn(found.q, here, self.lower, self.upper, self.turns)
        away = np.where(found.valid, np.square(q - here).sum(axis=-1), np.inf)
        if away.ndim == 1:  # one pose
            k = int(away.argmin())
            return q[k], found.valid[k]
        best = away.argmin(axis=-1)[..., None]
        chosen = np.take_along_axis(q, best[..., None], axis=-2)[..., 0, :]
        return chosen, np.take_along_axis(found.valid, best, axis=-1)[..., 0]

    def tried(self, start: Array, at: int) -> Array:
        """Return redundancies that are tried: at the start, and all over the range."""
        tried = np.empty((*start.shape[:-1], 1 + REDUNDANCY_SAMPLES))
        tried[..., 0], tried[..., 1:] = start[..., at], self._spread
        return tried

    @cached_property
    def _spread(self) -> Array:
        return self.spread()

    def with_turns(self, found: Branches) -> Branches:
        """Return branches with all whole turns of their joints within the limits."""
        turns = self.turns.copy()
        if self.form.given is not None:
            turns[self.form.given] = False
        width = np.where(turns & np.isfinite(self.upper - self.lower), self.upper - self.lower, 0.0)
        count = math.prod(max(1, math.ceil(x / TURN)) for x in width.tolist())
        check_memory(8 * found.q.size * count, f"{count} turns of every branch", "limits")
        q, valid, k = every_turn(found.q, found.valid, self.lower, self.upper, turns)
        return Branches(q, valid, np.repeat(found.margin, k, axis=-1), found.complete)

    def spread(self, count: int = REDUNDANCY_SAMPLES) -> Array:
        """Return redundancies all over their range."""
        if self.form.given is None:
            low, width = -np.pi, TURN
        else:
            low, high = self.lower[self.form.given], self.upper[self.form.given]
            width = min(high - low, TURN)
            low = low if np.isfinite(low) else (high - width if np.isfinite(high) else -np.pi)
        return low + width * (np.arange(count) + 0.5) / count

    def _at_limits(self, q: Array) -> Array:
        """Return positions where joints hardly beyond a limit are at the limit."""
        inside = np.clip(q, self.lower, self.upper)
        return np.where(np.abs(q - inside) <= ERROR, inside, q)

    def inside(self, q: Array, limits: bool) -> Any:
        """Say which positions are within the limits, if these matter."""
        return self.beyond(q) <= ERROR if limits else True

    def beyond(self, q: Array) -> Array:
        """Return how far the joint that is farthest beyond its limits is beyond [rad or m]."""
        return np.max(np.abs(q - np.clip(q, self.lower, self.upper)), axis=-1, initial=0.0)


def _any(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether any of the last axis is true; eight bytes at a time are faster than one."""
    width = flags.shape[-1]
    if width in (1, 2, 4, 8) and flags.flags.c_contiguous:
        return flags.view(f"u{width}")[..., 0] != 0
    return np.asarray(flags.any(axis=-1))


def _between(x: Scalar, low: float, high: float) -> Scalar:
    """Return a number that is positive if x is between two others."""
    return 0.5 * (high - low) - abs(x - 0.5 * (low + high))
