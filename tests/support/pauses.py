"""Logs of an arm that moves from pose to pose and stands in each."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from armdyn import Arm, Log
from armdyn.control.levels import dry_friction

# Rows a second, and how long it moves and stands [s].
RATE, MOVE, PAUSE = 200.0, 1.5, 2.0


def paused(arm: Arm, *, poses: int = 12, seed: int = 0, noise: float = 0.05) -> Log:
    """A log from one random pose to the next; a joint that stands holds part of its friction."""
    rng = np.random.default_rng([seed, 2])
    still, x = np.zeros(int(PAUSE * RATE)), np.arange(int(MOVE * RATE)) / (MOVE * RATE)
    way = np.concatenate([still, 10.0 * x**3 - 15.0 * x**4 + 6.0 * x**5])[:, None]
    at = rng.uniform(-1.2, 1.2, (poses + 1, arm.n))
    q = np.concatenate([a + way * (b - a) for a, b in pairwise(at)])
    held = np.repeat(rng.uniform(-1.0, 1.0, (poses, arm.n)) * dry_friction(arm), len(way), axis=0)
    t = np.arange(len(q)) / RATE
    qd = np.gradient(q, t, axis=0)
    rigid = arm.inverse_dynamics(q, qd, np.gradient(qd, t, axis=0), friction=False)
    tau = rigid + np.where(np.abs(qd) < 1e-9, held, arm.friction(qd))
    encoder, torque = rng.normal(size=(2, *q.shape))
    return Log(t=t, q=q + 1e-5 * encoder, tau=tau + noise * torque, joint_names=arm.joint_names)
