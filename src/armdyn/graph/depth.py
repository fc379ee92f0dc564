"""The critical paths of programs, straight-line and rolled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from armdyn.graph.interpret import Values
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.scalar import Op

# The critical path of a program: its length in operations if all that can run at once does.

# Operations that take a step; sines and cosines are on hand, and a change of sign is free.
STEPS = {Op.ADD: 1, Op.SUB: 1, Op.MUL: 1, Op.DIV: 1, Op.SQRT: 1}


def depth(program: Program) -> int:
    """Return the number of operations on the longest way from an input to a result."""
    at: list[int] = []
    for step in program.code:
        at.append(STEPS.get(step.op, 0) + max((at[arg] for arg in step.args), default=0))
    return max((at[k] for k in program.results), default=0)


# The critical path of a rolled program over all its joints.


class _Level(int):
    """How many operations come before a value; a constant, which is a float, has none."""


def depth_rolled(rolled: Rolled) -> int:
    """Return the number of operations on the longest way from an input to a result."""
    inputs = {slot.name: [_Level(0)] * slot.size for slot in rolled.inputs}
    values = Values(rolled, inputs, {op: _step(STEPS.get(op, 0)) for op in Op})
    for sweep in rolled.sweeps:
        values.sweep(sweep)
    written = (level for entries in values.written.values() for level in entries.values())
    return max((int(level) for level in written if isinstance(level, _Level)), default=0)


def _step(steps: int) -> Callable[..., Any]:
    def level(*values: Any) -> _Level:
        return _Level(steps + max((int(v) for v in values if isinstance(v, _Level)), default=0))

    return level
