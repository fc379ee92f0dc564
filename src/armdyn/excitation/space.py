"""Clearances: how far the capsules of an arm are from each other and from planes.

Links that a joint connects touch there, so they are not compared. Nor are links that touch in every
posture, and links that do not move against a plane, such as the base on its table. Where no posture
has the clearance asked for, such as at the shoulder of an arm on a table, contact is avoided.

Capsules are a little larger than the solids they enclose. Around a wrist they touch where the links
themselves never do. Links with two joints between them have a plane of relative postures, which a
grid covers; a direction along which one hull is wholly beyond the other proves that they are apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_number
from armdyn.errors import InputError
from armdyn.excitation.body import Body, link_name
from armdyn.excitation.capsules import segment_distance
from armdyn.numerics import ratio

# Planes farther away [m] are a mistake.
FARTHEST = 1e6

# Random postures that show which links always touch, and which do not move against a plane.
POSTURES = 2000

# A distance that changes by less than this [m] over all postures is constant: rounding.
CONSTANT = 1e-9

# Clearances in this many postures are computed together: their arrays stay in the caches.
BATCH = 2**14

# Proof that two hulls are apart: postures of each of the two joints, the gap [m] that must be left
# in all of them because of the postures between, and directions tried for a posture.
GRID, GRID_GAP, DIRECTIONS = 72, 2e-3, 60


@dataclass(frozen=True)
class Plane:
    """The half space in which the arm may be: normal . x >= offset, in the base frame.

    Attributes:
        name: "floor", "wall 1" ...
        normal: unit vector into the free side, ``(3,)``.
        offset: distance of the plane from the origin of the base, along the normal [m].
    """

    name: str
    normal: Array
    offset: float


def planes_of(arm: Arm, floor: object, walls: object) -> list[Plane]:
    """Return the floor and the walls.

    Args:
        arm: the arm; the floor is across its gravity.
        floor: height in the base frame [m], or None.
        walls: rows (nx, ny, nz, d), ``(k, 4)``: free is where nx x + ny y + nz z >= d; or None.
    """
    planes: list[Plane] = []
    if floor is not None:
        height = checked_number(floor, "floor", least=-FARTHEST, most=FARTHEST)
        ground = base_plane(arm, "floor", height)
        if ground is None:
            raise InputError(
                "`floor` was given, but the robot has no gravity, so no direction is down; give "
                "the floor as one of `walls`.",
                argument="floor",
            )
        planes.append(ground)
    if walls is None:
        return planes
    what = "walls (nx, ny, nz, d), one a row: free is where nx x + ny y + nz z >= d"
    for k, row in enumerate(checked_array(walls, "walls", ("walls", 4), what=what), 1):
        size = float(np.linalg.norm(row[:3]))
        if not 1e-9 < size < FARTHEST or not abs(row[3]) <= FARTHEST * size:
            raise InputError(
                f"`walls` has a normal of length {size:g} in row {k}, and d = {row[3]:g}; expected "
                f"{what}, in metres.",
                argument="walls",
            )
        planes.append(Plane(f"wall {k}", row[:3] / size, float(row[3]) / size))
    return planes


def base_plane(arm: Arm, name: str = "base plane", height: float = 0.0) -> Plane | None:
    """Return the plane across gravity at a height [m] in the base frame; None without gravity."""
    g = np.array(arm.robot.gravity)
    size = float(np.linalg.norm(g))
    return Plane(name, -g / size, height) if size > 0.0 else None


@dataclass(frozen=True)
class Contact:
    """Two things that must stay apart: the names, and the indices of their capsules.

    Attributes:
        names: of the two things.
        first: capsules of the first one.
        second: capsules of the second one; empty for a plane.
        plane: the plane, or None.
    """

    names: tuple[str, str]
    first: tuple[int, ...]
    second: tuple[int, ...]
    plane: Plane | None


class Space:
    """Clearances of an arm's capsules."""

    def __init__(
        self, arm: Arm, body: Body, planes: list[Plane], *, itself: bool, ranges: Array,
        margin: float,
    ) -> None:  # fmt: skip
        """Determine which things must be kept apart.

        Args:
            arm: the arm.
            body: its collision geometry.
            planes: to stay above.
            itself: whether links must stay clear of each other.
            ranges: lowest and highest position of every joint, ``(n, 2)``.
            margin: the least clearance to keep [m].
        """
        capsules = body.capsules
        self.arm, self.capsules, self.planes, self.margin = arm, capsules, planes, margin
        self.radius = np.array([c.radius for c in capsules])
        self._of = {
            k: tuple(i for i, c in enumerate(capsules) if c.link == k)
            for k in sorted({c.link for c in capsules})
        }
        self._local = {
            k: np.array([(*p, 1.0) for i in at for p in (capsules[i].start, capsules[i].end)])
            for k, at in self._of.items()
        }
        self._length = [float(np.linalg.norm(np.subtract(c.end, c.start))) for c in capsules]
        rng = np.random.default_rng(0)
        postures = rng.uniform(ranges[:, 0], ranges[:, 1], (POSTURES, arm.n))
        candidates = [*(self._pairs() if itself else ()), *self._above(planes)]
        self.reach = float(np.linalg.norm(np.stack(self.ends(postures)), axis=1).max())
        near = self.clearances(postures, candidates)
        self.contacts: list[Contact] = []
        self.always: list[Contact] = []
        self.never: list[Contact] = []
        bounds: list[tuple[float, float]] = []
        for contact, low, high in zip(candidates, near.min(axis=0), near.max(axis=0), strict=True):
            fixed = contact.plane is not None and high - low <= CONSTANT
            if (high < 0.0 and contact.plane is None) or (high < margin and fixed):
                self.always.append(contact)
            elif low < margin and self._never(body, contact, ranges):
                self.never.append(contact)
            else:
                self.contacts.append(contact)
                bounds.append((0.0 if 0.0 <= high < margin else margin, high))
        self.margins, self._farthest = np.array(bounds).reshape(-1, 2).T

    def _never(self, body: Body, contact: Contact, ranges: Array) -> bool:
        """Whether the solids of two links stay apart in all postures, though capsules touch."""
        if contact.plane is not None:
            return False
        i, k = (self.capsules[at[0]].link for at in (contact.first, contact.second))
        if k != i + 2 or i not in body.hulls or k not in body.hulls:
            return False
        near = [c for c in self._above(self.planes) if self.capsules[c.first[0]].link == 2]
        return never_touch(
            self.arm, i, body.hulls[i], body.hulls[k], ranges,
            lambda q: self.clearances(q, near).min(axis=1, initial=np.inf) >= self.margin,
            self.margin,
        )  # fmt: skip

    def _pairs(self) -> list[Contact]:
        return [
            Contact((link_name(self.arm, i), link_name(self.arm, k)), first, second, None)
            for (i, first), (k, second) in combinations(self._of.items(), 2)
            if k > i + 1
        ]

    def _above(self, planes: list[Plane]) -> list[Contact]:
        return [
            Contact((link_name(self.arm, k), plane.name), at, (), plane)
            for plane in planes
            for k, at in self._of.items()
            if k > 0
        ]

    def ends(self, q: Array) -> tuple[Array, Array]:
        """Return the ends of all capsules in the base frame, ``(3, K, N)`` each."""
        shape = (3, len(self.capsules), len(q))
        starts, ends = np.empty(shape), np.empty(shape)
        for link, local in self._local.items():
            at = list(self._of[link])
            if link == 0:
                points = np.broadcast_to(local[:, :3].T[:, :, None], (3, len(local), len(q)))
            else:
                rows = np.ascontiguousarray(np.moveaxis(self.arm.pose(q, link), 0, -1))
                points = local @ rows[:3]
            starts[:, at], ends[:, at] = points[:, 0::2], points[:, 1::2]
        return starts, ends

    def clearances(self, q: Array, contacts: list[Contact] | None = None) -> Array:
        """Return the clearance of every contact at positions ``(N, n)``, ``(N, C)`` [m]."""
        return self._near(q, np.inf, self.contacts if contacts is None else contacts).T

    def slack(self, q: Array) -> Array:
        """Return the part of every clearance above its margin, ``(N, C)`` [m]."""
        return self.clearances(q) - self.margins

    def shortfall(self, q: Array, reserve: float) -> Array:
        """Return how much of the margins is missing, ``(P, C)`` [m], for motions ``(P, M, n)``.

        It is the largest and the mean shortfall over a motion, added: the maximum measures the
        violation, the mean shows the way out.

        Args:
            q: positions of the motions.
            reserve: added to all margins [m], as far as postures allow.
        """
        P, M, n = q.shape
        near = self._near(q.reshape(-1, n), self.margin + reserve, self.contacts)
        halfway = (self.margins + self._farthest) / 2
        goal = np.maximum(self.margins, np.minimum(self.margins + reserve, halfway))
        lacking = np.maximum(0.0, goal[:, None] - near).reshape(-1, P, M)
        return (lacking.max(axis=2) + lacking.mean(axis=2)).T

    def _near(self, q: Array, margin: float, contacts: list[Contact]) -> Array:
        """Return clearances, ``(C, N)``; where they exceed a margin, any number that does."""
        if len(q) > BATCH:
            parts = [q[i : i + BATCH] for i in range(0, len(q), BATCH)]
            return np.concatenate([self._near(part, margin, contacts) for part in parts], axis=1)
        a, b = self.ends(q)
        near = np.full((len(contacts), len(q)), margin)
        for least, contact in zip(near, contacts, strict=True):
            for x in contact.first:
                for y in contact.second:
                    self._between(x, y, a, b, margin, least)
                if contact.plane is not None:
                    normal, offset = contact.plane.normal, contact.plane.offset
                    height = np.minimum(normal @ a[:, x], normal @ b[:, x])
                    np.minimum(least, height - self.radius[x] - offset, out=least)
        return near

    def _between(self, x: int, y: int, a: Array, b: Array, margin: float, least: Array) -> None:
        """Lower the least clearances, ``(N,)``, to those between capsules x and y."""
        both, near = float(self.radius[x] + self.radius[y]), slice(None)
        if np.isfinite(margin):
            # spheres around the capsules exclude at once most of those that are far apart
            u, v, w = (a[:, x] + b[:, x]) - (a[:, y] + b[:, y])
            reach = self._length[x] + self._length[y] + 2 * (both + margin)
            near = np.flatnonzero(u * u + v * v + w * w < reach * reach)
            if not len(near):
                return
        gap = segment_distance(a[:, x, near], b[:, x, near], a[:, y, near], b[:, y, near])
        least[near] = np.minimum(least[near], gap - both)


def never_touch(
    arm: Arm, link: int, first: Array, second: Array, ranges: Array,
    allowed: Callable[[Array], NDArray[np.bool_]], margin: float = 0.0,
) -> bool:  # fmt: skip
    """Return whether the hulls of a link and of the next but one are apart in all postures.

    Args:
        arm: the arm.
        link: i, the link nearer the base, 0 for the base.
        first: corners of its hull in E_i, ``(V, 3)``.
        second: corners of the hull of link i + 2 in its own frame, ``(W, 3)``.
        ranges: lowest and highest position of every joint, ``(n, 2)``.
        allowed: which positions ``(N, n)`` planes allow to the first two joints; the grid of links
            farther out says nothing about planes.
        margin: distance that must be left [m]; at least `GRID_GAP`.
    """
    q = np.zeros((GRID * GRID, arm.n))
    q[:, link] = np.repeat(_grid(arm, link, ranges), GRID)
    q[:, link + 1] = np.tile(_grid(arm, link + 1, ranges), GRID)
    if link == 0:
        q = q[allowed(q)]
    if not len(q):
        return False
    T = arm.pose(q, link + 2)
    turned, p = T[:, :3, :3], T[:, :3, 3]
    if link > 0:
        S = arm.pose(q, link)
        back = np.swapaxes(S[:, :3, :3], 1, 2)
        turned, p = back @ turned, np.einsum("nij,nj->ni", back, p - S[:, :3, 3])
    return _apart(first, second, turned, p, max(margin, GRID_GAP))


def _grid(arm: Arm, joint: int, ranges: Array) -> Array:
    low, high = (float(x) for x in ranges[joint])
    turns = arm.robot.joints[joint].is_revolute
    return np.linspace(low, min(high, low + 2 * np.pi) if turns else high, GRID)


def _apart(first: Array, second: Array, turned: Array, p: Array, gap: float) -> bool:
    """Whether a hull and a moved hull are apart in all placements: Gilbert's algorithm.

    v is a point of the difference of the hulls. Seen along v, their gap is a lower bound of their
    distance; v moves to the nearest point between itself and the corner difference in that
    direction.
    """
    v = first.mean(axis=0) - (turned @ second.mean(axis=0) + p)
    for _ in range(DIRECTIONS):
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
