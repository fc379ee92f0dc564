"""Inverse kinematics at poses where things coincide: multiples of right angles, and just beside.

Every branch that is returned reaches its pose; a pose that joint positions have is reached.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import numpy as np

import armdyn
from armdyn import Arm
from fuzz._finding import check, must
from support.arms import SKEW_WRISTS, wrist_arm

ARMS = (
    "ur5", "ur10", "puma560", "scara", "stanford", "so100", "z1", "planar3", "panda",
    *SKEW_WRISTS,
)  # fmt: skip
ANGLES = (np.pi / 2, np.pi / 4, np.pi / 6, np.pi / 3, np.pi)
# How far branches may be from their pose [m, rad]: at singular ones, half of the digits are lost.
REACHED = 1e-6
ODD = (
    *18 * [""], "nan", "far", "scaled", "mirrored", "sheared", "shape", "text", "empty", "huge",
)  # fmt: skip


@dataclass
class Case:
    """Joint positions of poses, and what is odd about the poses."""

    arm: str
    q: np.ndarray
    odd: str
    search: bool


@cache
def arm_of(name: str) -> Arm:
    """Return a bundled arm, or one with a skew wrist."""
    return wrist_arm(SKEW_WRISTS[name]) if name in SKEW_WRISTS else armdyn.load(name)


def case(rng: random.Random, target: str) -> Case:
    """Draw poses."""
    name = rng.choice(ARMS)
    arm, numbers = arm_of(name), np.random.default_rng(rng.getrandbits(32))
    shape = (*rng.choice([(), (), (), (2,), (4,)]), arm.n)
    step = rng.choice(ANGLES)
    q = step * numbers.integers(-4, 5, shape)
    free = numbers.uniform(-3, 3, shape)
    q = np.where(numbers.random(shape) < rng.choice([0.0, 0.0, 0.3, 1.0]), free, q)
    if rng.random() < 0.4:
        q = q + 10.0 ** rng.randint(-12, -3) * numbers.normal(size=shape)
    sliding = [not joint.is_revolute for joint in arm.robot.joints]
    q = np.where(sliding, 0.1 + np.abs(q) / 10, q)
    return Case(name, q, rng.choice(ODD), rng.random() < 0.03)


def run(case: Case) -> None:
    """Solve for poses."""
    arm = arm_of(case.arm)
    poses = arm.pose(case.q)
    if case.odd:
        poses = _odd(poses, case.odd)
        found = arm.inverse_kinematics_all(poses)
        check(case.odd in ("far", "empty", "huge"), f"{case.odd} poses are accepted")
        check(not found.valid.any(), "a pose far away is reached")
        return
    with must("poses of joint positions"):
        found = arm.inverse_kinematics_all(poses, limits=False)
    check(np.isfinite(found.q[found.valid]).all(), "a branch is not finite")
    apart = np.abs(
        arm.pose(np.where(found.valid[..., None], found.q, 0.0)) - poses[..., None, :, :]
    )
    worst = np.where(found.valid, apart.max(axis=(-2, -1)), 0.0).max(initial=0.0)
    check(worst < REACHED * 10, f"a branch is {worst:.3g} from its pose")
    if arm.n < 7:  # of seven joints, one is tried at some positions only
        check(found.valid.any(axis=-1).all(), f"no branch of {case.arm} at {case.q.tolist()}")
    if case.search and case.q.ndim == 1 and arm.n <= 6:
        low = np.array([joint.lower for joint in arm.robot.joints])
        high = np.array([joint.upper for joint in arm.robot.joints])
        if (case.q < low).any() or (case.q > high).any():
            return
        with must("the pose of joint positions within limits"):
            q = arm.inverse_kinematics(poses, start=case.q)
        check(np.abs(arm.pose(q) - poses).max() < REACHED, "the positions do not reach the pose")


def _odd(poses: np.ndarray, odd: str) -> object:
    poses = poses.copy()
    match odd:
        case "nan":
            poses[..., 0, 3] = np.nan
        case "far":
            poses[..., :3, 3] += 1e3
        case "huge":
            poses[..., :3, 3] = 1e200
        case "scaled":
            poses[..., :3, :3] *= 1.01
        case "mirrored":
            poses[..., :3, 0] *= -1
        case "sheared":
            poses[..., 0, 1] += 0.3
        case "shape":
            return poses[..., :3, :]
        case "text":
            return "pose"
        case _:
            return np.zeros((0, 4, 4))
    return poses
