"""Functions called with Dask arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from armdyn.arm._arguments import check_state_shape, checked_state, common_lead, is_lazy
from armdyn.arm.lazy._arrays import applied, checked_lazy, refuse_out
from armdyn.arm.lazy._task import BlockTask
from armdyn.kernel import wanted_threads

if TYPE_CHECKING:
    from armdyn.arm._function import Function


def lazy_call(f: Function, states: Sequence[Any], out: object, threads: int | None) -> Any:
    """Return the result of a function for states of which some are Dask arrays, lazily.

    Blocks are evaluated by one thread each, unless `threads` is given: Dask works on several
    blocks at once.
    """
    refuse_out(out)
    wanted_threads(threads)
    slots = f.program.inputs
    arrays: list[Any] = []
    for state, slot in zip(states, slots, strict=True):
        n = slot.shape[0]
        if is_lazy(state):
            what = f"real numbers of shape (..., {n}) for robot {f.robot!r}"
            arrays.append(checked_lazy(state, slot.name, what, f.dtype))
            check_state_shape(state.shape, slot.name, n, f.robot)
        else:
            arrays.append(checked_state(state, slot.name, n, f.robot, f.dtype))
    lead = common_lead(arrays, [slot.name for slot in slots])
    task = BlockTask(f.quantity, f, {"threads": 1 if threads is None else threads})
    outputs = [(slot.shape, f.dtype) for slot in f.program.outputs]
    results = applied(task, arrays, [slot.shape for slot in slots], outputs, lead)
    return results[0] if len(results) == 1 else tuple(results)
