"""What is expected of an arm and its servos before the log is seen.

Every parameter of the fit is a standard normal number x. Its prior mean and standard deviation are
in `Expected`; the gravity parameters are the directions of the natural parameters (mass and first
moments of every link) that torques of gravity of any direction can show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.log.segments import scipy
from armdyn.numerics import scaled_pinv

# Random poses that show which parameters torques of gravity depend on; more change nothing.
POSES = 200

# A direction whose torques are smaller than this share of the largest one is not seen.
RANK = 1e-5

# Least share of its described mass that an identified link keeps.
LEAST_MASS = 0.1

# Standard deviation, in units of the prior, to which links keep the fitted torques.
TORQUE_TOLERANCE = 1e-4

# Poses of one call of the regressor: 12 MB for six joints.
CHUNK = 2000


@dataclass(frozen=True)
class Expected:
    """Standard deviations of what is not known, from the study in `benchmarks/servo.py`.

    Attributes:
        mass: of a link, as a share; `centre`: of its centre of mass [m]; `zero`: of the zero of a
            joint [rad]; `payload`: mass on the last link [kg], at `payload_at` [m].
        tilt: of the mount about two axes [rad].
        common: of the logarithm of the stiffness of all servos; `known`: if a gain is stated;
            `weighed`: if a known mass is hung.
        single: of the logarithm of one servo's stiffness, all of one type; `mixed`: of any types.
        bias: of the servo error [rad]; `lag`: of the time between goal and position [s],
            which is `usual_lag` for an unknown servo;
            `inertia`: of rotor inertia over stiffness [s^2]; `coupling`: of the factor of the
            described inertial torques.
        load: median of the friction per transmitted torque; it is log-normal, `load_spread`.
        friction: median of the half width of the friction band of motion [rad], log-normal with
            `wide`.
        static: median of stiction over friction of motion, log-normal with `static_spread`:
            without it, a band may become too narrow for its rows, and make them outliers.
        noise: median of the noise of a row [rad], log-normal with `wide`.
    """

    mass: float = 0.4
    centre: float = 0.015
    zero: float = float(np.deg2rad(5.0))
    payload: float = 0.1
    payload_at: float = 0.06
    tilt: float = float(np.deg2rad(1.5))
    common: float = 0.2
    known: float = 0.05
    weighed: float = 1.0
    single: float = 0.1
    mixed: float = 0.3
    bias: float = float(np.deg2rad(0.2))
    lag: float = 0.2
    usual_lag: float = 0.1
    inertia: float = 0.006
    coupling: float = 1.0
    load: float = 0.04
    load_spread: float = 1.0
    friction: float = 0.025
    static: float = 1.15
    static_spread: float = 0.25
    noise: float = 0.004
    wide: float = 1.0


EXPECTED = Expected()


@dataclass(frozen=True, eq=False)
class Gravity:
    """Torques of gravity as functions of r standard normal parameters and two tilts.

    Attributes:
        mean: described natural parameters ``(4n,)``: m, mx, my, mz of every link.
        spread: change of the natural parameters by each parameter ``(4n, r)``.
        unknowns: one standard deviation of every unknown of the description ``(4n, m)``; the first
            of every four is the mass of a link.
        seen: combinations of the unknowns that are the parameters ``(r, m)``.
        arms: the arm under gravity of 1 m/s^2 along x, y and z of the base.
        directions: gravity, and its change by a tilt of 1 rad about two axes ``(3, 3)`` [m/s^2].
    """

    mean: Array
    spread: Array
    unknowns: Array
    seen: Array
    arms: tuple[Arm, Arm, Arm]
    directions: Array

    @property
    def r(self) -> int:
        """Number of parameters."""
        return self.spread.shape[1]

    def natural(self, z: Array) -> Array:
        """Return the natural parameters ``(4n,)`` for parameters ``(r,)``."""
        return self.mean + self.spread @ z

    def nearest(self, z: Array) -> Array:
        """Return natural parameters ``(4n,)`` near the described ones, with positive masses.

        Every link keeps at least `LEAST_MASS` of its described mass; torques stay those of z.
        """
        n, m = len(self.mean) // 4, self.unknowns.shape[1]
        lower = np.full(m, -np.inf)
        lower[: 4 * n : 4] = (LEAST_MASS - 1.0) / EXPECTED.mass
        lower[4 * n] = 0.0
        A = np.vstack([self.seen / TORQUE_TOLERANCE, np.eye(m)])
        b = np.concatenate([z / TORQUE_TOLERANCE, np.zeros(m)])
        solver: Any = scipy("optimize").lsq_linear
        x = solver(A, b, (lower, np.inf), method="bvls").x
        return self.mean + self.unknowns @ np.asarray(x, np.float64)

    def regressor(self, q: Array) -> Array:
        """Return torques by natural parameter and direction, ``(N, 3, n, 4n)`` per m/s^2."""
        n, none = q.shape[1], np.zeros_like(q)
        seen = [10 * link + entry for link in range(n) for entry in range(4)]
        parts = [arm.regressor(q, none, none)[..., seen] for arm in self.arms]
        return np.stack(parts, axis=1)

    def columns(self, q: Array, joint: NDArray[np.int64], extra: Array) -> Array:
        """Return the torques of rows, ``(N, 3, r + 1)``: for gravity and for two tilts.

        The last column is the torque of the described arm with `extra`.

        Args:
            q: positions ``(N, n)``.
            joint: of each row ``(N,)``.
            extra: natural parameters ``(N, 4n)`` added to the described ones.
        """
        made = np.empty((len(q), 3, self.r + 1))
        for a in range(0, len(q), CHUNK):
            part = slice(a, a + CHUNK)
            Y = self.regressor(q[part])
            own = np.take_along_axis(Y, joint[part, None, None, None], axis=2)[:, :, 0]
            turned = np.einsum("dx,nxk->ndk", self.directions, own)
            made[part, :, :-1] = turned @ self.spread
            made[part, :, -1] = np.einsum("ndk,nk->nd", turned, self.mean + extra[part])
        return made

    def torques(self, q: Array, natural: Array, tilt: Array) -> Array:
        """Return the torques of all joints ``(N, n)`` at positions ``(N, n)`` [N m]."""
        direction = self.directions[0] + tilt @ self.directions[1:]
        Y = self.regressor(q)
        return np.einsum("x,nxjk,k->nj", direction, Y, natural)


def gravity_of(arm: Arm) -> Gravity:
    """Return the gravity parameters of a described arm, with their prior.

    Raises:
        InputError: the arm is described without masses or without gravity.
    """
    robot, n = arm.robot, arm.n
    masses = np.array([joint.mass for joint in robot.joints])
    if masses.sum() <= 0.0:
        raise InputError(
            f"{arm.name} is described without masses: a servo error shows ratios of torques, and "
            "needs rough masses to begin with. Describe them to a factor of two.",
            argument="arm",
        )
    g = np.array(robot.gravity)
    if not g.any():
        raise InputError(f"{arm.name} is described without gravity.", argument="arm")
    _, _, axes = np.linalg.svd(g[None, :])
    unit = [Arm(robot.with_joints(robot.joints, gravity=tuple(row))) for row in np.eye(3).tolist()]
    directions = np.asarray(np.vstack([g, np.linalg.norm(g) * axes[1:]]), np.float64)
    mean = np.concatenate([[j.mass, *(j.mass * np.array(j.com))] for j in robot.joints])
    none = np.zeros((4 * n, 0))
    empty = Gravity(mean, none, none, none, (unit[0], unit[1], unit[2]), directions)
    q = random_poses(arm, POSES, 0)
    Y = empty.regressor(q)
    spread = _spread(arm, empty, Y, q)
    seen = np.einsum("dx,nxjk->ndjk", directions, Y).reshape(-1, 4 * n) @ spread
    _, sizes, V = np.linalg.svd(seen, full_matrices=False)
    kept = V[sizes > RANK * sizes[0]]
    return Gravity(mean, spread @ kept.T, spread, kept, empty.arms, directions)


def random_poses(arm: Arm, count: int, seed: int, share: float = 1.0) -> Array:
    """Return random poses within a middle share of all limits; of a turn without limits."""
    joints = arm.robot.joints
    lower = np.maximum([j.lower for j in joints], -np.pi)
    upper = np.minimum([j.upper for j in joints], np.pi)
    middle, half = (lower + upper) / 2.0, share * np.maximum(upper - lower, 0.0) / 2.0
    return np.random.default_rng(seed).uniform(middle - half, middle + half, (count, arm.n))


def _spread(arm: Arm, gravity: Gravity, Y: Array, q: Array) -> Array:
    """Return one standard deviation of every unknown as natural parameters, ``(4n, m)``."""
    n, joints = arm.n, arm.robot.joints
    columns = list[Array]()
    smallest = 0.1 * sum(joint.mass for joint in joints) / n
    for i, joint in enumerate(joints):
        mass = max(joint.mass, smallest)
        column = np.zeros(4 * n)
        column[4 * i : 4 * i + 4] = EXPECTED.mass * mass * np.array([1.0, *joint.com])
        columns.append(column)
        for axis in range(3):
            column = np.zeros(4 * n)
            column[4 * i + 1 + axis] = EXPECTED.centre * mass
            columns.append(column)
    for entry, size in enumerate([1.0, *(3 * [EXPECTED.payload_at])]):
        column = np.zeros(4 * n)
        column[4 * (n - 1) + entry] = EXPECTED.payload * size
        columns.append(column)
    # a wrong zero changes torques almost as other first moments would
    flat = np.einsum("dx,nxjk->ndjk", gravity.directions[:1], Y).reshape(-1, 4 * n)
    inverse = np.asarray(scaled_pinv(flat))
    none = np.zeros(2)
    for j in range(n):
        step = np.zeros(n)
        step[j] = EXPECTED.zero
        change = gravity.torques(q + step, gravity.mean, none) - gravity.torques(
            q - step, gravity.mean, none
        )
        columns.append(inverse @ change.reshape(-1) / 2.0)
    return np.array(columns).T
