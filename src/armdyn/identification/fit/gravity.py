"""Torques of an arm's weight for any direction of gravity.

A tilted mount turns gravity in the base frame. The torque of joint j is linear in gravity g: it is
-(z_j x (S_j - M_j p_j)) . g for a revolute joint and -M_j z_j . g for a prismatic one. Here z_j and
p_j are axis and origin of the joint, M_j is the mass after it, and S_j the first moment of that
mass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.model import Robot


@dataclass(frozen=True, eq=False)
class Turned:
    """Gravity that is turned against the described one.

    Attributes:
        change: of gravity in the base frame ``(3,)`` [m/s^2].
        links: natural parameters ``(10n,)`` of the links whose weight is turned.
    """

    change: Array
    links: Array

    def torques(self, robot: Robot, q: Array) -> Array:
        """Return the torques that turned gravity adds, ``(N, n)``."""
        return gravity_columns(robot, self.links, q) @ self.change


def gravity_columns(robot: Robot, parameters: Array, q: Array) -> Array:
    """Return the torques for gravity of 1 along the base axes, ``(N, n, 3)``.

    Args:
        robot: the geometry.
        parameters: natural parameters of the links ``(10n,)``: m, mx, my, mz come first.
        q: positions ``(N, n)``.
    """
    n, count = len(robot.joints), len(q)
    links = parameters[: 10 * n].reshape(n, 10)
    place = np.asarray(robot.base, dtype=np.float64)
    x, y, z, p = (np.broadcast_to(column, (count, 3)) for column in place[:3].T)
    axes, origins, moments = list[Array](), list[Array](), list[Array]()
    for j, joint in enumerate(robot.joints):
        # the screw along and about x, the tilt about y, the screw along and about z
        p = p + joint.b * x
        y, z = _turned(y, z, joint.beta)
        z, x = _turned(z, x, joint.tilt)
        p = p + (joint.d if joint.is_revolute else joint.d + q[:, j, None]) * z
        x, y = _turned(x, y, joint.theta + q[:, j, None] if joint.is_revolute else joint.theta)
        m, mx, my, mz = links[j, :4].tolist()
        axes.append(z)
        origins.append(p)
        moments.append(m * p + mx * x + my * y + mz * z)
    torque = np.empty((count, n, 3))
    mass, moment = 0.0, np.zeros((count, 3))
    for j in reversed(range(n)):
        mass, moment = mass + float(links[j, 0]), moment + moments[j]
        if robot.joints[j].is_revolute:
            torque[:, j] = -np.cross(axes[j], moment - mass * origins[j])
        else:
            torque[:, j] = -mass * axes[j]
    return torque


def tilts(gravity: Array) -> Array:
    """Return changes of gravity ``(m, 3)`` for tilts of 1 rad about two horizontal axes.

    Without described gravity they are those of the earth along each axis.
    """
    size = float(np.linalg.norm(gravity))
    if size == 0.0:
        return 9.81 * np.eye(3)
    _, _, rows = np.linalg.svd(gravity[None, :] / size)
    return size * rows[1:]


def _turned(a: Array, b: Array, angle: float | Array) -> tuple[Array, Array]:
    """Return two axes ``(N, 3)`` turned about the third one, from a to b."""
    c, s = np.cos(angle), np.sin(angle)
    return c * a + s * b, c * b - s * a
