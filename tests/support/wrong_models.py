"""Arms whose parameters are known wrongly, and motions that show it: shared by the tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armdyn import Arm, motion


def wrong_model(arm: Arm, seed: int = 3, least: float = 0.4, most: float = 1.8) -> Arm:
    """The arm with masses, inertias and rotors off by factors, and its centres of mass moved."""
    rng = np.random.default_rng(seed)
    joints = []
    for joint in arm.robot.joints:
        f, r = rng.uniform(least, most, 2)
        joints.append(
            replace(
                joint, mass=f * joint.mass, inertia=tuple(f * x for x in joint.inertia),
                com=tuple(c * x for c, x in zip(joint.com, rng.uniform(0.6, 1.4, 3), strict=True)),
                rotor_inertia=r * joint.rotor_inertia,
            )
        )  # fmt: skip
    return Arm(replace(arm.robot, joints=joints))


def rich_motion(arm: Arm, duration: float, period: float = 5.0, seed: int = 3) -> motion.Fourier:
    """A motion of four harmonics that excites all parameters, around the middle of the limits."""
    rng = np.random.default_rng(seed)
    joints = arm.robot.joints
    centre = [0.5 * (max(j.lower, -2.0) + min(j.upper, 2.0)) for j in joints]
    a, b = 0.4 * rng.normal(size=(2, 4, arm.n)) / np.arange(1, 5)[:, None] ** 0.5
    return motion.Fourier(centre, a, b, duration, repeats=round(duration / period))
