"""Joint positions for a pose: damped least squares from many starts at once.

A Levenberg-Marquardt step solves (J'J + damping) dq = J'e, where e is the error of position and
rotation. Steps that do not reduce the error are undone and damped more. Joints at a limit do not
move beyond it. All starts are one batch of the compiled pose and Jacobian, so many cost little more
than one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.kinematics.poses import WHOLE, Part
from armdyn.kinematics.turns import nearest_turn

Function = Callable[[Array], Array]

# Most steps of the search, and most further steps once one start has arrived.
STEPS = 120
STEPS_AFTER = 12

# Damping of the first step, lever arms being 1; it falls eightfold with every step that helps, but
# not below the rounding of J^T J, and grows fivefold with every other one. A start whose damping
# exceeds the last number is in a local minimum.
DAMPING = 1e-2
LEAST_DAMPING = 1e-14
STUCK = 1e8

# Longest step of any joint [rad or m].
MAX_JOINT_STEP = 0.7


def middle(lower: Array, upper: Array) -> Array:
    """Return the middle of each range; if it is unbounded, the allowed position nearest 0."""
    bounded = np.isfinite(lower) & np.isfinite(upper)
    low, high = np.where(bounded, lower, 0.0), np.where(bounded, upper, 0.0)
    return np.where(bounded, (low + high) / 2, np.clip(0.0, lower, upper))


@dataclass(frozen=True)
class Reach:
    """The data of an arm for this search.

    Attributes:
        pose: of q ``(B, n)``, ``(B, 4, 4)``.
        jacobian: of q ``(B, n)``, ``(B, 6, n)``.
        lower: limits, ``(n,)``; may be infinite.
        upper: limits, ``(n,)``; may be infinite.
        turns: which joints turn, ``(n,)``.
    """

    pose: Function
    jacobian: Function
    lower: Array
    upper: Array
    turns: NDArray[np.bool_]

    def random(self, count: int, rng: np.random.Generator) -> Array:
        """Return positions within the limits, ``(count, n)``; within one turn where unlimited."""
        low, high = self.lower, self.upper
        width = np.where(self.turns, 2.0 * np.pi, 2.0)
        low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, width / 2) - width)
        high = np.where(np.isfinite(high), high, low + width)
        return low + (high - low) * rng.random((count, len(low)))

    def inside(self, q: Array) -> Array:
        """Return positions within the limits: by whole turns if the range has one, else clipped."""
        with np.errstate(invalid="ignore"):
            whole = self.turns & (self.upper - self.lower >= 2.0 * np.pi)
            over = np.where(whole & (q > self.upper), np.ceil((q - self.upper) / (2 * np.pi)), 0.0)
            under = np.where(whole & (q < self.lower), np.ceil((self.lower - q) / (2 * np.pi)), 0.0)
        return np.clip(q + 2 * np.pi * (under - over), self.lower, self.upper)

    def nearest_turn(self, q: Array, start: Array) -> Array:
        """Return the same poses with every joint within half a turn of a start, if limits allow."""
        return nearest_turn(q, start, self.lower, self.upper, self.turns)


@dataclass(frozen=True)
class Found:
    """The end points of the starts.

    Attributes:
        q: positions, ``(B, n)``.
        position: distance from the pose, ``(B,)`` [m].
        rotation: angle from the pose, ``(B,)`` [rad].
    """

    q: Array
    position: Array
    rotation: Array

    def within(self, tolerance: float) -> NDArray[np.bool_]:
        """Return which of them reach the pose."""
        return (self.position <= tolerance) & (self.rotation <= tolerance)

    def best(self) -> int:
        """Return which of them comes nearest."""
        return int(np.argmin(self.position + self.rotation))


def approach(
    reach: Reach, target: Array, starts: Array, tolerance: float, part: Part = WHOLE
) -> Found:
    """Search from starts ``(B, n)`` for a pose; return how near each gets.

    Args:
        reach: the arm.
        target: the pose ``(4, 4)``, or one for each start ``(B, 4, 4)``.
        starts: the positions to search from.
        tolerance: how near is there.
        part: what of the pose is to be reached.
    """
    q = reach.inside(starts)
    one = target.ndim == 2
    e, J = _lack(reach, target, q, part)
    # lengths that scale positions to angles: the longest lever arms; starts for one pose share it,
    # poses of their own do not depend on each other
    length = np.linalg.norm(J[:, :3, reach.turns], axis=1).max(axis=1, initial=0.0)
    length = np.full(len(q), length.max(initial=0.0)) if one else length
    weight = np.ones((len(q), 6))
    weight[:, :3] /= np.where(length > 0.0, length, 1.0)[:, None]
    cost = np.sum((e * weight) ** 2, axis=1)
    damping = np.full(len(q), DAMPING)
    left = STEPS
    while left > 0:
        left -= 1
        arrived = (_sizes(e) <= tolerance).all(axis=0)
        if one and arrived.any():
            left = min(left, STEPS_AFTER)
        at = np.flatnonzero(~arrived & (damping < STUCK))
        if not len(at):
            break
        Jw, ew = J[at] * weight[at][:, :, None], e[at] * weight[at]
        downhill = np.einsum("bij,bi->bj", Jw, ew)
        held = ((q[at] <= reach.lower) & (downhill < 0)) | ((q[at] >= reach.upper) & (downhill > 0))
        step = _step(Jw, downhill, held, damping[at])
        # a joint that would leave its limits holds still, too, and the others make up for it
        out = ((q[at] <= reach.lower) & (step < 0)) | ((q[at] >= reach.upper) & (step > 0))
        again = np.flatnonzero(out.any(axis=1))
        if len(again):
            stays = held[again] | out[again]
            step[again] = _step(Jw[again], downhill[again], stays, damping[at][again])
        step *= np.minimum(1.0, MAX_JOINT_STEP / np.maximum(np.abs(step).max(axis=1), 1e-300))[
            :, None
        ]
        tried = reach.inside(q[at] + step)
        e_new, J_new = _lack(reach, target if one else target[at], tried, part)
        cost_new = np.sum((e_new * weight[at]) ** 2, axis=1)
        good = cost_new < cost[at]
        damping[at] = np.where(good, np.maximum(damping[at] / 8, LEAST_DAMPING), damping[at] * 5)
        # a start that hardly improves is in a local minimum
        damping[at] = np.where(good & (cost_new > 0.999999 * cost[at]), STUCK, damping[at])
        to = at[good]
        q[to], e[to], J[to], cost[to] = tried[good], e_new[good], J_new[good], cost_new[good]
    return Found(q, *_sizes(e))


def _step(J: Array, downhill: Array, held: NDArray[np.bool_], damping: Array) -> Array:
    """Return damped steps of joints that are not held."""
    free = np.where(held[:, None, :], 0.0, J)
    A = np.swapaxes(free, 1, 2) @ free + damping[:, None, None] * np.eye(J.shape[2])
    found = np.linalg.solve(A, np.where(held, 0.0, downhill)[..., None])
    return np.asarray(found[..., 0], dtype=np.float64)


def _sizes(e: Array) -> Array:
    """Return the sizes of errors in position and in rotation, ``(2, B)``."""
    return np.linalg.norm(e.reshape(-1, 2, 3), axis=2).T


def _lack(reach: Reach, target: Array, q: Array, part: Part) -> tuple[Array, Array]:
    """Return the errors of the pose, ``(B, 6)``, and the Jacobians."""
    return part.lack(target, reach.pose(q), reach.jacobian(q))
