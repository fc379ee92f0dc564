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
    turn: Array = np.broadcast_to(place[:3, :3], (count, 3, 3))
    p: Array = np.broadcast_to(place[:3, 3], (count, 3))
    axes, origins, moments = list[Array](), list[Array](), list[Array]()
    for j, joint in enumerate(robot.joints):
        cb, sb = np.cos(joint.beta), np.sin(joint.beta)
        turn = turn @ np.array([[1.0, 0.0, 0.0], [0.0, cb, -sb], [0.0, sb, cb]])
        along = joint.d + (0.0 if joint.is_revolute else q[:, j, None])
        # The screw about x moves along the x axis before the turn, which leaves that axis alone.
        p = p + joint.b * turn[:, :, 0]
        cg, sg = np.cos(joint.tilt), np.sin(joint.tilt)
        turn = turn @ np.array([[cg, 0.0, sg], [0.0, 1.0, 0.0], [-sg, 0.0, cg]])
        z = turn[:, :, 2]
        p = p + along * z
        angle = joint.theta + (q[:, j] if joint.is_revolute else np.zeros(count))
        turn = turn @ _about_z(angle)
        axes.append(z)
        origins.append(p)
        moments.append(links[j, 0] * p + turn @ links[j, 1:4])
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


def _about_z(angle: Array) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    turn = np.zeros((len(angle), 3, 3))
    turn[:, 0, 0], turn[:, 0, 1], turn[:, 1, 0], turn[:, 1, 1] = c, -s, s, c
    turn[:, 2, 2] = 1.0
    return turn
