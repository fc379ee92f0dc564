"""The critical path of a rolled program over all its joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from armdyn.graph._depth import STEPS
from armdyn.graph.rolled._interpret import Values
from armdyn.graph.rolled._rolled import Rolled
from armdyn.scalar import Op


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
