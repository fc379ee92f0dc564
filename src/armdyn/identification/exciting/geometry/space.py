"""The room around an arm: how far its capsules are from each other and from planes.

Links that a joint connects touch there, so they are not compared. Nor are links that touch in every
posture, and links that do not move against a plane, such as the base on its table. Where no posture
has the clearance asked for, such as at the shoulder of an arm on a table, contact is avoided.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.exciting.geometry.capsules import Body, link_name
from armdyn.identification.exciting.geometry.distance import segment_distance
from armdyn.identification.exciting.geometry.hulls import never_touch
from armdyn.identification.exciting.geometry.planes import Plane

# Random postures that show which links always touch, and which do not move against a plane.
POSTURES = 2000

# A distance that changes by less than this [m] over all postures does not change.
CONSTANT = 1e-9

# Clearances in this many postures are computed together.
TOGETHER = 2**14


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
        self,
        arm: Arm,
        body: Body,
        planes: list[Plane],
        *,
        itself: bool,
        ranges: Array,
        margin: float,
    ) -> None:
        """Find what must be kept apart.

        Args:
            arm: the arm.
            body: what stands for its links.
            planes: to stay above.
            itself: whether links must stay clear of each other.
            ranges: lowest and highest position of every joint, ``(n, 2)``.
            margin: the least clearance to keep [m].
        """
        capsules = body.capsules
        self.arm, self.capsules, self.planes, self.margin = arm, capsules, planes, margin
        self.radius = np.array([c.radius for c in capsules])
        self._links = sorted({c.link for c in capsules})
        self._of = {k: [i for i, c in enumerate(capsules) if c.link == k] for k in self._links}
        self._local = {
            k: np.array([(*p, 1.0) for i in at for p in (capsules[i].start, capsules[i].end)])
            for k, at in self._of.items()
        }
        self._length = [float(np.linalg.norm(np.subtract(c.end, c.start))) for c in capsules]
        rng = np.random.default_rng(0)
        postures = rng.uniform(ranges[:, 0], ranges[:, 1], (POSTURES, arm.n))
        wanted = [*(self._pairs() if itself else ()), *self._stands(planes)]
        self.reach = float(np.linalg.norm(np.stack(self.ends(postures)), axis=1).max())
        found = self.clearances(postures, wanted) if wanted else np.zeros((1, 0))
        highest, lowest = found.max(axis=0), found.min(axis=0)
        self.contacts: list[Contact] = []
        self.always: list[Contact] = []
        self.never: list[Contact] = []
        margins: list[float] = []
        farthest: list[float] = []
        for contact, low, high in zip(wanted, lowest, highest, strict=True):
            fixed = contact.plane is not None and high - low <= CONSTANT
            if (high < 0.0 and contact.plane is None) or (high < margin and fixed):
                self.always.append(contact)
            elif low < margin and self._never(body, contact, ranges):
                self.never.append(contact)
            else:
                self.contacts.append(contact)
                margins.append(0.0 if 0.0 <= high < margin else margin)
                farthest.append(high)
        self.margins, self._farthest = np.array(margins), np.array(farthest)

    def _never(self, body: Body, contact: Contact, ranges: Array) -> bool:
        """Whether the solids of two links stay apart in all postures, though capsules touch."""
        if contact.plane is not None:
            return False
        i, k = (self.capsules[at[0]].link for at in (contact.first, contact.second))
        if k != i + 2 or i not in body.hulls or k not in body.hulls:
            return False
        near = [c for c in self._stands(self.planes) if self.capsules[c.first[0]].link == 2]
        return never_touch(
            self.arm, i, body.hulls[i], body.hulls[k], ranges,
            lambda q: self.clearances(q, near).min(axis=1, initial=np.inf) >= self.margin,
            self.margin,
        )  # fmt: skip

    def _pairs(self) -> list[Contact]:
        return [
            Contact(
                (link_name(self.arm, i), link_name(self.arm, k)),
                tuple(self._of[i]),
                tuple(self._of[k]),
                None,
            )
            for i, k in combinations(self._links, 2)
            if k > i + 1
        ]

    def _stands(self, planes: list[Plane]) -> list[Contact]:
        return [
            Contact((link_name(self.arm, k), plane.name), tuple(self._of[k]), (), plane)
            for plane in planes
            for k in self._links
            if k > 0
        ]

    def ends(self, q: Array) -> tuple[Array, Array]:
        """Return the ends of all capsules in the base frame, ``(3, K, N)`` each."""
        shape = (3, len(self.capsules), len(q))
        starts, ends = np.empty(shape), np.empty(shape)
        for link, local in self._local.items():
            at = self._of[link]
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
        """Return what is left of every clearance above its margin, ``(N, C)`` [m]."""
        return self.clearances(q) - self.margins

    def shortfall(self, q: Array, reserve: float) -> Array:
        """Return how much of the margins is missing, ``(P, C)`` [m], for motions ``(P, M, n)``.

        It is the largest and the mean shortfall over a motion, added: the one says what is wrong,
        the other shows the way out.

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
        if len(q) > TOGETHER:
            parts = [q[i : i + TOGETHER] for i in range(0, len(q), TOGETHER)]
            return np.concatenate([self._near(part, margin, contacts) for part in parts], axis=1)
        a, b = self.ends(q)
        found = np.full((len(contacts), len(q)), margin)
        for least, contact in zip(found, contacts, strict=True):
            if contact.plane is None:
                for x in contact.first:
                    for y in contact.second:
                        self._between(x, y, a, b, margin, least)
                continue
            normal = contact.plane.normal
            for x in contact.first:
                height = np.minimum(normal @ a[:, x], normal @ b[:, x])
                np.minimum(least, height - self.radius[x] - contact.plane.offset, out=least)
        return found

    def _between(self, x: int, y: int, a: Array, b: Array, margin: float, least: Array) -> None:
        """Lower the least clearances, ``(N,)``, to those between capsules x and y."""
        both = float(self.radius[x] + self.radius[y])
        if not np.isfinite(margin):
            gap = segment_distance(a[:, x], b[:, x], a[:, y], b[:, y])
            np.minimum(least, gap - both, out=least)
            return
        # spheres around the capsules show at once most of those that are far apart
        u, v, w = ((a[k, x] + b[k, x]) - (a[k, y] + b[k, y]) for k in range(3))
        reach = float(self._length[x] + self._length[y]) + 2 * (both + margin)
        near = np.flatnonzero(u * u + v * v + w * w < reach * reach)
        if len(near):
            gap = segment_distance(a[:, x, near], b[:, x, near], a[:, y, near], b[:, y, near])
            least[near] = np.minimum(least[near], gap - both)
