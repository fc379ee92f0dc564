"""Straight lines of the tip as paths of joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import checked_array, checked_positive, checked_whole
from armdyn.arm import Arm, checked_pose, checked_start
from armdyn.errors import InputError, shown
from armdyn.motion._line import Line, check_length, splines_along

Array = NDArray[np.float64]


class TipLine:
    """A straight line of the tip, turning about one axis, as a path q(s) for `time_optimal`.

    s is the share of the line, from 0 to 1. Of several solutions of inverse kinematics, the path
    keeps the one it begins with.

    Examples:
        >>> from armdyn.motion import TipLine, time_optimal
        >>> arm = armdyn.load("puma560")
        >>> start = np.array([0.3, -0.5, 3.0, 0.3, 0.8, 0.2])
        >>> goal = arm.pose(start)
        >>> goal[2, 3] -= 0.2
        >>> line = TipLine(arm, start, goal)
        >>> motion = time_optimal(arm, line, velocity=2.0, effort=100.0)
        >>> bool(abs(arm.pose(motion.q(motion.duration)) - goal).max() < 1e-6)
        True

    Attributes:
        start: joint positions at which it begins, ``(n,)``.
        goal: joint positions at which it ends, ``(n,)``.
        deviation: largest distance from the line, and angle from its rotation [m or rad].
    """

    def __init__(
        self, arm: Arm, start: ArrayLike, pose: ArrayLike, *, tolerance: float = 1e-6
    ) -> None:
        """Follow the line with the arm's inverse kinematics.

        Args:
            arm: the arm.
            start: joint positions at which it begins, ``(n,)``.
            pose: of the tip, at which it ends, ``(4, 4)``.
            tolerance: largest deviation from the line [m] and from its rotation [rad].

        Raises:
            UnreachedError: the arm cannot follow the line; the message says how far it got.
            NumericalError: the line passes a singular position too closely to be followed.
        """
        if not isinstance(arm, Arm):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"`arm` is {shown(arm)}, expected an armdyn.Arm.", argument="arm")
        self.start = checked_start(arm.robot.joints, start)
        line = Line(arm.pose(self.start), checked_pose("pose", pose))
        check_length(line)
        allowed = checked_positive(tolerance, "tolerance")
        self._splines, self.deviation = splines_along(arm, line, self.start, allowed)
        self.goal = np.asarray(self._splines[0](1.0), dtype=np.float64)

    def __call__(self, s: ArrayLike, derivative: int = 0) -> Any:
        """Return q, or its first or second derivative by s, at places ``(...)``.

        Examples:
            >>> arm = armdyn.load("puma560")
            >>> start = np.array([0.3, -0.5, 3.0, 0.3, 0.8, 0.2])
            >>> goal = arm.pose(start)
            >>> goal[2, 3] -= 0.2
            >>> line = armdyn.motion.TipLine(arm, start, goal)
            >>> line([0.0, 0.5, 1.0]).shape, line(0.5, 1).shape
            ((3, 6), (6,))
        """
        places = checked_array(s, "s", what="places from 0 to 1")
        return self._splines[checked_whole(derivative, "derivative", 0, 2)](places)

    def __repr__(self) -> str:
        return f"<TipLine: {len(self.start)} joints, {self.deviation:.1g} off the line>"
