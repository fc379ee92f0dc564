"""A straight line of the tip, as joint positions along it.

Between the first and the last pose, the position moves on a straight line and the orientation turns
about one axis, both at a constant rate. The joints follow dq/ds = J^+ dx/ds, the joint velocities
of minimum norm; these give smooth paths for redundant arms, too. Every node is then corrected onto
the line to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm, Reach, reach_of, rotation_vectors
from armdyn.errors import UnreachedError

Array = NDArray[np.float64]

NODES = 33
MOST_NODES = 2049
CORRECTIONS = 8

# A pose closer to the line than this [m or rad] is on it: forward kinematics has rounding.
ON_THE_LINE = 1e-10

# Singular values of the Jacobian below this share of the largest count as zero.
SINGULAR = 1e-6

# A joint that moves farther than this between two nodes [rad or m] has changed its branch.
JUMP = 0.5


@dataclass(frozen=True)
class Line:
    """A path from one pose to another, for 0 <= s <= 1.

    Attributes:
        first: pose at s = 0.
        last: pose at s = 1.
    """

    first: Array
    last: Array

    @property
    def way(self) -> Array:
        """Displacement [m] and rotation vector [rad], in base axes: ``(6,)``."""
        turned = rotation_vectors((self.last[:3, :3] @ self.first[:3, :3].T)[None])[0]
        return np.concatenate([self.last[:3, 3] - self.first[:3, 3], turned])

    def pose(self, s: float) -> Array:
        """Return the pose at s."""
        way = self.way
        T = np.eye(4)
        T[:3, :3] = _rotation(s * way[3:]) @ self.first[:3, :3]
        T[:3, 3] = self.first[:3, 3] + s * way[:3]
        return T


def followed(arm: Arm, line: Line, start: Array, nodes: int) -> tuple[Array, Array]:
    """Return s ``(nodes,)`` and joint positions ``(nodes, n)`` on a line.

    Raises:
        UnreachedError: the arm cannot follow; the message says how far along the line it got.
    """
    reach, way = reach_of(arm), line.way
    s = np.linspace(0.0, 1.0, nodes)
    h = float(s[1])
    q = [start]
    for k in range(1, nodes):
        x = q[-1]
        a = _rate(reach, x, way)
        b = _rate(reach, x + h / 2 * a, way)
        c = _rate(reach, x + h / 2 * b, way)
        d = _rate(reach, x + h * c, way)
        step = h / 6 * (a + 2 * b + 2 * c + d)
        step *= min(1.0, JUMP / max(float(np.abs(step).max()), 1e-300))
        q.append(_put_on(reach, line.pose(float(s[k])), x, x + step, float(s[k])))
    return s, np.array(q)


def distance(arm: Arm, line: Line, s: Array, q: Array) -> float:
    """Return the largest distance of positions from the line [m or rad]."""
    T = arm.pose(q)
    wanted = np.array([line.pose(float(x)) for x in s])
    turned = rotation_vectors(wanted[:, :3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2))
    lack = np.concatenate([wanted[:, :3, 3] - T[:, :3, 3], turned], axis=1)
    return float(np.linalg.norm(lack.reshape(-1, 3), axis=1).max())


def _rate(reach: Reach, q: Array, way: Array) -> Array:
    u, size, v = np.linalg.svd(reach.jacobian(q[None])[0], full_matrices=False)
    kept = size > SINGULAR * size[0]
    return (way @ u[:, kept] / size[kept]) @ v[kept]


def _put_on(reach: Reach, target: Array, before: Array, q: Array, s: float) -> Array:
    lack = np.full(6, np.inf)
    for _ in range(CORRECTIONS):
        q = np.clip(q, reach.lower, reach.upper)
        T = reach.pose(q[None])
        turned = rotation_vectors(target[:3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2))[0]
        lack = np.concatenate([target[:3, 3] - T[0, :3, 3], turned])
        if np.abs(lack).max() <= ON_THE_LINE and np.abs(q - before).max() <= 2 * JUMP:
            return q
        q = q + np.clip(_rate(reach, q, lack), -JUMP, JUMP)
    off = (float(np.linalg.norm(lack[:3])), float(np.linalg.norm(lack[3:])))
    where = f" at {s:.1%} of the straight line"
    raise UnreachedError(1, np.clip(q, reach.lower, reach.upper), *off, where)


def _rotation(v: Array) -> Array:
    """Return the rotation matrix of a rotation vector."""
    angle = float(np.linalg.norm(v))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = v / angle
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)
