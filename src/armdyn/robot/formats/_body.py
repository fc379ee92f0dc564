"""Rigid bodies: made from the inertials of links, joined, and expressed in another frame.

Bodies are joined about their common centre of mass, where only positive terms add up. Shifting to a
distant origin and back would lose digits, and could break the triangle inequality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.robot._joint import Joint, link_faults
from armdyn.robot._leniency import PhysicalFault
from armdyn.robot.formats._placement import Array, invert, without_residues
from armdyn.robot.formats._records import Inertial
from armdyn.robot.formats._snap import Snap


@dataclass(frozen=True)
class Body:
    """Mass [kg], centre of mass [m] and inertia about it [kg m^2] of a body, in some frame."""

    mass: float
    com: Array
    inertia: Array


def body_of(inertial: Inertial, T: Array, snap: Snap) -> Body:
    """Return the body of a link whose frame is placed at T."""
    xx, xy, xz, yy, yz, zz = inertial.inertia
    own = Body(inertial.mass, np.zeros(3), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
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
        r = body.com - com
        inertia = inertia + body.inertia + body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Body(mass, com, inertia)


def seen_from(body: Body, T: Array) -> Body:
    """Return a body as seen from a frame that is placed at T, without rounding residues."""
    there = placed(body, invert(T))
    size = float(max(np.abs(body.com).max(), np.abs(T[:3, 3]).max()))
    com = without_residues(there.com, size)
    inertia = without_residues(there.inertia, float(np.abs(body.inertia).max()))
    return Body(body.mass, com, (inertia + inertia.T) / 2)


def physical_faults(inertial: Inertial) -> list[PhysicalFault]:
    """Return why no rigid body can have a link's mass and inertia."""
    return link_faults(Joint(mass=inertial.mass, inertia=inertial.inertia))
