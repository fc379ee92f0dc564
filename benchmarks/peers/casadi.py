"""CasADi: our program in its virtual machine, one state per call, and mapped over many states."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.errors import MissingExtraError
from armdyn.graph.program import Slot
from peers.peer import Array, Offer, Parts, Task, one_by_one, parts_of
from timing import Job

# States that are mapped in one call; the virtual machine takes some microseconds per state.
MAPPED = 200


class CasADi:
    """CasADi's Python module."""

    name = "CasADi"
    note = "our traced program as a casadi.Function in its virtual machine; batches by `map`"

    def __init__(self) -> None:
        try:
            self.version = str(import_module("casadi").__version__)
        except ImportError:
            raise MissingExtraError("casadi", "casadi", "the comparison with CasADi") from None

    def arm(self, arm: Arm) -> _CasADiArm:
        """Return an object that makes functions; CasADi gets programs, not arms."""
        return _CasADiArm()


class _CasADiArm:
    def offers(self, task: Task) -> list[Offer]:
        """Return the function and its map."""
        function: Any = task.function.casadi()
        slots = task.function.program.outputs
        shapes = {slot.name: slot.shape for slot in slots}
        count = min(MAPPED, len(task.states[0]))
        mapped = function.map(count)
        first = [state[0].copy() for state in task.states]
        columns = [np.asfortranarray(state[:count].T) for state in task.states]

        def one(*state: Array) -> tuple[Array, ...]:
            return tuple(np.array(part) for part in parts_of(function(*state)))

        def many() -> Parts:
            given = zip(parts_of(mapped(*columns)), slots, strict=True)
            return tuple(_unmapped(np.array(part), slot, count) for part, slot in given)

        return [
            Offer("one", Job(function, first), lambda: one_by_one(one, task.states, shapes)),
            Offer("batch", Job(mapped, columns, count), many),
        ]


def _unmapped(array: Array, slot: Slot, count: int) -> Array:
    """Convert results that stand side by side to a batch."""
    rows = slot.shape[0]
    if len(slot.shape) == 1:
        return np.ascontiguousarray(array.T)
    return np.ascontiguousarray(array.reshape(rows, count, slot.shape[1]).transpose(1, 0, 2))
