"""Rigid bodies: made from the inertials of links, joined, and expressed in another frame.

Bodies are joined about their common centre of mass, where only positive terms add up. Shifting to a
distant origin and back would lose digits, and could break the triangle inequality.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from armdyn.robot.formats._placement import Array, invert, product, without_residues
from armdyn.robot.formats._records import Inertial, Triple
from armdyn.robot.formats._snap import Snap

# Products of inertia that are smaller, relative to the moments, change no digit of them.
ZERO = 1e-18


@dataclass(frozen=True)
class Body:
    """Mass [kg], centre of mass [m] and inertia about it [kg m^2] of a body, in some frame."""

    mass: float
    com: Array
    inertia: Array


def body_of(inertial: Inertial, T: Array, snap: Snap) -> Body:
    """Return the body of a link whose frame is placed at T."""
    own = body_in((0.0, 0.0, 0.0), inertial.inertia, inertial.mass)
    return placed(own, product(T, snap.placement(inertial.origin)))


def placed(body: Body, T: Array) -> Body:
    """Return a body given in a frame that is placed at T."""
    R = T[:3, :3]
    return Body(body.mass, product(R, body.com) + T[:3, 3], product(R, body.inertia, R.T))


def joined(bodies: Sequence[Body]) -> Body:
    """Return bodies, given in one frame, as one rigid body."""
    if len(bodies) == 1:
        return bodies[0]
    mass, com = 0.0, np.zeros(3)
    for body in bodies:
        mass, com = mass + body.mass, com + body.mass * body.com
    if mass > 0:
        com = com / mass
    inertia = np.zeros((3, 3))
    for body in bodies:
        inertia = inertia + body.inertia + _shift(body.mass, body.com - com)
    return Body(mass, com, inertia)


def without(body: Body, parts: Sequence[Body]) -> Body:
    """Return what is left of a body if some parts of it are taken away; all in one frame."""
    mass, moment = body.mass, body.mass * body.com
    for part in parts:
        mass, moment = mass - part.mass, moment - part.mass * part.com
    com = moment / mass if mass != 0.0 else np.zeros(3)
    inertia = body.inertia + _shift(body.mass, body.com - com)
    for part in parts:
        inertia = inertia - part.inertia - _shift(part.mass, part.com - com)
    return Body(mass, com, inertia)


def _shift(mass: float, r: Array) -> Array:
    """Return the inertia of a point mass about a point from which it is at r."""
    return mass * (product(r, r) * np.eye(3) - np.outer(r, r))


def seen_from(body: Body, T: Array) -> Body:
    """Return a body as seen from a frame that is placed at T, without rounding residues."""
    there = placed(body, invert(T))
    size = float(max(np.abs(body.com).max(), np.abs(T[:3, 3]).max()))
    com = without_residues(there.com, size)
    inertia = without_residues(there.inertia, float(np.abs(body.inertia).max()))
    return Body(body.mass, com, (inertia + inertia.T) / 2)


def principal_axes(inertia: Array) -> tuple[Array, Array]:
    """Return the principal moments of an inertia, and their axes as columns of a rotation.

    By Jacobi's rotations, each of which makes one product of inertia zero.
    """
    tensor, axes = inertia.copy(), np.eye(3)
    while np.abs(tensor[np.triu_indices(3, 1)]).max() > ZERO * np.abs(tensor).max():
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if tensor[i, j] == 0.0:
                continue
            cot = float(tensor[j, j] - tensor[i, i]) / (2.0 * float(tensor[i, j]))
            tan = math.copysign(1.0, cot) / (abs(cot) + math.sqrt(cot * cot + 1.0))
            cos = 1.0 / math.sqrt(tan * tan + 1.0)
            turn = np.eye(3)
            turn[i, i] = turn[j, j] = cos
            turn[i, j], turn[j, i] = tan * cos, -tan * cos
            tensor, axes = product(turn.T, tensor, turn), product(axes, turn)
            tensor[i, j] = tensor[j, i] = 0.0
    return np.diag(tensor).copy(), axes


Six: TypeAlias = tuple[float, float, float, float, float, float]


def body_in(com: Sequence[float], inertia: Six, mass: float = 1.0) -> Body:
    """Return the body of a centre of mass and the inertia (xx, xy, xz, yy, yz, zz) about it."""
    xx, xy, xz, yy, yz, zz = inertia
    return Body(mass, np.array(com), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def six_of(inertia: Array) -> Six:
    """Return the entries (xx, xy, xz, yy, yz, zz) of a symmetric matrix."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tolist()
    return (xx, xy, xz, yy, yz, zz)


def seen_in(T: Array, com: Triple, inertia: Six) -> tuple[Triple, Six]:
    """Return a centre of mass and an inertia as seen from a frame that is placed at T."""
    body = seen_from(body_in(com, inertia), T)
    x, y, z = (float(v) for v in body.com)
    return (x, y, z), six_of(body.inertia)
