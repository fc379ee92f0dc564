"""toppra: time-optimal motions along splines, one path after another, without friction."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from logging import ERROR, getLogger
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.errors import MissingExtraError
from armdyn.motion.limits import limits_of

Array = NDArray[np.float64]


class Toppra:
    """toppra's Python module."""

    name = "toppra"

    def __init__(self) -> None:
        try:
            self._toppra: Any = import_module("toppra")
        except ImportError:
            raise MissingExtraError("toppra", "bench", "its times") from None
        getLogger("toppra").setLevel(ERROR)
        self.version = version("toppra")

    def speeds(
        self, arm: Arm, knots: Array, points: Array, grid: Array, both_ends: bool = True
    ) -> Array:
        """Return the rates of the path parameter along a path that begins and ends at rest.

        Args:
            arm: the arm; its limits of velocity and torque hold.
            knots: path parameter of every way-point, ``(K,)``.
            points: way-points of a natural cubic spline, ``(K, n)``.
            grid: path parameters at which rates are returned, ``(N,)``.
            both_ends: whether torques are limited at both ends of every piece, or only at the left.
        """
        limits, constraint = limits_of(arm, None, None, None), self._toppra.constraint
        kinds = constraint.DiscretizationType

        def torques(q: Array, qd: Array, qdd: Array) -> Array:
            return arm.inverse_dynamics(q, qd, qdd, friction=False)

        path = self._toppra.SplineInterpolator(knots, points, bc_type="natural")
        torque = constraint.JointTorqueConstraint(
            torques,
            np.stack([-limits.effort, limits.effort], axis=1),
            np.zeros(arm.n),
            discretization_scheme=kinds.Interpolation if both_ends else kinds.Collocation,
        )
        speed = constraint.JointVelocityConstraint(
            np.stack([-limits.velocity, limits.velocity], axis=1)
        )
        planner = self._toppra.algorithm.TOPPRA([speed, torque], path, gridpoints=grid)
        return planner.compute_parameterization(0.0, 0.0)[1]


def duration(grid: Array, speeds: Array) -> float:
    """Return the time along a path whose parameter changes at these rates, linear between nodes."""
    return float((2.0 * np.diff(grid) / (speeds[1:] + speeds[:-1])).sum())
