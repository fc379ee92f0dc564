"""Count the operations of a program."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from armdyn.graph.program import Program
from armdyn.scalar import Op


@dataclass(frozen=True, order=True)
class Operations:
    """The operation counts of a program; a change of sign is free, as in the papers.

    Counts are ordered by multiplications, then additions.

    Attributes:
        mul: number of multiplications.
        add: number of additions and subtractions.
        div: number of divisions.
        sqrt: number of square roots.
        trig: number of sines and cosines.

    Examples:
        >>> counted = armdyn.load("planar2").function("gravity").operations
        >>> counted.multiplications, counted.additions
        (6, 2)
        >>> print(counted)
        6M 2A
    """

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0

    @property
    def multiplications(self) -> int:
        """Multiplications and divisions: M in the papers."""
        return self.mul + self.div

    @property
    def additions(self) -> int:
        """Additions and subtractions: A in the papers."""
        return self.add

    def __str__(self) -> str:
        parts = [f"{self.multiplications}M", f"{self.add}A"]
        parts += [f"{self.sqrt} sqrt"] if self.sqrt else []
        return " ".join(parts)


def count(program: Program) -> Operations:
    """Count the operations of a program."""
    n = Counter(step.op for step in program.code)
    return Operations(
        mul=n[Op.MUL],
        add=n[Op.ADD] + n[Op.SUB],
        div=n[Op.DIV],
        sqrt=n[Op.SQRT],
        trig=n[Op.SIN] + n[Op.COS],
    )
