"""A second look at poses without a solution that have a branch near a singular state.

There margins say little, and Newton's method is slow or does not move. Of joints that are free to
turn against each other the closed form takes any positions, within the limits or not.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms.kinematics import jacobian, pose
from armdyn.arrays import Array
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.kinematics.branch_solver import ERROR, BranchSolver
from armdyn.kinematics.search import Reach, approach
from armdyn.programs.evaluate import Evaluator
from armdyn.scalar import Scalar

# A branch with a margin between these is near a singular state: within 1e-3 rad, or perhaps in
# reach in spite of its margin. If that is negative and its pose is farther off, it is ignored.
LEAST_MARGIN, MOST_MARGIN = -0.1, 1e-6
MOST_ERROR = 1e-3
# Newton's method starts at the branch and beside it [rad]. Errors become four times smaller with
# each step where two branches meet, so these many steps are enough.
ASIDE, STEPS = (0.0, 1e-4, -1e-4), 24
# Random states from which a search within the limits starts: where four axes are parallel and a
# limit is met, one start in 60 led to a solution at the worst pose of the bundled arms.
STARTS = 256
# The swivel angle is still the one that is asked for if no joint moves farther [rad].
SAME_SWIVEL = 0.05
# Errors at which the search within the limits ends: well below those of a solution.
TOLERANCE = 1e-11


class NearSingular:
    """Further trials for one closed form."""

    def __init__(self, solver: BranchSolver) -> None:
        self._solver = solver
        turns, n = solver.turns, solver.chain.n
        self._beside = np.where(turns, np.cos(np.arange(n, dtype=np.float64)), 0.0)
        if solver.form.given is not None:
            self._beside[solver.form.given] = 0.0

    def retry(
        self,
        which: NDArray[np.intp],
        poses: Array,
        q: Array,
        margin: Array,
        error: Array | None,
        valid: NDArray[np.bool_],
        limits: bool,
    ) -> None:
        """Write solutions to the branches of some poses, and mark them as valid.

        Args:
            which: the poses without a solution, counted through all leading axes.
            poses: ``(..., 16)``.
            q: positions of the branches, ``(..., B, n)``.
            margin: of the branches, ``(..., B)``.
            error: of the poses of the branches, ``(..., B)``; None if it is rounding where the
                margin is not near that of a singular state.
            valid: which branches are solutions, ``(..., B)``.
            limits: whether solutions must be within the limits.
        """
        solver = self._solver
        B, n = q.shape[-2:]
        q, valid = q.reshape(-1, B, n), valid.reshape(-1, B)
        here = margin.reshape(-1, B)[which]
        singular = here < MOST_MARGIN
        near = (here > LEAST_MARGIN) & (singular if error is None else True)
        if error is not None:  # a branch that is right and not singular is beyond the limits
            off = error.reshape(-1, B)[which]
            near &= (np.abs(here) < MOST_MARGIN) | (
                (off <= MOST_ERROR) & (singular | (off > ERROR))
            )
        at, branch = np.nonzero(near)
        if not len(at):
            return
        of = which[at]
        targets = poses[np.unravel_index(of, poses.shape[:-1])]
        left = solver.polished(q[of, branch], targets, 0)[1] <= MOST_ERROR
        left |= np.abs(here[at, branch]) < MOST_MARGIN
        for aside in ASIDE:
            of, branch, targets = of[left], branch[left], targets[left]
            first = q[of, branch]
            moved, off = solver.polished(first + aside * self._beside, targets, STEPS)
            good = (off <= ERROR) & solver.inside(moved, limits)
            if solver.form.swivel:
                good &= np.abs(moved - first).max(axis=-1) < SAME_SWIVEL
            q[of[good], branch[good]] = moved[good]
            valid[of[good], branch[good]] = True
            left = ~valid[of].any(axis=-1)
            if not left.any():
                return
        if limits and not solver.form.swivel:
            of, first_of = np.unique(of[left], return_index=True)
            self._search(of, targets[left][first_of], q, valid)

    def _search(
        self, of: NDArray[np.intp], targets: Array, q: Array, valid: NDArray[np.bool_]
    ) -> None:
        """Search within the limits from every branch of some poses, then from random states.

        Joints that are free to turn against each other may be anywhere in a branch: beyond the
        limits, or where the next joint does not reach.
        """
        solver, (B, n) = self._solver, q.shape[-2:]
        low, high = np.clip((solver.lower, solver.upper), -np.pi, np.pi)
        random = np.random.default_rng(0).uniform(low, high, (STARTS, n))
        for is_random in (False, True):
            starts = q[of]
            if is_random:
                starts, given = np.tile(random, (len(of), 1, 1)), solver.form.given
                if given is not None:
                    starts[..., given] = q[of, :1, given]
            each = np.repeat(targets, starts.shape[1], axis=0)
            moved = approach(
                self._reach, each.reshape(-1, 4, 4), starts.reshape(-1, n), TOLERANCE
            ).q
            for steps in (0, STEPS):
                moved, off = solver.polished(moved, each, steps)
                good = ((off <= ERROR) & solver.inside(moved, True)).reshape(len(of), -1)
                at, which = good.any(axis=-1), good.argmax(axis=-1)
                branch = which[at] % B
                q[of[at], branch] = moved.reshape(len(of), -1, n)[at, which[at]]
                valid[of[at], branch] = True
            left = ~valid[of].any(axis=-1)
            of, targets = of[left], targets[left]
            if not len(of):
                return

    @cached_property
    def _reach(self) -> Reach:
        """What a search within the limits needs; the joint that is given does not move."""
        chain, given = self._solver.chain, self._solver.form.given
        lower, upper = self._solver.lower.copy(), self._solver.upper.copy()
        if given is not None:
            lower[given], upper[given] = -np.inf, np.inf

        def function(q: list[Scalar]) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
            return pose(chain, q, chain.n + 1), jacobian(chain, q, chain.n + 1)

        slots = [Slot("pose", (4, 4)), Slot("J", (6, chain.n))]
        evaluate = Evaluator(trace(function, [Slot("q", (chain.n,))], slots, "pose_and_jacobian"))

        def rates(q: Array) -> Array:
            J = evaluate([q], q.shape[:-1]).results[1]
            if given is not None:
                J[..., given] = 0.0
            return J

        return Reach(
            lambda q: evaluate([q], q.shape[:-1]).results[0], rates, lower, upper,
            self._solver.turns,
        )  # fmt: skip
