"""`ProgramKey`: what names a program, in memory and on disk."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.programs.arguments import AUTO
from armdyn.robot.chain import FIXED, Chain

# Stands for the number of the tip, n + 1.
TIP = -1


@dataclass(frozen=True)
class ProgramKey:
    """A quantity of an arm by a method, with the options of the program.

    Attributes:
        chain: the constants of the robot.
        quantity: what to compute.
        method: a name from `methods(quantity)`, or "auto".
        frame: for quantities that take one: i for E_i, n + 1 for the tip.
        friction: whether the torques include joint friction, for quantities that depend on it.
        base: how the base moves, see `BASES`; the inputs that tell it follow the others.
    """

    chain: Chain
    quantity: str
    method: str = AUTO
    frame: int = TIP
    friction: bool = True
    base: str = FIXED

    def __post_init__(self) -> None:
        if self.frame == TIP:
            object.__setattr__(self, "frame", self.chain.n + 1)
