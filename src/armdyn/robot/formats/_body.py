"""Rigid bodies: made from the inertials of links, joined, and expressed in another frame.

Bodies are joined about their common centre of mass, where only positive terms add up. Shifting to a
distant origin and back would lose digits, and could break the triangle inequality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from armdyn.robot.formats._placement import Array, invert, without_residues
from armdyn.robot.formats._records import Inertial, Triple
from armdyn.robot.formats._snap import Snap


@dataclass(frozen=True)
class Body:
    """Mass [kg], centre of mass [m] and inertia about it [kg m^2] of a body, in some frame."""

    mass: float
    com: Array
    inertia: Array


def body_of(inertial: Inertial, T: Array, snap: Snap) -> Body:
    """Return the body of a link whose frame is placed at T."""
    own = body_in((0.0, 0.0, 0.0), inertial.inertia, inertial.mass)
    return placed(own, T @ snap.placement(inertial.origin))


def placed(body: Body, T: Array) -> Body:
    """Return a body given in a frame that is placed at T."""
    R = T[:3, :3]
    return Body(body.mass, R @ body.com + T[:3, 3], R @ body.inertia @ R.T)


def joined(bodies: Sequence[Body]) -> Body:
    """Return bodies, given in one frame, as one rigid body."""
    mass = sum(body.mass for body in bodies)
    if len(bodies) == 1:
        return bodies[0]
    com = np.zeros(3)
    if mass > 0:
        com = sum((body.mass * body.com for body in bodies), com) / mass
    inertia = np.zeros((3, 3))
    for body in bodies:
        inertia = inertia + body.inertia + _shift(body.mass, body.com - com)
    return Body(mass, com, inertia)


def without(body: Body, parts: Sequence[Body]) -> Body:
    """Return what is left of a body if some parts of it are taken away; all in one frame."""
    mass = body.mass - sum(part.mass for part in parts)
    moment = body.mass * body.com - sum((p.mass * p.com for p in parts), np.zeros(3))
    com = moment / mass if mass != 0.0 else np.zeros(3)
    inertia = body.inertia + _shift(body.mass, body.com - com)
    for part in parts:
        inertia = inertia - part.inertia - _shift(part.mass, part.com - com)
    return Body(mass, com, inertia)


def _shift(mass: float, r: Array) -> Array:
    """Return the inertia of a point mass about a point from which it is at r."""
    return mass * (r @ r * np.eye(3) - np.outer(r, r))


def seen_from(body: Body, T: Array) -> Body:
    """Return a body as seen from a frame that is placed at T, without rounding residues."""
    there = placed(body, invert(T))
    size = float(max(np.abs(body.com).max(), np.abs(T[:3, 3]).max()))
    com = without_residues(there.com, size)
    inertia = without_residues(there.inertia, float(np.abs(body.inertia).max()))
    return Body(body.mass, com, (inertia + inertia.T) / 2)


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
