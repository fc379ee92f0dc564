"""An arm at a state, by sums over links and Jacobians: what printed equations are compared with.

Nothing here follows a paper. Links, joints and frames are numbered from 1, with the base as 0, as
in the papers. R takes components in one frame to another; vectors are NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.algorithms import newton_euler
from armdyn.robot.chain import chain_of
from armdyn.robot.joint import Joint
from armdyn.robot.library import random_joint
from armdyn.robot.model import Robot

Array = NDArray[np.float64]

Z = np.array([0.0, 0.0, 1.0])
GRAVITY = (1.0, 2.0, -9.0)


def skew(a: Array) -> Array:
    """Return the matrix of a x."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross(a: Array, b: Array) -> Array:
    """Return a x b."""
    return skew(a) @ b


def difference(got: ArrayLike, expected: ArrayLike) -> float:
    """Return the largest difference, relative to the largest expected number."""
    wanted = np.asarray(expected, float)
    return float(np.abs(np.asarray(got, float) - wanted).max() / np.abs(wanted).max())


class Posed:
    """An arm in a random state, `q`, `qd` and `qdd`."""

    def __init__(
        self, joints: Sequence[Joint], seed: int = 0, gravity: tuple[float, ...] = GRAVITY
    ) -> None:
        rng = np.random.default_rng([seed, len(joints), 1])
        self.n = len(joints)
        self.chain = chain_of(Robot(joints, gravity=gravity))
        self.q, self.qd, self.qdd = (rng.uniform(-1.5, 1.5, self.n) for _ in range(3))
        self.joints = tuple(joints)
        self.rotational = [False, *(joint.is_revolute for joint in joints)]

    @cached_property
    def theta(self) -> list[float]:
        """Angles theta_i."""
        return [0.0] + [
            self.joint(i).theta + (self.q[i - 1] if self.rotational[i] else 0.0)
            for i in range(1, self.n + 1)
        ]

    @cached_property
    def d(self) -> list[float]:
        """Offsets d_i."""
        return [0.0] + [
            self.joint(i).d + (0.0 if self.rotational[i] else self.q[i - 1])
            for i in range(1, self.n + 1)
        ]

    def joint(self, i: int) -> Joint:
        """Return joint i."""
        return self.joints[i - 1]

    @cached_property
    def T(self) -> list[Array]:
        """Placements of the frames in the base."""
        placed = [np.eye(4)]
        for i in range(1, self.n + 1):
            j = self.joint(i)
            x = _placement(_about_x(j.beta), np.array([j.b, 0.0, 0.0]))
            z = _placement(_about_z(self.theta[i]), np.array([0.0, 0.0, self.d[i]]))
            placed.append(placed[-1] @ x @ z)
        return placed

    def R(self, to: int, start: int) -> Array:
        """Return the rotation that takes components in E_start to E_to."""
        return self.T[to][:3, :3].T @ self.T[start][:3, :3]

    def s(self, j: int, i: int, frame: int) -> Array:
        """Return the vector from O_j to O_i in a frame."""
        return self.T[frame][:3, :3].T @ (self.T[i][:3, 3] - self.T[j][:3, 3])

    def u(self, j: int, frame: int) -> Array:
        """Return the axis of joint j in a frame."""
        return self.R(frame, j) @ Z

    def m(self, i: int) -> float:
        """Return the mass of link i."""
        return float(self.joint(i).mass)

    def c(self, i: int) -> Array:
        """Return the centre of mass of link i, from O_i in E_i."""
        return np.array(self.joint(i).com)

    def inertia(self, i: int) -> Array:
        """Return the inertia of link i about its centre of mass, in E_i."""
        xx, xy, xz, yy, yz, zz = self.joint(i).inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def composite(self, i: int) -> tuple[float, Array, Array]:
        """Return mass, first moment and inertia of links i..n about O_i in E_i."""
        mass, moment, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        for j in range(i, self.n + 1):
            at = self.s(i, j, i) + self.R(i, j) @ self.c(j)
            mass += self.m(j)
            moment = moment + self.m(j) * at
            turned = self.R(i, j) @ self.inertia(j) @ self.R(i, j).T
            inertia = inertia + turned - self.m(j) * skew(at) @ skew(at)
        return mass, moment, inertia

    def jacobian(self, i: int, at: Array | None = None) -> Array:
        """Return angular and linear velocities of link i by joint rates, at its centre, in E_0."""
        at = self.c(i) if at is None else at
        point = (self.T[i] @ np.append(at, 1.0))[:3]
        columns = np.zeros((6, self.n))
        for j in range(1, i + 1):
            axis, arm = self.T[j][:3, 2], point - self.T[j][:3, 3]
            turning = self.rotational[j]
            columns[:3, j - 1] = axis if turning else 0.0
            columns[3:, j - 1] = cross(axis, arm) if turning else axis
        return columns

    @cached_property
    def H(self) -> Array:
        """The inertia matrix, from the kinetic energy of the links."""
        total = np.zeros((self.n, self.n))
        for i in range(1, self.n + 1):
            J, R = self.jacobian(i), self.T[i][:3, :3]
            total += J[:3].T @ (R @ self.inertia(i) @ R.T) @ J[:3] + self.m(i) * J[3:].T @ J[3:]
        return total

    def motion(self, i: int) -> tuple[Array, Array, Array]:
        """Return angular velocity and acceleration of link i, and that of its centre, in E_0."""
        w, wd, a = np.zeros(3), np.zeros(3), np.zeros(3)
        for j in range(1, i + 1):
            axis, arm = self.T[j][:3, 2], self.T[j][:3, 3] - self.T[j - 1][:3, 3]
            rate, change = self.qd[j - 1], self.qdd[j - 1]
            a = a + cross(wd, arm) + cross(w, cross(w, arm))
            if self.rotational[j]:
                wd = wd + cross(w, axis) * rate + axis * change
                w = w + axis * rate
            else:
                a = a + 2.0 * cross(w, axis) * rate + axis * change
        arm = self.T[i][:3, :3] @ self.c(i)
        return w, wd, a + cross(wd, arm) + cross(w, cross(w, arm))

    def torques(self, qd: Array | None = None, qdd: Array | None = None) -> Array:
        """Return the torques by Newton and Euler's recursion, at rest unless told otherwise."""
        zero = np.zeros(self.n)
        given = (list(zero if x is None else x) for x in (qd, qdd))
        return np.array(newton_euler.inverse_dynamics(self.chain, list(self.q), *given), float)

    def at(self, q: Array) -> Posed:
        """Return the same arm elsewhere."""
        other = Posed(self.joints)
        other.chain, other.q, other.qd, other.qdd = self.chain, q, self.qd, self.qdd
        return other


def posed(
    kinds: str,
    rows: Sequence[tuple[float, float, float, float]] = (),
    gravity: tuple[float, ...] = GRAVITY,
) -> Posed:
    """Return a random arm with joints "RPR"; `rows` sets beta, b, d, theta of the first joints."""
    rng = np.random.default_rng(len(kinds))
    joints = [random_joint(rng, kind == "P") for kind in kinds]
    for k, (beta, b, d, theta) in enumerate(rows):
        joints[k] = replace(joints[k], beta=beta, b=b, d=d, theta=theta)
    return Posed(joints, gravity=gravity)


def planar_bars(lengths: Sequence[float], masses: Sequence[float]) -> Posed:
    """Return a planar arm of slender bars, joints at their ends, gravity across its plane."""
    joints = [
        Joint(
            b=b, mass=m, com=(l / 2, 0.0, 0.0),
            inertia=(0.0, 0.0, 0.0, m * l * l / 12, 0.0, m * l * l / 12),
        )
        for b, l, m in zip((0.0, *lengths[:-1]), lengths, masses, strict=True)
    ]  # fmt: skip
    return Posed(joints)


def inclined_slides() -> Posed:
    """Return an arm with two inclined slides between parallel axes 1 and 4; joint s is 5."""
    rows = [
        (0.0, 0.0, 0.0, 0.0),
        (0.7, 0.3, 0.2, 0.9),
        (0.0, 0.2, 0.1, -0.9),
        (-0.7, 0.4, 0.3, 0.0),
    ]
    return posed("RPPRRR", rows)


def _about_x(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _placement(R: Array, s: Array) -> Array:
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = R, s
    return made
