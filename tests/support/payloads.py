"""Logs of arms with a load."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import armdyn
from armdyn import Arm, Load, Log
from armdyn.identification.payload.payload import loaded
from support.identification import example_robot, motion, recorded, small_arm

LOAD = Load(mass=2.0, com=(0.02, -0.01, 0.1), inertia=(0.008, 0.001, 0.0, 0.006, 0.0, 0.004))


@cache
def arm_called(name: str) -> Arm:
    if name == "small":
        return small_arm()
    if name == "panda":
        arm = armdyn.load(example_robot("panda_description/urdf/panda.urdf"), tip="panda_link8")
    else:
        arm = armdyn.load(name)
    drives = {"viscous": 0.5, "coulomb": 0.4, "offset": 0.1}
    return Arm(replace(arm.robot, joints=[replace(j, **drives) for j in arm.robot.joints]))


def pair(arm: Arm, seed: int = 3, noise: float = 0.05) -> tuple[Log, Log]:
    """Logs of one motion, with load and without."""
    held = recorded(loaded(arm, LOAD), seed=seed, noise=noise)
    rng = np.random.default_rng([seed, 7])
    states = motion(arm.n, held.t, seed)
    tau = arm.inverse_dynamics(*states) + noise * rng.normal(size=held.q.shape)
    return held, replace(held, tau=tau)
