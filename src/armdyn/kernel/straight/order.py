"""The order in which the steps of a program are emitted, and when their values are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from armdyn.graph.program import Instruction
from armdyn.kernel.ir.operations import Step, angles_by_level, backward_slice
from armdyn.kernel.straight.store import Store
from armdyn.scalar import Op


class Round(NamedTuple):
    """Steps, and the angles whose sines and cosines are emitted together after them."""

    steps: list[int]
    angles: list[int]


Steps: TypeAlias = Sequence[Step | None]

# Orders steps, given by index; a step comes after the steps that it depends on.
Arrange: TypeAlias = Callable[[Steps, list[int]], list[int]]


def rounds(steps: Steps, arrange: Arrange | None = None) -> list[Round]:
    """Return all steps in the order in which they are emitted; the last round has no angles.

    Args:
        steps: the steps of the program.
        arrange: orders the last round; default is the order of the program.
    """
    found: list[Round] = []
    known: set[int] = set()
    ready: list[int] = []
    for angles in angles_by_level(steps):
        needed = backward_slice(steps, angles, known.union(ready))
        found.append(Round(ready + sorted(needed), angles))
        known.update(found[-1].steps)
        of_these = set(angles)
        ready = [
            k
            for k, step in enumerate(steps)
            if step is not None and is_trig(step) and step.args[0] in of_these and k not in known
        ]
    known.update(ready)
    rest = [k for k, step in enumerate(steps) if step is not None and k not in known]
    return [*found, Round(ready + (arrange(steps, rest) if arrange else rest), [])]


def early(stores: Iterable[Store]) -> Arrange:
    """Return an order that stores as early as possible: stores that need the fewest steps first.

    Otherwise all stores could come after the last few steps, and stores take long if no computation
    is left to overlap with them.
    """
    return lambda steps, rest: _by_stores(steps, rest, stores)


def _by_stores(steps: Steps, rest: list[int], stores: Iterable[Store]) -> list[int]:
    """Return the steps in the order in which stores need them."""
    needs: dict[int, int] = {}  # bit set of the steps in `rest` that a step needs, with itself
    for at, k in enumerate(rest):
        step = steps[k]
        assert step is not None
        needs[k] = 1 << at
        for arg in step.args:
            needs[k] |= needs.get(arg, 0)
    cones: list[int] = []
    for store in stores:
        cones.append(0)
        for k in store.results:
            cones[-1] |= needs.get(k, 0)
    order: list[int] = []
    done = 0
    for needed in [*sorted(cones, key=int.bit_count), (1 << len(rest)) - 1]:
        new = needed & ~done
        done |= new
        while new:
            first = new & -new
            order.append(rest[first.bit_length() - 1])
            new ^= first
    return order


def min_live(steps: Steps, rest: list[int]) -> list[int]:
    """Return steps in an order with fewer live values: next is the step that ends most of them.

    Ties go to the step that is first in the program. Constants are never live, and come first.
    """
    order = [k for k in rest if _is_const(steps[k])]
    rest = [k for k in rest if not _is_const(steps[k])]
    readers: dict[int, list[int]] = {}
    missing: dict[int, int] = {}
    inside = set(rest)
    for k in rest:
        args = _values_read(steps, k)
        missing[k] = sum(arg in inside for arg in args)
        for arg in args:
            readers.setdefault(arg, []).append(k)
    left = {value: len(found) for value, found in readers.items()}

    def growth(k: int) -> int:
        """How many more values are live after a step."""
        return (k in readers) - sum(left[arg] == 1 for arg in _values_read(steps, k))

    waiting = sorted((growth(k), k) for k in rest if not missing[k])
    done: set[int] = set()
    while waiting:
        k = heappop(waiting)[1]
        if k in done:
            continue
        done.add(k)
        order.append(k)
        for arg in _values_read(steps, k):
            left[arg] -= 1
            if left[arg] == 1:
                last = next(reader for reader in readers[arg] if reader not in done)
                if not missing[last]:
                    heappush(waiting, (growth(last), last))
        for reader in readers.get(k, ()):
            missing[reader] -= 1
            if not missing[reader]:
                heappush(waiting, (growth(reader), reader))
    return order


def _values_read(steps: Steps, k: int) -> list[int]:
    """Return the values that a step reads, except constants."""
    step = steps[k]
    assert step is not None
    return [] if is_trig(step) else [x for x in dict.fromkeys(step.args) if not _is_const(steps[x])]


def _is_const(step: Step | None) -> bool:
    return isinstance(step, Instruction) and step.op is Op.CONST


def is_trig(step: Step) -> bool:
    """Return whether a step is a sine or cosine."""
    return isinstance(step, Instruction) and step.op in (Op.SIN, Op.COS)


def read_times(
    steps: Steps, order: Iterable[Round], stores: Iterable[Store]
) -> dict[int, list[int]]:
    """Return when steps, angles and stores read each value; time is counted in steps."""
    reads: dict[int, list[int]] = {}
    made: dict[int, int] = {}
    for batch in order:
        for k in batch.steps:
            made[k] = len(made)
            step = steps[k]
            if step is not None and not is_trig(step):
                for arg in dict.fromkeys(step.args):
                    reads.setdefault(arg, []).append(made[k])
        for angle in batch.angles:
            reads.setdefault(angle, []).append(len(made))
    for store in stores:
        ready = max(made[k] for k in store.results)
        for k in dict.fromkeys(store.results):
            reads.setdefault(k, []).append(ready)
    return {k: sorted(times) for k, times in reads.items()}
