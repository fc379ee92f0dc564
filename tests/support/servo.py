"""A closed-form position servo: logs of an SO-101 whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import armdyn
from armdyn.arm.arm import Arm
from armdyn.log.log import Log
from armdyn.servo.prior import random_poses

STIFFNESS = 8.5  # N m/rad, of all servos; nominal are 7.8
FRICTION, LAG, NOISE = 0.02, 0.08, 0.0005  # rad, s, rad


@cache
def described() -> Arm:
    return armdyn.load("so101")


@cache
def true_arm(extra: float = 0.0) -> Arm:
    """Return the arm as it is: other masses, and `extra` [kg] at the origin of the tip frame."""
    robot = described().robot
    factors = (1.0, 1.3, 0.8, 1.2, 1.25, 0.9)
    joints = [
        replace(j, mass=f * j.mass, inertia=tuple(f * x for x in j.inertia))
        for f, j in zip(factors, robot.joints, strict=True)
    ]
    if extra:
        last, tip = joints[-1], np.asarray(robot.tool)[:3, 3]
        mass = last.mass + extra
        com = (last.mass * np.array(last.com) + extra * tip) / mass
        joints[-1] = replace(last, mass=mass, com=tuple(com))
    return Arm(robot.with_joints(joints))


@cache
def made_log(
    extra: float = 0.0,
    seed: int = 0,
    poses: int = 20,
    integral: float = 0.0,
    spring: float = 0.0,
    share: float = 0.8,
) -> Log:
    """Return a log of poses: the goals follow from positions and the law of the servos.

    Args:
        extra: mass [kg] at the origin of the tip frame.
        seed: of the poses.
        poses: their number.
        integral: time of an I term [s]; 0 without.
        spring: servo error per position, of cables [rad/rad].
        share: of all ranges that the poses are in.
    """
    arm, rng, step = described(), np.random.default_rng(seed), 0.02
    places = random_poses(arm, poses, seed, share)
    parts, at = [np.tile(places[0], (25, 1))], places[0]
    for place in places[1:]:
        count = max(int(float(np.abs(place - at).max()) / 0.4 / step), 10)
        x = np.linspace(0.0, 1.0, count)[:, None]
        parts += [at + (x * x * (3.0 - 2.0 * x)) * (place - at), np.tile(place, (35, 1))]
        at = place
    q = np.concatenate(parts)
    t = step * np.arange(len(q))
    qd = np.gradient(q, t, axis=0)
    side = np.where(np.abs(qd) > 1e-3, np.sign(qd), np.nan)
    for i in range(1, len(side)):
        side[i] = np.where(np.isnan(side[i]), side[i - 1], side[i])
    side = np.where(np.isnan(side), 0.0, side)
    error = true_arm(extra).gravity(q) / STIFFNESS + side * FRICTION + LAG * qd + spring * q
    if integral:  # e + integral of e / T is what a servo without I term would have
        wanted, total = error, np.zeros(arm.n)
        error = np.empty_like(wanted)
        for i, w in enumerate(wanted):
            error[i] = (w - total / integral) / (1.0 + step / integral)
            total += step * error[i]
    noise = NOISE * rng.standard_normal(q.shape)
    return Log(t, q, q_cmd=q + error + noise, joint_names=arm.joint_names)
