"""Six turning joints of any geometry: all solutions, by elimination of five of the six turns.

The joints and the pose make a loop, H0 Rz(t0) H1 Rz(t1) ... H5 Rz(t5) = 1, which can be walked
from any joint, either way. Axis 5, its direction l and a point p, is seen from before joint 2 in
two ways: through joints 2, 3, 4, and back through joints 1, 0. The 14 numbers p, l, p.p, p.l, p x
l and (p.p) l - 2 (p.l) p are bilinear in (1, c3, s3) and (1, c4, s4) on one side, in those of t0
and t1 on the other [Raghavan1990]. Six combinations of them are free of t0 and t1. With z =
e^{it}, these and their products with z3 are 12 equations in 12 monomials of z3 and z4, whose
determinant is a trigonometric polynomial of degree 8 in t2: at most 16 solutions. Samples of it
say how well that holds: higher harmonics are rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms.kinematics import jacobian, pose
from armdyn.arrays import Array
from armdyn.checks import checked_array
from armdyn.graph.interpret import interpret
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.kinematics.branch_solver import ERROR, BranchSolver, Query
from armdyn.kinematics.families import generic_form
from armdyn.kinematics.geometry import rows_of, size_of
from armdyn.kinematics.poses import check_rotations, nearest_rotations
from armdyn.kinematics.search import Reach, approach, middle
from armdyn.kinematics.turns import Branches, nearest_turn
from armdyn.robot.chain import Chain
from armdyn.robot.joint import Joint

Complex = NDArray[np.complex128]

# Degree in cosine and sine of the third turn of the determinant whose zeros are the solutions: 16
# roots. It is sampled at more turns than 2 * 8 + 1, so that rounding shows in higher harmonics.
DEGREE = 8
SAMPLES = 2.0 * np.pi * np.arange(32) / 32
# Three angles determine the factors of 1, cosine and sine; three by three those of their products.
THREE = 2.0 * np.pi * np.arange(3) / 3
FACTORS = np.linalg.inv(np.stack([np.ones(3), np.cos(THREE), np.sin(THREE)], axis=1))
BILINEAR = np.kron(FACTORS, FACTORS)
# z, z c and z s as sums of 1, z, z^2; and their products.
POWERS = np.array([[0, 1, 0], [0.5, 0, 0.5], [0.5j, 0, -0.5j]])
PRODUCTS = np.kron(POWERS, POWERS)

# How far from the unit circle a root may be before steps of Newton's method.
OFF_CIRCLE = 0.03
# Higher harmonics above this, or smaller determinants, are those of a degenerate walk.
TAIL, LEAST = 1e-9, 1e-20


class Spectrum(NamedTuple):
    """The equations of a walk for N poses.

    Attributes:
        H: the constants of the loop, ``(N, 4, 4)`` each.
        constant: the 14 numbers seen back through joints 1 and 0, where they do not depend on
            them, ``(N, 14)``.
        factors: of the terms in t0 and t1, ``(N, 14, 8)``.
        free: the combinations that are free of these, ``(N, 6, 14)``.
        harmonics: of the determinant, -8 to 8, ``(N, 17)``.
        sound: whether higher harmonics are rounding and lower ones are not, ``(N,)``.
    """

    H: Sequence[Array]
    constant: Array
    factors: Array
    free: Array
    harmonics: Complex
    sound: NDArray[np.bool_]


class Walk:
    """A way around the loop of an arm.

    Args:
        links: what stands before each joint in the one before, 4x4.
        start: the joint that the walk begins with.
        backwards: whether it goes from the tip to the base.
    """

    def __init__(self, links: Sequence[Array], start: int, backwards: bool) -> None:
        self._links, self._start, self._backwards = links, start, backwards

    def spectrum(self, T: Array) -> Spectrum:
        """Return the equations for the last link at poses ``(N, 4, 4)``, seen from the base."""
        around: list[Any] = [np.linalg.inv(T) @ self._links[0], *self._links[1:]]
        if self._backwards:
            inverse: list[Any] = [np.linalg.inv(x) for x in around]
            around = [inverse[0], *reversed(inverse[1:])]
        H: list[Array] = [
            np.broadcast_to(x, T.shape) for x in (*around[self._start :], *around[: self._start])
        ]
        # N poses, three turns of joint 1, three of joint 0
        one, zero = (_turn(-THREE) @ np.linalg.inv(H[k])[:, None] for k in (1, 0))
        seen = BILINEAR @ _fourteen(one[:, :, None] @ zero[:, None]).reshape(-1, 9, 14)
        seen = np.swapaxes(seen, 1, 2)
        scale = 1.0 / np.maximum(np.abs(seen).max(axis=2), 1e-300)
        u = np.linalg.svd(seen[:, :, 1:] * scale[:, :, None])[0]
        free = np.swapaxes(u[:, :, 8:], 1, 2) * scale[:, None]
        samples = np.broadcast_to(SAMPLES, (len(T), len(SAMPLES)))
        with np.errstate(all="ignore"):  # a degenerate walk may overflow
            determinants = np.linalg.det(_equations(H, seen[:, :, 0], free, samples))
            found = np.fft.fft(determinants, axis=1) / len(SAMPLES)
            size = np.abs(found).max(axis=1)
            tail = np.abs(found[:, DEGREE + 1 : -DEGREE]).max(axis=1)
            sound = (size > LEAST) & (size < np.inf) & (tail < TAIL * size)
        harmonics = np.concatenate([found[:, -DEGREE:], found[:, : DEGREE + 1]], axis=1)
        return Spectrum(H, seen[:, :, 0], seen[:, :, 1:], free, harmonics, sound)

    def solutions(self, given: Spectrum) -> tuple[NDArray[np.intp], Array]:
        """Return the turns of all joints ``(solutions, 6)``, and the pose that each is for.

        Poses come in their order; those that are not sound have no solutions. Some turns may be
        wrong, and none is polished.
        """
        sound = np.flatnonzero(given.sound)
        z = _roots(given.harmonics[sound])
        among, which = np.nonzero(np.abs(np.abs(z) - 1.0) < OFF_CIRCLE)
        return sound[among], self._from_third(given, sound[among], np.angle(z[among, which]))

    def _from_third(self, given: Spectrum, of: NDArray[np.intp], t2: Array) -> Array:
        """Return the turns of all joints, of roots in t2 of poses."""
        if not len(of):
            return np.empty((0, 6))
        H = [x[of] for x in given.H]
        constant = given.constant[of]
        equations = _equations(H, constant, given.free[of], t2[:, None])[:, 0]
        v: Complex = np.linalg.svd(equations)[2][:, -1].conj().reshape(-1, 4, 3)
        t3, t4 = _ratio(v), _ratio(np.swapaxes(v, 1, 2))
        E = H[2] @ _turn(t2) @ H[3] @ _turn(t3) @ H[4] @ _turn(t4) @ H[5]
        inverse = np.linalg.pinv(given.factors[of], rcond=14 * np.finfo(np.float64).eps)
        x = (inverse @ (_fourteen(E) - constant)[..., None])[..., 0]
        # products of (1, c1, s1) and (1, c0, s0), the first of them left out
        t1, t0 = np.arctan2(x[:, 5], x[:, 2]), np.arctan2(x[:, 1], x[:, 0])
        R = H[0] @ _turn(t0) @ H[1] @ _turn(t1) @ E
        t5 = np.arctan2(-R[:, 1, 0], R[:, 0, 0])
        t = np.roll(np.stack([t0, t1, t2, t3, t4, t5], axis=1), self._start, axis=1)
        return -t[:, ::-1] if self._backwards else t


def _roots(harmonics: Complex) -> Complex:
    """Return the roots in z of sums of z^-8 to z^8, ``(N, 16)``: eigenvalues of companions."""
    companion = np.zeros((len(harmonics), 2 * DEGREE, 2 * DEGREE), dtype=np.complex128)
    lead = harmonics[:, -1:]
    # a polynomial of lower degree has roots far away instead
    least = 1e-30 * np.abs(harmonics).max(axis=1, keepdims=True, initial=0.0)
    companion[:, 0] = -harmonics[:, -2::-1] / np.where(np.abs(lead) > least, lead, least)
    k = np.arange(1, 2 * DEGREE)
    companion[:, k, k - 1] = 1.0
    return np.asarray(np.linalg.eigvals(companion), dtype=np.complex128)


def _ratio(v: Complex) -> Array:
    """Return the angles of the numbers whose powers are the rows of v, from its largest entries."""
    rows = np.arange(len(v))
    first, last = np.abs(v[:, 0]).argmax(axis=1), np.abs(v[:, -1]).argmax(axis=1)
    low: Complex = v[rows, :2, first]
    high: Complex = v[rows, -2:, last]
    above = np.abs(low[:, 0]) > np.abs(high[:, 1])
    pairs = np.where(above[:, None], low, high)
    return np.angle(pairs[:, 1] * pairs[:, 0].conj())


def _equations(H: Sequence[Array], constant: Array, free: Array, t2: Array) -> Complex:
    """Return the matrices ``(N, S, 12, 12)`` of the equations in z3^i z4^j at turns of joint 2."""
    N, S = t2.shape
    first = H[2][:, None] @ _turn(t2) @ H[3][:, None]
    three, four = (_turn(THREE) @ H[k][:, None] for k in (4, 5))
    E = first[:, :, None, None] @ (three[:, :, None] @ four[:, None])[:, None]
    seen = BILINEAR @ _fourteen(E).reshape(N, S, 9, 14)
    seen[:, :, 0] -= constant[:, None]
    left = seen @ np.swapaxes(free, 1, 2)[:, None]
    powers = (np.swapaxes(left, 2, 3) @ PRODUCTS).reshape(N, S, 6, 3, 3)
    M = np.zeros((N, S, 12, 4, 3), dtype=np.complex128)
    M[:, :, :6, :3], M[:, :, 6:, 1:] = powers, powers
    return M.reshape(N, S, 12, 12)


def _turn(t: Any) -> Array:
    R = np.zeros((*np.shape(t), 4, 4))
    R[..., 0, 0] = R[..., 1, 1] = np.cos(t)
    R[..., 1, 0] = np.sin(t)
    R[..., 0, 1] = -R[..., 1, 0]
    R[..., 2, 2] = R[..., 3, 3] = 1.0
    return R


def _fourteen(E: Array) -> Array:
    """Return the 14 numbers of the z axis and the origin of frames ``(..., 4, 4)``."""
    l, p = E[..., :3, 2], E[..., :3, 3]
    pp, pl = (p * p).sum(axis=-1, keepdims=True), (p * l).sum(axis=-1, keepdims=True)
    return np.concatenate([p, l, pp, pl, np.cross(p, l), pp * l - 2.0 * pl * p], axis=-1)


# All solutions of an arm of six turning joints without a closed form, some poses at a time.

# Poses at which walks around the loop are tried, and the most walks that are kept.
TRIAL_POSES, MAX_WALKS = 3, 3
# Steps of Newton's method from a root; each squares the error.
STEPS = 6
# Poses that are solved at a time.
AT_ONCE = 64
# Random starts of the search for the nearest answer to a pose out of reach.
STARTS = 15
# Solutions nearer to each other [rad] are one.
SAME_SOLUTION_ANGLE = 1e-6


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
            for q in rng.uniform(-3.0, 3.0, (TRIAL_POSES, n)).tolist()
        ]
        self.walks: list[Walk] = []
        for backwards, start in product((False, True), range(n)):
            walk = Walk(links, start, backwards)
            if len(self.walks) < MAX_WALKS and walk.spectrum(np.array(seen)).sound.all():
                self.walks.append(walk)

    def __call__(self, query: Query) -> Branches:
        """Return all solutions for poses ``(..., 4, 4)``; those that are missing are not valid."""
        poses, _, limits, polish, name, out = query
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
            counts = np.array([len(x) for x in found])[left]
            # solutions come in pairs: an odd number lacks one
            left = left[(counts == 0) | (counts % 2 == 1)]
            if not len(left):
                break
        return found, sound & np.array([len(x) % 2 == 0 for x in found], dtype=bool)

    @cached_property
    def _jacobian(self) -> Program:
        n = self.chain.n
        of_tip = partial(jacobian, self.chain, frame=n + 1)
        return trace(of_tip, [Slot("q", (n,))], [Slot("J", (6, n))], "jacobian")

    def _margins(self, q: Array) -> Array:
        """Return the squares of the least singular values of Jacobians, lengths by the arm's."""
        if not len(q):
            return np.empty(0)
        J = np.array(interpret(self._jacobian, q)[0])
        J[:, :3] /= size_of(rows_of(self.chain))
        return np.square(np.linalg.svd(J, compute_uv=False)[:, -1])


def put_nearest(found: Branches, poses: Array, reach: Reach) -> None:
    """Write the positions that a search within the limits finds nearest to poses out of reach.

    They are the first branch of these poses, which is not valid; its margin is minus the distance
    [m] and the angle [rad] together.
    """
    centre, random = middle(reach.lower, reach.upper), np.random.default_rng(0)
    starts = np.vstack([centre, reach.random(STARTS, random)])
    for at in map(tuple, np.argwhere((found.margin < 0.0).all(axis=-1)).tolist()):
        ends = approach(reach, nearest_rotations(poses[at]), starts, ERROR)
        best = ends.best()
        found.q[at][0] = ends.q[best]
        found.margin[at][0] = -float(ends.position[best] + ends.rotation[best])


def _distinct(found: Sequence[Array], n: int) -> Array:
    kept: list[Array] = []
    for q in found:
        away = [np.abs((q - x + np.pi) % (2.0 * np.pi) - np.pi).max() for x in kept]
        if min(away, default=1.0) > SAME_SOLUTION_ANGLE:
            kept.append(q)
    return np.array(kept).reshape(-1, n)


def _before(link: Any) -> Array:
    """Return the constant part of a link's place: Rx(beta) Tx(b) Tz(d)."""
    C, S, d = link.Cb, link.Sb, float(link.d)
    return np.array(
        [[1.0, 0.0, 0.0, float(link.b)], [0.0, C, -S, -S * d], [0.0, S, C, C * d], [0, 0, 0, 1.0]]
    )
