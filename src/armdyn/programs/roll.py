"""Trace functions of one joint into a `Rolled` program, the same for all joints.

A step is traced with symbolic constants and then specialised:

- A constant that is the same at all joints becomes a literal in the program.
- A value that depends only on constants is computed here, joint by joint, and becomes a column of
  the table (`hoist`).
- A carried or kept value that is the same number at all joints becomes a literal: if no link has
  mass, nothing is computed with masses. A carry is assumed to be its start value until a step
  contradicts this.
- A kept or carried value that is never read is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from armdyn.algorithms.rolled.sweeps import Step, Sweeps
from armdyn.algorithms.rolled.sweeps import Sweep as SweepSteps
from armdyn.graph.program import Instruction, Program, Slot
from armdyn.graph.rolled import Rolled, Sweep, place_and_name, verify_rolled
from armdyn.graph.simplify import hoist, simplify
from armdyn.graph.trace import trace
from armdyn.scalar import Node, Op, Scalar, symbol

# One number of a slot: the slot's name, "place:name", and an index.
Label: TypeAlias = tuple[str, int]

TABLE = "constant:joint"


@dataclass(frozen=True)
class _Traced:
    """A step; input k of its program is ``reads[k]``, result k is ``writes[k]``."""

    program: Program
    reads: tuple[Label, ...]
    writes: tuple[Label, ...]

    @property
    def read(self) -> set[Label]:
        """The labels that the program actually reads."""
        used = (int(step.value) for step in self.program.code if step.op is Op.INPUT)
        return {self.reads[k] for k in used}

    def without(self, dead: Callable[[Label], bool]) -> _Traced:
        """Return the step without its dead results."""
        kept = [k for k, label in enumerate(self.writes) if not dead(label)]
        if len(kept) == len(self.writes):
            return self
        results = tuple(self.program.results[k] for k in kept)
        program = simplify(replace(self.program, results=results))
        return replace(self, program=program, writes=tuple(self.writes[k] for k in kept))


@dataclass(frozen=True)
class _TracedSweep:
    steps_of: SweepSteps
    steps: tuple[_Traced, ...]  # the step and, if there is one, the column step

    @property
    def read(self) -> set[Label]:
        return set[Label]().union(*(step.read for step in self.steps))


def roll(
    name: str,
    inputs: Sequence[Slot],
    outputs: Sequence[Slot],
    sweeps: Sweeps,
) -> Rolled:
    """Trace sweeps.

    Args:
        name: of the quantity.
        inputs: each of shape (n,).
        outputs: each of shape (n,) or (n, n).
        sweeps: functions of one joint, with constants of n rows; none may be symbolic.
    """
    constants = cast("Mapping[str, Sequence[Sequence[float]]]", sweeps.constants)
    tracer = _Tracer(inputs, outputs, constants)
    traced = _without_the_dead([tracer.sweep(steps_of) for steps_of in sweeps.sweeps])
    live = _live(traced)
    finished = tuple(_finished(sweep, live, name) for sweep in traced)
    table = {place_and_name(TABLE)[1]: tracer.table(live[TABLE])} if live[TABLE] else {}
    return verify_rolled(
        Rolled(name, tuple(inputs), tuple(outputs), table, finished, sweeps.symmetric)
    )


class _Tracer:
    """Traces one sweep after another and tracks what earlier sweeps kept."""

    def __init__(
        self,
        inputs: Sequence[Slot],
        outputs: Sequence[Slot],
        constants: Mapping[str, Sequence[Sequence[float]]],
    ) -> None:
        self._inputs = [f"input:{slot.name}" for slot in inputs]
        matrices = [f"output:{slot.name}" for slot in outputs if len(slot.shape) == 2]
        self._matrices: dict[str, list[float | None]] = {name: [None] for name in matrices}
        self._constants: dict[str, list[Scalar]] = {}
        self._unknown: list[Node] = []
        self._kept: dict[str, list[float | None]] = {}  # None: not known at trace time
        self._columns: dict[str, list[float | None]] = {}
        self._position: dict[tuple[float, ...], int] = {}
        columns: list[Sequence[float]] = []
        for name, rows in constants.items():
            entries: list[Scalar] = []
            for k, column in enumerate(zip(*rows, strict=True)):
                if all(x == column[0] for x in column):
                    entries.append(column[0])
                    continue
                self._unknown.append(symbol(f"{name}{k}"))
                entries.append(self._unknown[-1])
                columns.append(column)
            self._constants[f"constant:{name}"] = entries
        n = inputs[0].size
        self._rows = list(zip(*columns, strict=True)) if columns else [()] * n

    def table(self, columns: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        """Return some columns of the table, row by row."""
        found = list(self._position)
        return tuple(zip(*(found[k] for k in columns), strict=True))

    def sweep(self, steps_of: SweepSteps) -> _TracedSweep:
        """Trace a sweep."""
        carried: dict[str, list[float | None]] = {
            f"carry:{name}": list(values) for name, values in steps_of.start.items()
        }
        found: dict[Label, float | None] = {}
        step, settled = None, False
        while step is None or not settled:
            given = {name: [None] for name in self._inputs} | carried | self._kept
            step, found = self._traced(steps_of.step, given)
            settled = True
            for name, values in carried.items():
                for k, value in enumerate(values):
                    if value is not None and found[name, k] != value:
                        values[k], settled = None, False
        step = step.without(lambda at: at[0] in carried and carried[at[0]][at[1]] is not None)
        self._remember(found)
        # a kept value that is a known number need not be stored
        step = step.without(lambda at: at[0] in self._kept and found[at] is not None)
        if steps_of.columns is None:
            return _TracedSweep(steps_of, (step,))
        columns, _ = self._traced(steps_of.columns, self._kept | self._columns | self._matrices)
        return _TracedSweep(steps_of, (step, columns))

    def _remember(self, found: Mapping[Label, float | None]) -> None:
        for (name, k), value in found.items():
            place, _ = place_and_name(name)
            if place == "kept":
                self._kept[name] = [*self._kept.get(name, [])[:k], value]
            elif place == "column":
                self._columns[name] = [None] * (k + 1)

    def _traced(
        self, step: Step, given: Mapping[str, Sequence[float | None]]
    ) -> tuple[_Traced, dict[Label, float | None]]:
        """Trace a step; return it, and for each result its number if it is constant, else None."""
        values: dict[str, Sequence[Scalar]] = dict(self._constants)
        nodes, labels = list[Node](), list[Label]()
        for name, entries in given.items():
            filled: list[Scalar] = []
            for k, entry in enumerate(entries):
                if entry is None:
                    nodes.append(symbol(f"{name}{k}"))
                    filled.append(nodes[-1])
                    labels.append((name, k))
                else:
                    filled.append(entry)
            values[name] = filled
        returned = step(values)
        writes = tuple((name, k) for name, part in returned.items() for k in range(len(part)))
        n_constants = len(self._unknown)

        def column(numbers: tuple[float, ...]) -> int:
            label = (TABLE, self._position.setdefault(numbers, len(self._position)))
            if label not in labels:
                labels.append(label)
            return n_constants + labels.index(label)

        program = trace(
            lambda: [x for part in returned.values() for x in part],
            (),
            [Slot("all", (len(writes),))],
            constants=[*self._unknown, *nodes],
        )
        program = hoist(program, self._rows, column)
        code = [_shifted(step, n_constants) for step in program.code]
        program = replace(program, code=tuple(code))
        found = {
            label: code[k].value if code[k].op is Op.CONST else None
            for label, k in zip(writes, program.results, strict=True)
        }
        return _Traced(program, tuple(labels), writes), found


def _shifted(step: Instruction, by: int) -> Instruction:
    return step._replace(value=step.value - by) if step.op is Op.INPUT else step


def _without_the_dead(sweeps: list[_TracedSweep]) -> list[_TracedSweep]:
    """Return the sweeps without results that are never read."""
    while True:
        everywhere = set[Label]().union(*(sweep.read for sweep in sweeps))
        slimmer = [_slimmer(sweep, everywhere) for sweep in sweeps]
        if slimmer == sweeps:
            return sweeps
        sweeps = slimmer


def _slimmer(sweep: _TracedSweep, everywhere: set[Label]) -> _TracedSweep:
    here = sweep.read

    def dead(at: Label) -> bool:
        place, _ = place_and_name(at[0])
        return place != "output" and at not in (here if place == "carry" else everywhere)

    return replace(sweep, steps=tuple(step.without(dead) for step in sweep.steps))


def _live(sweeps: Sequence[_TracedSweep]) -> dict[str, list[int]]:
    """Return the remaining indices of every slot that sweeps share."""
    live: dict[str, set[int]] = {TABLE: set()}
    for sweep in sweeps:
        for step in sweep.steps:
            constants = {at for at in step.read if at[0] == TABLE}
            for name, k in (*step.writes, *constants):
                live.setdefault(name, set()).add(k)
    return {name: sorted(found) for name, found in live.items()}


def _finished(sweep: _TracedSweep, live: Mapping[str, list[int]], name: str) -> Sweep:
    steps_of = sweep.steps_of
    # carried values belong to this sweep only
    own = {at for at in sweep.steps[0].writes if at[0].startswith("carry:")}
    carried = {
        f"carry:{slot}": [k for k in range(len(values)) if (f"carry:{slot}", k) in own]
        for slot, values in steps_of.start.items()
    }
    live = {**live, **carried}
    start = {
        slot: tuple(float(values[k]) for k in carried[f"carry:{slot}"])
        for slot, values in steps_of.start.items()
        if carried[f"carry:{slot}"]
    }
    step, *columns = (_program(part, live, name) for part in sweep.steps)
    return Sweep(steps_of.outward, step, start, columns[0] if columns else None)


def _program(step: _Traced, live: Mapping[str, list[int]], name: str) -> Program:
    """Return a step as a program with its numbers grouped in slots."""
    read = step.read
    inputs = _slots([at for at in step.reads if at in read], live)
    outputs = _slots(step.writes, live)
    position = {at: k for k, at in enumerate(_labels(inputs, live))}
    code = tuple(
        x._replace(value=float(position[step.reads[int(x.value)]])) if x.op is Op.INPUT else x
        for x in step.program.code
    )
    result = dict(zip(step.writes, step.program.results, strict=True))
    results = tuple(result[at] for at in _labels(outputs, live))
    return Program(name, inputs, outputs, code, results)


def _slots(labels: Iterable[Label], live: Mapping[str, list[int]]) -> tuple[Slot, ...]:
    names = dict.fromkeys(name for name, _ in labels)
    return tuple(Slot(name, (len(live.get(name, [0])),)) for name in names)


def _labels(slots: Iterable[Slot], live: Mapping[str, list[int]]) -> list[Label]:
    return [(slot.name, k) for slot in slots for k in live.get(slot.name, [0])]
