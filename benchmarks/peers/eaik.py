"""EAIK: all solutions of inverse kinematics, by decomposition into subproblems."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.errors import InputError, MissingExtraError
from armdyn.kinematics.turns import Branches

Array = NDArray[np.float64]

# Solutions whose joints differ by less [rad] are the same.
SAME = 1e-6


class EAIK:
    """EAIK's Python module."""

    name = "EAIK"
    note = "all solutions, one pose per call from Python; batches by `IK_batched` on one thread"

    def __init__(self) -> None:
        try:
            self._robot: Any = import_module("eaik.IK_HP").HPRobot
        except ImportError:
            raise MissingExtraError("eaik", "bench", "the comparison with EAIK") from None
        self.version = version("eaik")

    def arm(self, arm: Arm, locked: tuple[int, float] | None = None) -> EAIKArm:
        """Return an arm in EAIK, one joint locked at a position; an error if it is not solved."""
        if not all(joint.is_revolute for joint in arm.robot.joints):
            raise InputError(f"robot {arm.name!r} has sliding joints, which EAIK does not take.")
        zero = np.zeros(arm.n)
        origins = [arm.pose(zero, i)[:3, 3] for i in range(1, arm.n + 1)]
        tip = arm.pose(zero)
        points = np.array([np.zeros(3), *origins, tip[:3, 3]])
        axes = arm.jacobian(zero)[3:].T
        robot = self._robot(axes, np.diff(points, axis=0), fixed_axes=[locked] if locked else [])
        if not robot.hasKnownDecomposition():
            raise InputError(f"robot {arm.name!r} is not decomposed by EAIK.")
        return EAIKArm(robot, tip[:3, :3])


class EAIKArm:
    """An arm in EAIK, whose tip is not turned at zero."""

    def __init__(self, robot: Any, turn: Array) -> None:
        self._robot, self._turn = robot, turn

    def seen(self, poses: Array) -> Array:
        """Return poses ``(N, 4, 4)`` as EAIK takes them."""
        given = poses.copy()
        given[:, :3, :3] = given[:, :3, :3] @ self._turn.T
        return given

    def one_by_one(self, poses: Array) -> list[Any]:
        """Return the solutions of poses, one pose after another."""
        return [self._robot.IK(pose) for pose in poses]

    def batch(self, poses: Array) -> Any:
        """Return the solutions of poses, all in one call."""
        return self._robot.IK_batched(poses, 1)

    def same_sets(self, poses: Array, found: Branches) -> int:
        """Return how many poses have the same set of solutions here and in our branches."""
        same = 0
        for k, theirs in enumerate(self.one_by_one(self.seen(poses))):
            Q = np.atleast_2d(np.array(theirs.Q))[~np.array(theirs.is_LS, dtype=bool)]
            ours = found.q[k][found.valid[k]][:, : Q.shape[-1]]
            away = (ours[:, None] - Q[None] + np.pi) % (2.0 * np.pi) - np.pi
            off = np.abs(away).max(axis=-1)
            each = (off.min(axis=axis, initial=np.inf) < SAME for axis in (0, 1))
            same += all(bool(x.all()) for x in each)
        return same
