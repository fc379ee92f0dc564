"""`Arm.inverse_kinematics`: the closed form or a search from many starts; the nearest of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.arrays import Array
from armdyn.checks import (
    checked_array,
    checked_choice,
    checked_flag,
    checked_positive,
    checked_seed,
    checked_whole,
)
from armdyn.errors import InputError, UnreachedError
from armdyn.kinematics.branch_solver import BranchSolver, Query
from armdyn.kinematics.elimination import GenericSolver
from armdyn.kinematics.families import closed_form, swivel_form
from armdyn.kinematics.poses import Part, checked_part, checked_pose, checked_poses, shaped_poses
from armdyn.kinematics.search import Reach, approach, middle
from armdyn.kinematics.turns import TURN, Branches, joint_limits, nearest_turn
from armdyn.programs.arguments import checked_out
from armdyn.robot.chain import chain_of
from armdyn.robot.joint import Joint
from armdyn.robot.model import IDENTITY, Robot

if TYPE_CHECKING:
    from armdyn.arm.arm import Arm

# Poses along a path: the branch that continues from pose to pose with the shortest way in all.
#
# Of a joint to spare, the closed form is followed at a constant position of it: its start, or one
# of several all over its range.

# Ranges that are wider than a turn by less [rad] hold one position of a turn.
ROOM = 1e-9


def followed(solver: BranchSolver, poses: Array, start: Array, name: str) -> Array | None:
    """Return positions ``(N, n)`` along poses ``(N, 4, 4)``; None if no branch reaches them all.

    Args:
        solver: the closed form.
        poses: the poses, in order.
        start: the positions before the first of them, ``(n,)``.
        name: of the poses, for errors.
    """
    at = solver.form.given
    if at is None:
        return _cheapest(solver, solver(Query(poses, None, name=name)), start)
    for given in (start[at], *solver.spread().tolist()):
        path = _cheapest(solver, solver(Query(poses, np.asarray(given), name=name)), start)
        if path is not None:
            return path
    return None


def _cheapest(solver: BranchSolver, found: Branches, start: Array) -> Array | None:
    """Return the way through branches ``(N, B)`` with the least sum of squared steps."""
    q, valid = found.q, found.valid
    if not valid.any(axis=-1).all():
        return None
    with np.errstate(invalid="ignore"):
        several = solver.turns & ~(solver.upper - solver.lower <= TURN + ROOM)
    first = nearest_turn(q[0], start, solver.lower, solver.upper, solver.turns)
    cost = np.where(valid[0], np.square(first - start).sum(axis=-1), np.inf)
    price = np.zeros((len(q) - 1, *valid.shape[1:], valid.shape[1]))
    for k, turning in enumerate(several.tolist()):
        way = q[1:, None, :, k] - q[:-1, :, None, k]
        price += np.square(way - TURN * np.rint(way / TURN) if turning else way)
    price = np.where(valid[1:, None, :], price, np.inf)
    came = np.empty(valid.shape, dtype=np.intp)
    for k, each in enumerate(price, 1):
        total = cost[:, None] + each
        came[k] = total.argmin(axis=0)
        cost = total.min(axis=0)
    for last in np.argsort(cost).tolist():
        if not np.isfinite(cost[last]):
            break
        path = _within(solver, _traced(q, first, came, last, several), several)
        if path is not None:
            return path
    return None


def _traced(
    q: Array, first: Array, came: NDArray[np.intp], last: int, several: NDArray[np.bool_]
) -> Array:
    """Return the way that ends at a branch, without jumps of whole turns."""
    chosen = np.empty(len(q), dtype=np.intp)
    for k in range(len(q) - 1, -1, -1):
        chosen[k] = last
        last = int(came[k, last]) if k else last
    path = q[np.arange(len(q)), chosen]
    steps = np.diff(path, axis=0)
    steps -= np.where(several, TURN * np.rint(steps / TURN), 0.0)
    begin = first[chosen[0]]
    way = np.cumsum(np.vstack([begin, steps]), axis=0)
    return path + TURN * np.rint((way - path) / TURN)


def _within(solver: BranchSolver, path: Array, several: NDArray[np.bool_]) -> Array | None:
    """Return a path shifted by whole turns into the limits; None if it does not fit."""
    low, high = path.min(axis=0), path.max(axis=0)
    shift = np.zeros(path.shape[1])
    for k in np.flatnonzero(several).tolist():
        if low[k] < solver.lower[k]:
            shift[k] = TURN * np.ceil((solver.lower[k] - low[k]) / TURN)
        elif high[k] > solver.upper[k]:
            shift[k] = -TURN * np.ceil((high[k] - solver.upper[k]) / TURN)
    moved = path + shift
    inside = np.clip(moved, solver.lower, solver.upper)
    return inside if np.abs(moved - inside).max(initial=0.0) <= ROOM else None


METHODS = ("auto", "damped_least_squares")
UNREACHED = ("raise", "nearest", "nan")

# Closed forms are exact to this; a smaller tolerance needs steps of the search as well.
LEAST_ERROR = 1e-9

# Starts that are tried at once.
AT_ONCE = 32

# A larger number of random starts is taken to be a mistake.
MOST_RESTARTS = 1_000_000


class Options(NamedTuple):
    """How positions are searched for; see `Arm.inverse_kinematics`.

    `moving` is how many joints move the frame; the others stay at their start.
    """

    frame: str | int
    moving: int
    tolerance: float
    restarts: int
    seed: int
    method: str
    only: str | Sequence[bool] | None
    axes: str
    follow: bool
    unreached: str


def inverse_kinematics(
    arm: Arm,
    solver: BranchSolver | None,
    pose: ArrayLike,
    start: ArrayLike | None,
    given: Options,
    out: NDArray[Any] | None,
) -> Array:
    """Return joint positions ``(..., n)`` for poses; see `Arm.inverse_kinematics`.

    `solver` is the closed form of the arm, if it has one.
    """
    checked_choice(given.method, "method", METHODS, what="method of inverse_kinematics")
    part = checked_part(given.only, given.axes)
    checked_choice(given.unreached, "unreached", UNREACHED, what="answer where no pose is reached")
    follow = checked_flag(given.follow, "follow")
    targets = shaped_poses("pose", pose)
    lead = targets.shape[:-2]
    if follow and not lead:
        raise InputError(
            "`follow` is for poses (..., N, 4, 4) along a path; got a single pose.",
            argument="follow",
        )
    if out is not None:
        checked_out(out, "`out`", (*lead, arm.n), arm.dtype)
    given = given._replace(
        tolerance=checked_positive(given.tolerance, "tolerance"),
        restarts=checked_whole(given.restarts, "restarts", 0, MOST_RESTARTS),
        seed=checked_seed(given.seed),
    )
    joints = arm.robot.joints
    # along a path, positions are those before its first pose
    outer = lead[:-1] if follow else lead
    if start is None:
        first = middle(*joint_limits(joints))
    else:
        first = checked_start(joints, start, lead=outer)
    closed = solver if given.method == "auto" and part.whole else None
    search = _Search(arm, given, part, closed)
    q = np.empty((*lead, arm.n))
    if follow:
        starts = np.broadcast_to(first, (*outer, arm.n))
        for at in np.ndindex(*outer):
            search.follow(targets, starts[at], at, q)
    else:
        search.each(targets, first, q)
    if out is None:
        return q.astype(arm.dtype, copy=False)
    out[...] = q
    return out


@dataclass(frozen=True)
class _Search:
    """Positions for poses: by the closed form if there is one, else by a search."""

    arm: Arm
    given: Options
    part: Part
    solver: BranchSolver | None

    @cached_property
    def reach(self) -> Reach:
        return reach_of(self.arm, self.given.frame)

    def each(self, targets: Array, first: Array, q: Array) -> None:
        """Write the positions for poses, each nearest to its start, to q."""
        solver = self.solver
        reached = np.zeros(targets.shape[:-2], dtype=bool)
        if solver is not None:
            q[...], reached = solver.nearest(targets, first, "pose")
            if self.given.tolerance < LEAST_ERROR:  # the search makes it more exact
                first, reached = q.copy(), np.zeros_like(reached)
        if reached.all():
            return
        starts = np.broadcast_to(first, q.shape)
        if not self.part.whole:  # all of them at once, each from its own start
            poses = checked_poses("pose", targets).reshape(-1, 4, 4)
            here = starts.reshape(-1, q.shape[-1])
            found = approach(self.reach, poses, here, self.given.tolerance, self.part)
            q[...] = self.reach.nearest_turn(found.q, here).reshape(q.shape)
            reached = found.within(self.given.tolerance).reshape(reached.shape)
        closer = solver is not None and targets.ndim > 2 and self.given.tolerance >= LEAST_ERROR
        for at in map(tuple, np.argwhere(~reached).tolist()):
            if closer and solver is not None:  # one pose is looked at more closely than many
                q[at], reached[at] = solver.nearest(targets[at], starts[at], "pose")
            if not reached[at]:
                q[at] = self.one(targets[at], starts[at], at)

    def one(self, target: Array, start: Array, at: tuple[int, ...]) -> Array:
        """Return positions for a pose by a search from many starts."""
        name = f"pose[{', '.join(map(str, at))}]" if at else ""
        exact = checked_pose("pose", target, shown_as=name)
        others = self.reach.random(self.given.restarts, np.random.default_rng(self.given.seed))
        others[:, self.given.moving :] = start[self.given.moving :]
        try:
            return self._searched(exact, start, others, name)
        except UnreachedError as error:
            if self.given.unreached == "raise":
                raise
            nearest = np.array(error.q)
            return nearest if self.given.unreached == "nearest" else np.full_like(nearest, np.nan)

    def follow(self, targets: Array, start: Array, line: tuple[int, ...], q: Array) -> None:
        """Write the positions along one path of poses, each continuing the one before, to q."""
        solver = self.solver
        if solver is not None and self.given.tolerance >= LEAST_ERROR and len(targets[line]):
            found = followed(solver, targets[line], start, "pose")
            if found is not None:
                q[line] = found
                return
        here = start
        for k, target in enumerate(targets[line]):
            at = (*line, k)
            if solver is not None:
                nearest, reached = solver.nearest(target, here, "pose")
                q[at] = nearest if reached else self.one(target, here, at)
            else:
                exact = checked_pose("pose", target, shown_as=f"pose[{', '.join(map(str, at))}]")
                found = approach(self.reach, exact, here[None], self.given.tolerance, self.part)
                if found.within(self.given.tolerance)[0]:
                    q[at] = self.reach.nearest_turn(found.q[0], here)
                else:
                    q[at] = self.one(target, here, at)
            here = q[at] if np.isfinite(q[at]).all() else here

    def _searched(self, target: Array, first: Array, others: Array, name: str) -> Array:
        """Return the nearest positions to a start that a search from it and other starts finds."""
        reach, tolerance = self.reach, self.given.tolerance
        starts = np.vstack([first, others])
        best = (np.inf, first, np.inf, np.inf)
        for k in range(0, len(starts), AT_ONCE):
            found = approach(reach, target, starts[k : k + AT_ONCE], tolerance, self.part)
            good = found.within(tolerance)
            if good.any():
                turned = reach.nearest_turn(found.q[good], first)
                return turned[int(np.argmin(np.linalg.norm(turned - first, axis=1)))]
            i = found.best()
            off = (float(found.position[i]), float(found.rotation[i]))
            if sum(off) < best[0]:
                best = (sum(off), reach.nearest_turn(found.q[i], first), *off)
        raise UnreachedError(len(starts), *best[1:], where=f" `{name}`" if name else "")


def reach_of(arm: Arm, frame: str | int = "tip") -> Reach:
    """Return the data of an arm that the search needs; it computes in double."""
    double = arm.astype(np.float64)
    pose, jacobian = (double.function(quantity, frame=frame) for quantity in ("pose", "jacobian"))
    joints = arm.robot.joints
    return Reach(
        lambda q: np.asarray(pose(q)),
        lambda q: np.asarray(jacobian(q)),
        *joint_limits(joints),
        np.array([joint.is_revolute for joint in joints]),
    )


def checked_start(
    joints: Sequence[Joint], value: ArrayLike, *, lead: tuple[int, ...] = ()
) -> Array:
    """Return the argument `start`, within joint limits: ``(n,)``, or many ``(*lead, n)``."""
    n = len(joints)
    shapes = ((n,), (*lead, n)) if lead else ((n,),)
    several = f", or of shape {(*lead, n)}" if lead else ""
    q = checked_array(value, "start", *shapes, what=f"{n} finite numbers{several}")
    lower, upper = joint_limits(joints)
    outside = (q < lower) | (q > upper)
    if outside.any():
        at = tuple(np.argwhere(outside)[0])
        joint = joints[int(at[-1])]
        raise InputError(
            f"`start` has {joint.name} at {q[at]:g}, outside its limits {joint.lower:g} to "
            f"{joint.upper:g}.",
            argument="start",
        )
    return q


# Which solver of inverse kinematics an arm has for a frame.


def solver_of(robot: Robot, frame: int | str, swivel: bool = False) -> BranchSolver | None:
    """Return the closed form for a frame, n + 1 for the tip or a name; None if there is none.

    With `swivel`, that of an arm of seven joints at given swivel angles.
    """
    chain = chain_of(robot)
    if not chain.is_serial:
        return None
    if isinstance(frame, str):
        named = next(x for x in robot.frames if x.name == frame)
        if named.link != robot.n:
            return None
        chain = replace(chain, tool=named.placement)
    elif frame == robot.n:
        chain = replace(chain, tool=IDENTITY)
    elif frame < robot.n:
        return None
    if swivel:
        form = swivel_form(chain)
    else:
        form = closed_form(chain)
    if form is not None:
        return BranchSolver(chain, form, robot.joints)
    six = robot.n == 6 and all(joint.is_revolute for joint in robot.joints)
    if swivel or not (six and chain.is_normal):
        return None
    generic = GenericSolver(chain, robot.joints)
    return generic if generic.walks else None
