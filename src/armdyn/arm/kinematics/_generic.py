"""All solutions of an arm of six turning joints without a closed form, some poses at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
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
from armdyn.graph import Program, Slot, interpret, trace
from armdyn.robot import Chain, Joint
from armdyn.scalar import Scalar

Array = NDArray[np.float64]

# Poses at which walks around the loop are tried, and the most walks that are kept.
TRIED, KEPT = 3, 3
STEPS = 6
# Poses that are solved at a time.
AT_ONCE = 64
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
            if len(self.walks) < KEPT and walk.spectrum(np.array(seen)).sound.all():
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
        count = math.prod(lead)
        q = np.empty((count, B, n))
        q[...] = centre
        valid, margin = np.zeros((count, B), dtype=bool), np.full((count, B), -1.0)
        complete = np.ones(count, dtype=bool)
        targets = nearest_rotations(poses).reshape(-1, 4, 4)
        for first in range(0, count, AT_ONCE):
            part = slice(first, first + AT_ONCE)
            answers, complete[part] = self._solved(
                targets[part], STEPS if polish is None else polish
            )
            found = [answer[:B] for answer in answers]
            counts = [len(x) for x in found]
            pose_of = first + np.repeat(np.arange(len(found)), counts)
            branch = np.concatenate([np.arange(k) for k in counts])
            each = np.concatenate(found)
            turned = nearest_turn(each, centre, self.lower, self.upper, self.turns)
            q[pose_of, branch], valid[pose_of, branch] = turned, True
            margin[pose_of, branch] = self._margins(each)
        valid &= self.inside(q, limits)
        shaped = (q.reshape(*lead, B, n), valid.reshape(*lead, B), margin.reshape(*lead, B))
        if out is None:
            return Branches(*shaped, complete.reshape(lead))
        out.q[...], out.valid[...], out.margin[...] = shaped
        out.complete[...] = complete.reshape(lead)
        return out

    def _solved(self, T: Array, steps: int) -> tuple[list[Array], NDArray[np.bool_]]:
        """Return the solutions ``(k, n)`` of each pose ``(N, 4, 4)``; whether these are surely all.

        Solutions come in pairs: after an odd number, another walk is tried.
        """
        inner, targets = self._base @ T @ self._tool, T.reshape(-1, 16)
        found = [np.empty((0, self.chain.n))] * len(T)
        sound = np.zeros(len(T), dtype=bool)
        left = np.arange(len(T))
        for walk in self.walks:
            spectrum = walk.spectrum(inner[left])
            sound[left] |= spectrum.sound
            of, turns = walk.solutions(spectrum)
            q, error = self.polished(turns - self._zero, targets[left[of]], steps)
            q = (q + np.pi) % (2.0 * np.pi) - np.pi
            good = error <= ERROR
            q, of = q[good], of[good]
            for k, lane in enumerate(left.tolist()):
                found[lane] = _distinct([*found[lane], *q[of == k]], self.chain.n)
            left = np.array([k for k in left.tolist() if not _paired(found[k])], dtype=np.intp)
            if not len(left):
                break
        return found, sound & np.array([len(x) % 2 == 0 for x in found], dtype=bool)

    @cached_property
    def _jacobian(self) -> Program:
        n = self.chain.n

        def function(q: list[Scalar]) -> list[list[Scalar]]:
            return jacobian(self.chain, q, n + 1)

        return trace(function, [Slot("q", (n,))], [Slot("J", (6, n))], "jacobian")

    def _margins(self, q: Array) -> Array:
        """Return the squares of the least singular values of Jacobians, lengths by the arm's."""
        if not len(q):
            return np.empty(0)
        J = np.array(interpret(self._jacobian, q)[0])
        J[:, :3] /= size_of(rows_of(self.chain))
        return np.square(np.linalg.svd(J, compute_uv=False)[:, -1])


def _paired(found: Array) -> bool:
    return len(found) > 0 and len(found) % 2 == 0


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
