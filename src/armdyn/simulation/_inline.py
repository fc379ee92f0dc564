"""Programs as parts of other programs.

An integration step is compiled as a whole: the dynamics of its stages are inlined into one program.
Between the stages nothing is written to memory, and no new loop over states begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.graph import NODES, Program, Slot, evaluate
from armdyn.scalar import Scalar

Row = Sequence[Scalar]


def inlined(program: Program, inputs: Sequence[Row]) -> Row:
    """Return the results of a program as part of another."""
    return evaluate(program, [x for row in inputs for x in row], NODES)


def constant_slots(program: Program) -> list[Slot]:
    """Return the inputs of a quantity that are not states."""
    return [slot for slot in program.inputs if slot.name not in ("q", "qd", "tau")]


def constant_names(program: Program) -> list[str]:
    """Return the names of `constant_slots`."""
    return [slot.name for slot in constant_slots(program)]
