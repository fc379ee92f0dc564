"""Motions of arms as functions of time."""

from armdyn.motion.fourier import Fourier, resting, waves
from armdyn.motion.joint_space import JointSpace
from armdyn.motion.minimum_jerk import MinimumJerk
from armdyn.motion.optimal import TimeOptimal, TimeOptimalPaths, time_optimal
from armdyn.motion.straight_line import StraightLine, TipLine
from armdyn.motion.trajectory import Trajectory

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
