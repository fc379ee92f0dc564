"""What is asked for, the same for all paths."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.arm import Arm
from armdyn.motion.timing._limits import Limits


@dataclass(frozen=True)
class Question:
    """What is asked for, the same for all paths.

    Attributes:
        arm: the arm.
        limits: of its joints.
        friction: whether friction counts.
        tolerance: largest excess, as a share of a limit.
        start: speed along the path at the start.
        end: and at the end.
    """

    arm: Arm
    limits: Limits
    friction: bool
    tolerance: float
    start: float
    end: float
