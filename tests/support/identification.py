"""A small arm, its motions and its logs: shared by the tests of identification."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from armdyn import Arm, Joint, Log, Robot


@cache
def small_arm(described: bool = True) -> Arm:
    """Three joints: about the vertical, and two across it."""
    links = [
        {"mass": 3.0, "com": (0.02, 0.01, 0.1), "inertia": (0.05, 0.001, 0.0, 0.05, 0.0, 0.02)},
        {"mass": 2.0, "com": (0.2, 0.01, 0.0), "inertia": (0.01, 0.0, 0.001, 0.04, 0.0, 0.04)},
        {"mass": 1.0, "com": (0.15, -0.02, 0.01), "inertia": (0.003, 0.0, 0.0, 0.012, 0.0, 0.01)},
    ]
    drives = [
        {"viscous": 0.8, "coulomb": 1.0, "offset": 0.2},
        {"viscous": 0.6, "coulomb": 0.9, "offset": -0.3},
        {"viscous": 0.3, "coulomb": 0.4, "offset": 0.1},
    ]
    places = [{"d": 0.3}, {"beta": -np.pi / 2}, {"b": 0.4}]
    rows = zip(places, links if described else [{}] * 3, drives, strict=True)
    return Arm(Robot([Joint(**a, **b, **c) for a, b, c in rows], name="small"))


def motion(n: int, t: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A periodic motion of five harmonics of 0.1 Hz, and its derivatives."""
    rng = np.random.default_rng([seed, n])
    w = 2 * np.pi * 0.1 * np.arange(1, 6)
    a, b = rng.normal(size=(2, 5, n)) * 0.35 / np.arange(1, 6)[:, None] ** 0.5
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    return s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b


def recorded(
    arm: Arm,
    *,
    duration: float = 20.0,
    rate: float = 200.0,
    seed: int = 0,
    noise: float = 0.05,
    encoder: float = 1e-5,
) -> Log:
    """A log of the arm, with noise."""
    rng = np.random.default_rng([seed, 1])
    t = np.arange(int(duration * rate)) / rate
    q, qd, qdd = motion(arm.n, t, seed)
    tau = arm.inverse_dynamics(q, qd, qdd) + noise * rng.normal(size=q.shape)
    return Log(t=t, q=q + encoder * rng.normal(size=q.shape), tau=tau, joint_names=arm.joint_names)


def with_torque(log: Log, tau: np.ndarray) -> Log:
    """The log with other torques."""
    return replace(log, tau=tau)


def true_values(arm: Arm, rotor: bool = True) -> np.ndarray:
    """The values of the columns of `identify` with common friction, with rotors or without."""
    friction = [x for j in arm.robot.joints for x in (j.viscous, j.coulomb, j.offset)]
    return np.concatenate([arm.minimal_with(rotor=rotor).values, friction])


def example_robot(name: str) -> Path:
    """A file of the package example-robot-data; the test is skipped where it is not installed."""
    for folder in sys.path:
        path = Path(folder, "cmeel.prefix/share/example-robot-data/robots", name)
        if path.is_file():
            return path
    pytest.skip(f"{name} is not installed: pip install example-robot-data")
