"""Time-optimal motions beside toppra: without friction, which toppra has not in this form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.motion.optimal import time_optimal
from armdyn.motion.paths import splines
from arms import arm_named
from comparison.results import OURS, Planning, Times
from peers.toppra import Toppra, duration
from timing import Job, best_times

Array = NDArray[np.float64]

ARM = "ur5"
PIECES, WAY_POINTS = 100, 5
# Paths that toppra plans, one by one, for each batch of ours.
FEW = 4
# Durations may differ by this share: ours has more nodes, and holds its limits between them.
SAME = 0.05


def measure_planning(paths: int, seconds: float) -> Planning:
    """Return times a path, of a batch of paths and of toppra.

    Args:
        paths: in the batch.
        seconds: how long the comparison may take.

    Raises:
        MissingExtraError: toppra is not installed.
    """
    peer = Toppra()
    arm = arm_named(ARM)
    points = np.random.default_rng(0).uniform(-1.0, 1.0, (paths, WAY_POINTS, arm.n))
    options = {"nodes": PIECES, "friction": False}
    ours = time_optimal(arm, points, nodes=PIECES, friction=False)
    theirs = _durations(peer, arm, points[:FEW])
    off = float(np.abs(np.atleast_1d(ours.duration)[:FEW] / theirs - 1.0).max())
    jobs = {
        OURS: Job(time_optimal, (arm, points), paths, options),
        Toppra.name: Job(_durations, (peer, arm, points[:FEW]), min(FEW, paths)),
    }
    refused: dict[str, str] = {}
    if not off <= SAME:
        refused[Toppra.name] = f"durations differ by {off:.1%}"
        del jobs[Toppra.name]
    times = Times(best_times(jobs, seconds), refused)
    return Planning(ARM, arm.n, PIECES, paths, peer.version, off, times)


def _durations(peer: Toppra, arm: Arm, points: Array) -> Array:
    """Return the durations of toppra's motions, limits of torque at both ends of every piece."""
    grid, knots = np.linspace(0.0, 1.0, PIECES + 1), splines(points).knots
    paths = zip(knots, points, strict=True)
    return np.array([duration(grid, peer.speeds(arm, *path, grid)) for path in paths])
