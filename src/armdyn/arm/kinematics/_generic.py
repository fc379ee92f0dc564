"""All solutions of an arm of six turning joints without a closed form, one pose after another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_array
from armdyn.algorithms.closed_form.families import generic_form
from armdyn.algorithms.closed_form.geometry import rows_of, size_of
from armdyn.algorithms.kinematics import jacobian, pose
from armdyn.arm.kinematics._branch_arrays import Branches
from armdyn.arm.kinematics._branch_solver import ERROR, BranchSolver
from armdyn.arm.kinematics._damped_least_squares import Reach, approach, middle
from armdyn.arm.kinematics._elimination import Walk
from armdyn.arm.kinematics._poses import check_rotations, nearest_rotations
from armdyn.arm.kinematics._turns import nearest_turn
from armdyn.robot import Chain, Joint

Array = NDArray[np.float64]

# Poses at which walks around the loop are tried, and the most walks that are kept.
TRIED, KEPT = 3, 3
STEPS = 6
# Random starts of the search for the nearest answer to a pose out of reach.
STARTS = 15
# Solutions nearer to each other [rad] are one.
SAME = 1e-6


class GenericSolver(BranchSolver):
    """All solutions by elimination; `walks` are ways around the loop that are not degenerate."""

    searches = True

    def __init__(self, chain: Chain, joints: Sequence[Joint]) -> None:
        super().__init__(chain, generic_form(chain), joints)
        links = [_before(link) for link in chain.links]
        self._zero = np.array([np.arctan2(link.S0, link.C0) for link in chain.links])
        self._base, self._tool = (np.linalg.inv(np.array(x)) for x in (chain.base, chain.tool))
        rng = np.random.default_rng(0)
        n = chain.n
        seen = [
            self._base @ np.array(pose(chain, q, n + 1)) @ self._tool
            for q in rng.uniform(-3.0, 3.0, (TRIED, n)).tolist()
        ]
        self.walks: list[Walk] = []
        for backwards, start in product((False, True), range(n)):
            walk = Walk(links, start, backwards)
            if len(self.walks) < KEPT and all(walk.spectrum(T).sound for T in seen):
                self.walks.append(walk)

    def __call__(
        self,
        poses: Array,
        given: Array | None,
        limits: bool,
        polish: int | None = None,
        name: str = "poses",
        out: Branches | None = None,
    ) -> Branches:
        """Return all solutions for poses ``(..., 4, 4)``; those that are missing are not valid."""
        checked_array(poses, name, empty=True, what="finite numbers")
        check_rotations(name, poses)
        lead, B, n = poses.shape[:-2], self.form.branches, self.chain.n
        centre = middle(self.lower, self.upper)
        q = np.empty((*lead, B, n))
        q[...] = centre
        valid, margin = np.zeros((*lead, B), dtype=bool), np.full((*lead, B), -1.0)
        complete = np.ones(lead, dtype=bool)
        for at in np.ndindex(*lead):
            T = nearest_rotations(poses[at])
            found, complete[at] = self._solved(T, STEPS if polish is None else polish)
            found = found[:B]
            q[at][: len(found)] = nearest_turn(found, centre, self.lower, self.upper, self.turns)
            valid[at][: len(found)] = True
            margin[at][: len(found)] = [self._margin(row) for row in found.tolist()]
        valid &= self._inside(q, limits)
        if out is None:
            return Branches(q, valid, margin, complete)
        out.q[...], out.valid[...], out.margin[...], out.complete[...] = q, valid, margin, complete
        return out

    def _solved(self, T: Array, steps: int) -> tuple[Array, bool]:
        """Return the solutions ``(k, n)`` of a pose, and whether these are surely all.

        Solutions come in pairs: after an odd number, another walk is tried.
        """
        inner = self._base @ T @ self._tool
        found = np.empty((0, self.chain.n))
        sound = False
        for walk in self.walks:
            spectrum = walk.spectrum(inner)
            sound |= spectrum.sound
            if spectrum.sound:
                q = walk.solutions(spectrum) - self._zero
                q, error = self._polished(q, np.broadcast_to(T.reshape(16), (len(q), 16)), steps)
                q = (q + np.pi) % (2.0 * np.pi) - np.pi
                found = _distinct([*found, *q[error <= ERROR]], self.chain.n)
            if len(found) and len(found) % 2 == 0:
                break
        return found, sound and len(found) % 2 == 0

    def _margin(self, q: list[float]) -> float:
        """Return the square of the least singular value of the Jacobian, lengths by the arm's."""
        J: Any = np.array(jacobian(self.chain, q, self.chain.n + 1))
        J[:3] /= size_of(rows_of(self.chain))
        return float(np.linalg.svd(J, compute_uv=False)[-1]) ** 2


def put_nearest(found: Branches, poses: Array, reach: Reach) -> None:
    """Write the positions that a search within the limits finds nearest to poses out of reach.

    They are the first branch of these poses, which is not valid; its margin is minus the distance
    [m] and the angle [rad] together.
    """
    starts = np.vstack([reach.middle(), reach.random(STARTS, np.random.default_rng(0))])
    for at in map(tuple, np.argwhere((found.margin < 0.0).all(axis=-1)).tolist()):
        ends = approach(reach, nearest_rotations(poses[at]), starts, ERROR)
        best = ends.best()
        found.q[at][0] = ends.q[best]
        found.margin[at][0] = -float(ends.position[best] + ends.rotation[best])


def _distinct(found: Sequence[Array], n: int) -> Array:
    kept: list[Array] = []
    for q in found:
        away = [np.abs((q - x + np.pi) % (2.0 * np.pi) - np.pi).max() for x in kept]
        if min(away, default=1.0) > SAME:
            kept.append(q)
    return np.array(kept).reshape(-1, n)


def _before(link: Any) -> Array:
    """Return the constant part of a link's place: Rx(beta) Tx(b) Tz(d)."""
    C, S, d = link.Cb, link.Sb, float(link.d)
    return np.array(
        [[1.0, 0.0, 0.0, float(link.b)], [0.0, C, -S, -S * d], [0.0, S, C, C * d], [0, 0, 0, 1.0]]
    )
