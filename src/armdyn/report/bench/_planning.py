"""Time-optimal motions beside toppra: without friction, which toppra has not in this form."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from logging import ERROR, getLogger
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.errors import MissingExtraError
from armdyn.motion import time_optimal
from armdyn.motion.timing._limits import limits_of
from armdyn.motion.timing._paths import splines
from armdyn.report.bench._arms import arm_named
from armdyn.report.bench._clock import Job, best_times
from armdyn.report.bench._results import OURS, Planning, Times

Array = NDArray[np.float64]

ARM, PEER = "ur5", "toppra"
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
    peer = _toppra()
    arm = arm_named(ARM)
    points = np.random.default_rng(0).uniform(-1.0, 1.0, (paths, WAY_POINTS, arm.n))
    options = {"nodes": PIECES, "friction": False}
    ours = time_optimal(arm, points, nodes=PIECES, friction=False)
    theirs = _by_toppra(peer, arm, points[:FEW])
    off = float(np.abs(np.atleast_1d(ours.duration)[:FEW] / theirs - 1.0).max())
    jobs = {
        OURS: Job(time_optimal, (arm, points), paths, options),
        PEER: Job(_by_toppra, (peer, arm, points[:FEW]), min(FEW, paths)),
    }
    refused: dict[str, str] = {}
    if not off <= SAME:
        refused[PEER] = f"durations differ by {off:.1%}"
        del jobs[PEER]
    times = Times(best_times(jobs, seconds), refused)
    return Planning(ARM, arm.n, PIECES, paths, version(PEER), off, times)


def _toppra() -> Any:
    try:
        peer = import_module(PEER)
    except ImportError:
        raise MissingExtraError(PEER, "bench", "its times") from None
    getLogger(PEER).setLevel(ERROR)
    return peer


def _by_toppra(peer: Any, arm: Arm, points: Array) -> Array:
    """Return durations, limits of torque at both ends of every piece."""
    limits, paths = limits_of(arm, None, None, None), splines(points)
    constraint = peer.constraint
    both = constraint.DiscretizationType.Interpolation
    grid = np.linspace(0.0, 1.0, PIECES + 1)
    durations: list[float] = []

    def torques(q: Array, qd: Array, qdd: Array) -> Array:
        return arm.inverse_dynamics(q, qd, qdd, friction=False)

    for knots, way in zip(paths.knots, points, strict=True):
        path = peer.SplineInterpolator(knots, way, bc_type="natural")
        torque = constraint.JointTorqueConstraint(
            torques,
            np.stack([-limits.effort, limits.effort], axis=1),
            np.zeros(arm.n),
            discretization_scheme=both,
        )
        speed = constraint.JointVelocityConstraint(
            np.stack([-limits.velocity, limits.velocity], axis=1)
        )
        planner = peer.algorithm.TOPPRA([speed, torque], path, gridpoints=grid)
        sd = planner.compute_parameterization(0.0, 0.0)[1]
        durations.append(float((2.0 * np.diff(grid) / (sd[1:] + sd[:-1])).sum()))
    return np.array(durations)
