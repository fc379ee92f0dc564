"""Motions of arms as functions of time."""

from armdyn.motion._fourier import Fourier, resting, waves
from armdyn.motion._joint_space import JointSpace
from armdyn.motion._minimum_jerk import MinimumJerk
from armdyn.motion._straight_line import StraightLine
from armdyn.motion._time_optimal import TimeOptimal, TimeOptimalPaths, time_optimal
from armdyn.motion._tip_line import TipLine
from armdyn.motion._trajectory import Trajectory

__all__ = [
    "Fourier",
    "JointSpace",
    "MinimumJerk",
    "StraightLine",
    "TimeOptimal",
    "TimeOptimalPaths",
    "TipLine",
    "Trajectory",
    "resting",
    "time_optimal",
    "waves",
]
