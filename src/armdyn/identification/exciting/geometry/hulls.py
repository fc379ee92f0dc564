"""Proof that two links of an arm never touch, from the convex hulls of their solids.

Capsules are a little larger than the solids they enclose. Around a wrist they touch where the links
themselves never do. Links with two joints between them have a plane of relative postures, which a
grid covers; a direction along which one hull is wholly beyond the other proves that they are apart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.numerics import ratio

# Postures of each of the two joints, and the gap [m] that must be left in all of them.
GRID = 72
GAP = 2e-3

# Directions tried for a posture.
ROUNDS = 60


def never_touch(
    arm: Arm,
    link: int,
    first: Array,
    second: Array,
    ranges: Array,
    allowed: Callable[[Array], NDArray[np.bool_]],
    margin: float = 0.0,
) -> bool:
    """Return whether the hulls of a link and of the next but one are apart in all postures.

    Args:
        arm: the arm.
        link: i, the link nearer the base, 0 for the base.
        first: corners of its hull in E_i, ``(V, 3)``.
        second: corners of the hull of link i + 2 in its own frame, ``(W, 3)``.
        ranges: lowest and highest position of every joint, ``(n, 2)``.
        allowed: which positions ``(N, n)`` planes allow to the first two joints; the grid of links
            farther out says nothing about planes.
        margin: distance that must be left [m]; at least a little more than nothing is.
    """
    q = np.zeros((GRID * GRID, arm.n))
    q[:, link] = np.repeat(_grid(arm, link, ranges), GRID)
    q[:, link + 1] = np.tile(_grid(arm, link + 1, ranges), GRID)
    if link == 0:
        q = q[allowed(q)]
    if not len(q):
        return False
    T = arm.pose(q, link + 2)
    if link == 0:
        return _apart(first, second, T[:, :3, :3], T[:, :3, 3], max(margin, GAP))
    S = arm.pose(q, link)
    back = np.swapaxes(S[:, :3, :3], 1, 2)
    p = np.einsum("nij,nj->ni", back, T[:, :3, 3] - S[:, :3, 3])
    return _apart(first, second, back @ T[:, :3, :3], p, max(margin, GAP))


def _grid(arm: Arm, joint: int, ranges: Array) -> Array:
    low, high = (float(x) for x in ranges[joint])
    turns = arm.robot.joints[joint].is_revolute
    return np.linspace(low, min(high, low + 2 * np.pi) if turns else high, GRID)


def _apart(first: Array, second: Array, turned: Array, p: Array, gap: float) -> bool:
    """Whether a hull and a moved hull are apart in all placements: Gilbert's algorithm.

    v is a point of the difference of the hulls. Seen along v, their gap is a lower bound of their
    distance; v moves to the nearest point between itself and the corner difference found there.
    """
    v = first.mean(axis=0) - (turned @ second.mean(axis=0) + p)
    for _ in range(ROUNDS):
        size = np.linalg.norm(v, axis=1)
        if not (size > gap).all():
            return False
        d = v / size[:, None]
        a = first[np.argmin(d @ first.T, axis=1)]
        there = np.einsum("nji,nj->ni", turned, d)
        b = np.einsum("nij,nj->ni", turned, second[np.argmax(there @ second.T, axis=1)]) + p
        w = a - b
        left = np.einsum("ni,ni->n", d, w) <= gap
        if not left.any():
            return True
        v, w, turned, p = v[left], w[left], turned[left], p[left]
        step = v - w
        t = ratio(np.einsum("ni,ni->n", v, step), np.einsum("ni,ni->n", step, step), 0.0)
        v = v - np.clip(t, 0.0, 1.0)[:, None] * step
    return False
