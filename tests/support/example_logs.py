"""Small logs that examples of docstrings read: files in the folder in which they run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import armdyn
from armdyn.identification.payload.payload import loaded
from support.servo import made_log

NOISE = 0.02  # [N m]
GAINS = np.array([2.0, 3.0])  # [N m/A]
LOAD = armdyn.Load(mass=1.5, com=(0.1, 0.0, 0.0))


def _log(arm: armdyn.Arm, seed: int, currents: bool = False) -> armdyn.Log:
    """Return eight seconds of a motion of two joints, torques with noise."""
    t = np.arange(800) / 100.0
    w = np.array([[2.0, 2.6], [3.2, 4.1], [4.7, 1.3]])
    phase = np.array([[0.0, 1.0], [2.0, 0.5], [1.0, 3.0]])
    angle = w * t[:, None, None] + phase
    q = 0.4 * np.sin(angle).sum(axis=1)
    qd = 0.4 * (w * np.cos(angle)).sum(axis=1)
    qdd = -0.4 * (w**2 * np.sin(angle)).sum(axis=1)
    tau = arm.inverse_dynamics(q, qd, qdd)
    tau = tau + NOISE * np.random.default_rng(seed).normal(size=tau.shape)
    if currents:
        return armdyn.Log(t=t, q=q, tau=tau / GAINS, effort="current", joint_names=arm.joint_names)
    return armdyn.Log(t=t, q=q, tau=tau, joint_names=arm.joint_names)


@cache
def _logs() -> dict[str, armdyn.Log]:
    arm = armdyn.load("planar2")
    held = loaded(arm, LOAD)
    return {
        "run.csv": _log(arm, 1),
        "held.csv": _log(held, 2),
        "current.csv": _log(arm, 3, currents=True),
        "servo.csv": made_log(),
        "current_held.csv": _log(held, 4, currents=True),
    }


def write_example_logs(folder: Path) -> None:
    """Write the logs of the bundled arm planar2 into a folder."""
    for name, log in _logs().items():
        log.save(folder / name)
