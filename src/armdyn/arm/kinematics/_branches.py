"""`Arm.inverse_kinematics_all`: all branches of the closed form of an arm, for poses in arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import check_memory, checked_array, checked_flag, checked_whole
from armdyn.algorithms.closed_form import ClosedForm, closed_form
from armdyn.arm._evaluate import Evaluator
from armdyn.arm.kinematics._poses import check_rotations, nearest_rotations, shaped_poses
from armdyn.arm.kinematics._turns import TURN, every_turn, nearest_turn
from armdyn.errors import InputError, NumericalError
from armdyn.graph import Program, Slot, trace
from armdyn.robot import IDENTITY, Chain, Joint, Robot, chain_of
from armdyn.scalar import Scalar

Array = NDArray[np.float64]

# A margin above this is that of a solution, one below -`BEYOND` that of none. Between, two branches
# meet: rounding is worth its square root, so steps of Newton's method tell.
MEETING, BEYOND = 1e-10, 1e-6
MEETING_STEPS = 4
# Largest error of a pose, in rotation [-] and in position relative to the size of the arm, of a
# branch that is marked as valid.
ERROR = 1e-9
# A pose that is farther from a rotation is replaced by the nearest one.
ROUNDING = 1e-12
# Positions of the redundant joint that are tried if none is given.
TRIED = 24
MOST_POLISH = 20

TURNS = "turns"


@dataclass(frozen=True)
class Branches:
    """All branches of inverse kinematics.

    Attributes:
        q: joint positions ``(..., B, n)``. Always finite: a branch that does not reach the pose has
            the positions that come nearest in each step of its solution.
        valid: which branches reach the pose, within the limits if they were asked for,
            ``(..., B)``.
        margin: how far the pose is from the border of the branch's reach, ``(..., B)``: 0 at the
            border, where two branches meet, and negative beyond; without unit.

    Examples:
        >>> found = armdyn.load("ur5").inverse_kinematics_all(np.eye(4))
        >>> found.q.shape, found.valid.shape
        ((8, 6), (8,))
    """

    q: Array
    valid: NDArray[np.bool_]
    margin: Array


class BranchSolver:
    """The closed form of an arm for one frame, compiled at its first use."""

    def __init__(self, chain: Chain, form: ClosedForm, joints: Sequence[Joint]) -> None:
        self.chain, self.form = chain, form
        self.lower = np.array([joint.lower for joint in joints])
        self.upper = np.array([joint.upper for joint in joints])
        self.turns = np.array([joint.is_revolute for joint in joints])

    @cached_property
    def program(self) -> Program:
        """The traced code: of a pose and the given joint; q, margins, excess, defect."""
        from armdyn.algorithms.closed_form.programs import Solutions, branches

        form = self.form
        limits = list(zip(self.lower.tolist(), self.upper.tolist(), strict=True))
        turns = self.turns.tolist()

        def function(T: list[float], given: Sequence[float] = ()) -> Solutions:
            return branches(form, limits, turns, T, given[0] if given else None)

        inputs = [Slot("pose", (16,))]
        inputs += [Slot("given", (1,))] if form.given is not None else []
        B = form.branches
        outputs = [Slot("q", (B, self.chain.n)), Slot("margin", (B,)), Slot("beyond", (B,))]
        return trace(function, inputs, [*outputs, Slot("defect", ())], "inverse_kinematics")

    @cached_property
    def _evaluate(self) -> Evaluator:
        return Evaluator(self.program)

    @cached_property
    def newton_program(self) -> Program:
        """The traced code of a step of Newton's method: of q and a pose; new q, error before."""
        from armdyn.algorithms.closed_form.programs import newton

        n, held = self.chain.n, self.form.given

        def function(q: list[float], T: list[float]) -> tuple[list[Scalar], Scalar]:
            return newton(self.chain, held, q, T)

        return trace(
            function,
            [Slot("q", (n,)), Slot("pose", (16,))],
            [Slot("moved", (n,)), Slot("error", ())],
            "inverse_kinematics_step",
        )

    @cached_property
    def _newton(self) -> Evaluator:
        return Evaluator(self.newton_program)

    def __call__(
        self,
        poses: Array,
        given: Array | None,
        limits: bool,
        polish: int | None = None,
        name: str = "poses",
    ) -> Branches:
        """Return all branches for poses ``(..., 4, 4)`` and the given joint ``(...)``."""
        flat = poses.reshape(*poses.shape[:-2], 16)
        inputs = [flat] if given is None else [flat, given[..., None]]
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in inputs))
        outcome = self._evaluate(inputs, lead)
        if not outcome.inputs_within:
            checked_array(poses, name, what="finite numbers")
            if given is not None:
                checked_array(given, "redundancy", what="finite numbers")
        if not outcome.results_finite:
            raise NumericalError(f"inverse kinematics of `{name}` is not finite: too far away.")
        q, margin, beyond, defect = outcome.results
        if float(defect.max(initial=0.0)) > ROUNDING:
            check_rotations(name, poses)
            return self(nearest_rotations(poses), given, limits, polish, name)
        valid = margin >= MEETING
        steps = self.form.polish if polish is None else polish
        if steps or not self.form.exact:
            q, error = self._polished(q, flat[..., None, :], steps)
            valid = (margin >= -BEYOND) & (error <= ERROR)
            beyond = self._beyond(q)
        elif polish is None:
            at = np.nonzero((margin < MEETING) & (margin > -BEYOND))
            if len(at[0]):
                rows = np.broadcast_to(flat[..., None, :], (*margin.shape, 16))[at]
                q[at], error = self._polished(q[at], rows, MEETING_STEPS)
                valid[at] = error <= ERROR
                beyond[at] = self._beyond(q[at])
        else:
            valid = margin >= -ERROR
        if limits:
            valid &= beyond <= ERROR
        return Branches(q, valid, margin)

    def _polished(self, q: Array, poses: Array, steps: int) -> tuple[Array, Array]:
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
        if at is None:
            found = self(poses, None, True, None, name)
        else:
            spread = np.broadcast_to(self.spread(), (*start.shape[:-1], TRIED))
            tried = np.concatenate([start[..., at : at + 1], spread], axis=-1)
            found = _joined(self(poses[..., None, :, :], tried, True, None, name))
        here = start[..., None, :]
        q = nearest_turn(found.q, here, self.lower, self.upper, self.turns)
        away = np.where(found.valid, np.square(q - here).sum(axis=-1), np.inf)
        best = away.argmin(axis=-1)[..., None]
        chosen = np.take_along_axis(q, best[..., None], axis=-2)[..., 0, :]
        return chosen, np.take_along_axis(found.valid, best, axis=-1)[..., 0]

    def with_turns(self, found: Branches) -> Branches:
        """Return branches with all whole turns of their joints within the limits."""
        turns = self.turns.copy()
        if self.form.given is not None:
            turns[self.form.given] = False
        width = np.where(turns & np.isfinite(self.upper - self.lower), self.upper - self.lower, 0.0)
        count = math.prod(max(1, math.ceil(x / TURN)) for x in width.tolist())
        check_memory(8 * found.q.size * count, f"{count} turns of every branch", "limits")
        q, valid, k = every_turn(found.q, found.valid, self.lower, self.upper, turns)
        return Branches(q, valid, np.repeat(found.margin, k, axis=-1))

    def spread(self) -> Array:
        """Return positions of the given joint all over its range."""
        assert self.form.given is not None
        low, high = self.lower[self.form.given], self.upper[self.form.given]
        width = min(high - low, 2.0 * np.pi)
        low = low if np.isfinite(low) else (high - width if np.isfinite(high) else -np.pi)
        return low + width * (np.arange(TRIED) + 0.5) / TRIED

    def _beyond(self, q: Array) -> Array:
        """Return how far joints are beyond their limits."""
        return np.max(np.abs(q - np.clip(q, self.lower, self.upper)), axis=-1, initial=0.0)


def solver_of(robot: Robot, frame: int | str) -> BranchSolver | None:
    """Return the closed form for a frame, n + 1 for the tip or a name; None if there is none."""
    chain = chain_of(robot)
    if isinstance(frame, str):
        named = next(x for x in robot.frames if x.name == frame)
        if named.link != robot.n:
            return None
        chain = replace(chain, tool=named.placement)
    elif frame == robot.n:
        chain = replace(chain, tool=IDENTITY)
    elif frame < robot.n:
        return None
    form = closed_form(chain)
    if form is not None:
        return BranchSolver(chain, form, robot.joints)
    six = robot.n == 6 and all(joint.is_revolute for joint in robot.joints)
    if not (six and chain.is_normal):
        return None
    from armdyn.arm.kinematics._generic import GenericSolver

    generic = GenericSolver(chain, robot.joints)
    return generic if generic.walks else None


def inverse_kinematics_all(
    solver: BranchSolver | None,
    robot: str,
    poses: ArrayLike,
    redundancy: ArrayLike | None,
    limits: bool | str,
    polish: int | None,
) -> Branches:
    """Return all branches for poses; see `Arm.inverse_kinematics_all`."""
    if solver is None:
        raise InputError(
            f"robot {robot!r} has no closed form of its inverse kinematics for this frame; "
            "`inverse_kinematics` searches for one solution."
        )
    turns = isinstance(limits, str) and limits == TURNS
    inside = turns or checked_flag(limits, "limits")
    steps = None if polish is None else checked_whole(polish, "polish", 0, MOST_POLISH)
    given = shaped_poses("poses", poses)
    if solver.form.given is None:
        if redundancy is not None:
            raise InputError(
                f"`redundancy` is for arms with a joint to spare; robot {robot!r} has none.",
                argument="redundancy",
            )
        found = solver(given, None, inside, steps)
    elif redundancy is not None:
        value = checked_redundancy(redundancy)
        check_lead(given, value)
        found = solver(given, value, inside, steps)
    else:
        found = _joined(solver(given[..., None, :, :], solver.spread(), inside, steps))
    return solver.with_turns(found) if turns else found


def _joined(found: Branches) -> Branches:
    """Return the branches of all positions of the given joint, the last leading axis, as one."""
    *lead, K, B, n = found.q.shape
    shape = (*lead, K * B)
    return Branches(
        found.q.reshape(*shape, n), found.valid.reshape(shape), found.margin.reshape(shape)
    )


def checked_redundancy(value: ArrayLike) -> Array:
    """Return positions of a joint to spare, of any shape."""
    return checked_array(value, "redundancy", what="positions of a joint", empty=True)


def check_lead(poses: Array, redundancy: Array) -> tuple[int, ...]:
    """Return the common broadcast shape of the leading axes of poses and of positions."""
    try:
        return np.broadcast_shapes(poses.shape[:-2], redundancy.shape)
    except ValueError:
        raise InputError(
            f"`redundancy` has shape {redundancy.shape}, which does not broadcast with poses of "
            f"shape {poses.shape}; expected {poses.shape[:-2]} or a number.",
            argument="redundancy",
        ) from None
