"""Where the frames of an arm are, and how they move.

Frame k of an arm is E_k for k = 0..n and the tip for k = n+1, which the last link carries, or link
`chain.carrier`. Everything in the axes of the base frame, in which E_0 stands at `chain.base`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.vector import (
    ZERO,
    Matrix,
    Rows,
    add,
    clean,
    column,
    cross,
    scale,
    sub,
    times,
)
from armdyn.robot.chain import Chain, Vector
from armdyn.robot.model import Placement
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class Place:
    """The rows of a frame's rotation to the base axes, and its origin."""

    rows: Rows
    p: Vector

    def after(self, F: Frame) -> Place:
        """Return the place of E_i if this is that of E_{i-1}; 30M 18A.

        The joint shifts by b along x_{i-1} and by d along z_i, which is cheaper than to rotate s_i.
        """
        x, y, z = (F.to_child(row) for row in self.rows)
        turned = (x, y, z)
        shifts = scale(F.b, column(self.rows, 1)), scale(F.d, column(turned, 3))
        return Place(turned, add(self.p, *shifts))

    def at(self, T: Placement) -> Place:
        """Return the place of a frame that is fixed to this one with the placement T."""
        a, b, c = (direction(T, k) for k in range(3))
        t = (T[0][3], T[1][3], T[2][3])
        x, y, z = (times((a, b, c), row) for row in self.rows)
        return Place((x, y, z), add(self.p, times(self.rows, t)))


def places(chain: Chain, q: Sequence[Scalar], frame: int) -> list[Place]:
    """Return the places of E_0 and of the links on the way to a frame; the tip follows its link."""
    world = Place(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), ZERO)
    found, F = [world.at(chain.base)], frames(chain, q)
    for i in moving(chain, frame):
        found.append(found[-1].after(F[i]))
    if frame > chain.n:
        found.append(found[-1].at(chain.tool))
    return found


def moving(chain: Chain, frame: int) -> list[int]:
    """Return the links that a frame moves with, from the base to the one that carries it."""
    assert 0 <= frame <= chain.n + 1
    if frame > chain.n:
        frame = chain.n if chain.carrier is None else chain.carrier
    return [*reversed(chain.before(frame)), frame] if frame else []


def pose(chain: Chain, q: Sequence[Scalar], frame: int) -> Matrix:
    """Return the 4x4 placement of a frame in the base frame."""
    place = places(chain, q, frame)[-1]
    rows: Matrix = [[*row, p] for row, p in zip(place.rows, place.p, strict=True)]
    return [*rows, [0.0, 0.0, 0.0, 1.0]]


def jacobian(chain: Chain, q: Sequence[Scalar], frame: int) -> Matrix:
    """Return the 6 x n matrix that takes qd to a frame's velocity: of its origin, then angular."""
    found = places(chain, q, frame)
    places_of = dict(zip(moving(chain, frame), found[1:], strict=False))
    columns: list[tuple[Scalar, ...]] = []
    for i in range(1, chain.n + 1):
        if i not in places_of:
            columns.append((*ZERO, *ZERO))
            continue
        u = column(places_of[i].rows, 3)
        if chain[i].rotational:
            columns.append((*cross(u, sub(found[-1].p, places_of[i].p)), *u))
        else:
            columns.append((*u, *ZERO))
    return [list(row) for row in zip(*columns, strict=True)]


def direction(T: Placement, k: int) -> Vector:
    """Return column k of the rotation, with the rounding of exact zeros removed."""
    x, y, z = clean((T[0][k], T[1][k], T[2][k]), sized_by=[1.0])
    return (x, y, z)
