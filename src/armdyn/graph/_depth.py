"""The critical path of a program: its length in operations if all that can run at once does."""

from __future__ import annotations

from armdyn.graph._program import Program
from armdyn.scalar import Op

STEPS = {Op.ADD: 1, Op.SUB: 1, Op.MUL: 1, Op.DIV: 1, Op.SQRT: 1}
"""Operations that take a step; sines and cosines are on hand, and a change of sign is free."""


def depth(program: Program) -> int:
    """Return the number of operations on the longest way from an input to a result."""
    at: list[int] = []
    for step in program.code:
        at.append(STEPS.get(step.op, 0) + max((at[arg] for arg in step.args), default=0))
    return max((at[k] for k in program.results), default=0)
