"""`Rolled`: a program that sweeps along the joints with one step traced for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass

from armdyn.errors import GraphError
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Program, Slot, verify

# `Rolled`: a program that sweeps along the joints, with one step traced for all of them.
#
# Straight-line code grows with the number of joints, and with its square for matrices; a rolled
# program is as long for 500 joints as for 5. A table of constants holds what differs between
# joints. A sweep visits all joints, outward (1..n) or inward (n..1). At each joint i it runs its
# step once and then its column step, if it has one, for every column k = i..n.
#
# The slot names of a step, "place:name", say where its numbers come from and go to:
#
# =============  =============================  ====================================================
# place          as an input                    as an output
# =============  =============================  ====================================================
# ``constant``   row i of the table             -
# ``input``      entry i of an input            -
# ``carry``      value carried from the         value carried to the next joint
#                previous joint
# ``kept``       value that an earlier sweep    kept for joint i, for later sweeps and for the
#                kept for joint i               column steps of this joint
# ``output``     column steps: entry (i, k)     entry i of a vector; in a column step, entry (i, k)
#                that an earlier sweep wrote    of a matrix
# ``column``     column steps: value stored     column steps: its value for the next joint; steps:
#                in column k                    the initial value of column k = i
# =============  =============================  ====================================================
#
# A column step reads ``constant`` and ``kept`` of joint i after the step of this joint.


@dataclass(frozen=True)
class Sweep:
    """One pass over all joints.

    Attributes:
        outward: from joint 1 to n; else from n to 1.
        step: runs at every joint.
        start: the values carried to the first joint of the sweep, by name without place.
        columns: runs for every column k >= i after the step of joint i.
    """

    outward: bool
    step: Program
    start: Mapping[str, tuple[float, ...]]
    columns: Program | None = None


@dataclass(frozen=True)
class Rolled:
    """A sequence of sweeps that computes a quantity of n joints.

    Attributes:
        name: name of the quantity.
        inputs: each of shape (n,).
        outputs: each of shape (n,) or (n, n).
        constants: the table, by name without place; n rows each.
        sweeps: in order.
        symmetric: names of matrices whose entries k < i are the mirror image of those that the
            sweeps write; other matrices are zero there.
    """

    name: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    constants: Mapping[str, tuple[tuple[float, ...], ...]]
    sweeps: tuple[Sweep, ...]
    symmetric: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.inputs[0].size


def place_and_name(slot: str) -> tuple[str, str]:
    """Return the two parts of the name of a step's slot."""
    place, _, name = slot.partition(":")
    return place, name


# The invariants of rolled programs, and their operation counts.

# Where a step, and a column step, may write to.
STEP, COLUMNS = ("carry", "kept", "output", "column"), ("column", "output")


def verify_rolled(rolled: Rolled) -> Rolled:
    """Return the program if it is valid, else raise a `GraphError` that names the slot.

    The invariants: every slot has a place that its step may use, and the size of the value there;
    every carried value has a start and is passed on; a value is written before it is read; every
    output is written.
    """
    _Check(rolled).all()
    return rolled


def count_rolled(rolled: Rolled) -> Operations:
    """Count the operations of a rolled program over all joints and columns."""
    n = rolled.n
    total = [0] * len(astuple(Operations()))
    for sweep in rolled.sweeps:
        parts = [(n, sweep.step)]
        parts += [(n * (n + 1) // 2, sweep.columns)] if sweep.columns else []
        for times, step in parts:
            total = [a + times * b for a, b in zip(total, astuple(count(step)), strict=True)]
    return Operations(*total)


class _Check:
    def __init__(self, rolled: Rolled) -> None:
        self._rolled = rolled
        self._vectors: dict[str, int] = {}
        self._matrices: dict[str, int] = {}
        self._kept: dict[str, int] = {}
        self._columns: dict[str, int] = {}
        self._written: set[str] = set()

    def all(self) -> None:
        self._frame()
        for number, sweep in enumerate(self._rolled.sweeps):
            self._walk(sweep, f"{self._rolled.name}, sweep {number + 1}")
        missing = [slot.name for slot in self._rolled.outputs if slot.name not in self._written]
        if missing:
            raise GraphError(f"{self._rolled.name}: no sweep writes {', '.join(missing)}")

    def _frame(self) -> None:
        """Check everything except the sweeps."""
        rolled = self._rolled
        if not rolled.inputs or not rolled.outputs:
            raise GraphError(f"{rolled.name}: has no inputs or no outputs")
        n = rolled.n
        if n < 1:
            raise GraphError(f"{rolled.name}: has no joints")
        for slot in rolled.inputs:
            if slot.shape != (n,):
                raise GraphError(f"{rolled.name}: input {slot.name} is {slot.shape}, not ({n},)")
        for slot in rolled.outputs:
            if slot.shape not in ((n,), (n, n)):
                raise GraphError(
                    f"{rolled.name}: output {slot.name} is {slot.shape}, not ({n},) or ({n}, {n})"
                )
            (self._vectors if slot.shape == (n,) else self._matrices)[slot.name] = 1
        for slots in (rolled.inputs, rolled.outputs):
            _distinct(slots, rolled.name)
        for name in rolled.symmetric:
            if name not in self._matrices:
                raise GraphError(f"{rolled.name}: {name} is symmetric but no matrix among outputs")
        for name, rows in rolled.constants.items():
            where = f"{rolled.name}: constant {name}"
            if len(rows) != n:
                raise GraphError(f"{where} has {len(rows)} rows for {n} joints")
            if len({len(row) for row in rows}) != 1:
                raise GraphError(f"{where} has rows of different lengths")
            if not all(math.isfinite(x) for row in rows for x in row):
                raise GraphError(f"{where} is not finite")

    def _walk(self, sweep: Sweep, where: str) -> None:
        start = {name: len(values) for name, values in sweep.start.items()}
        if not all(math.isfinite(x) for values in sweep.start.values() for x in values):
            raise GraphError(f"{where}: the start is not finite")
        constants = {name: len(rows[0]) for name, rows in self._rolled.constants.items()}
        inputs = {slot.name: 1 for slot in self._rolled.inputs}
        before = dict(self._columns)
        read = {"constant": constants, "input": inputs, "carry": start, "kept": self._kept}
        self._reads(sweep.step, read, where)
        self._writes(sweep.step, STEP, self._vectors, start, where)
        carried = {place_and_name(s.name)[1] for s in sweep.step.outputs if s.name[:5] == "carry"}
        if lost := sorted(start.keys() - carried):
            raise GraphError(f"{where}: {', '.join(lost)} is carried to the first joint only")
        if sweep.columns is None:
            return
        # going outward, a step has not written the columns beyond its joint yet
        columns = before if sweep.outward else dict(self._columns)
        matrices = {name: 1 for name in self._matrices if name in self._written}
        read = {"constant": constants, "kept": self._kept, "column": columns, "output": matrices}
        self._reads(sweep.columns, read, where)
        self._writes(sweep.columns, COLUMNS, self._matrices, {}, where)

    def _reads(self, step: Program, there: Mapping[str, Mapping[str, int]], where: str) -> None:
        verify(step)
        _distinct(step.inputs, where)
        for slot in step.inputs:
            place, name = _allowed(slot, tuple(there), f"{where}, reading")
            if name not in there[place]:
                raise GraphError(f"{where}: reads {slot.name}, which is not there")
            if there[place][name] != slot.size:
                raise GraphError(
                    f"{where}: reads {slot.size} numbers of {slot.name}, of {there[place][name]}"
                )

    def _writes(
        self,
        step: Program,
        places: tuple[str, ...],
        outputs: Mapping[str, int],
        start: Mapping[str, int],
        where: str,
    ) -> None:
        _distinct(step.outputs, where)
        there: dict[str, Mapping[str, int]] = {"carry": start, "output": outputs}
        grows = {"kept": self._kept, "column": self._columns}
        for slot in step.outputs:
            place, name = _allowed(slot, places, f"{where}, writing")
            size = there[place].get(name) if place in there else grows[place].get(name, slot.size)
            if size != slot.size:
                expected = "has no place" if size is None else f"has place for {size}"
                raise GraphError(
                    f"{where}: writes {slot.size} numbers to {slot.name}, which {expected}"
                )
            if place in grows:
                grows[place][name] = slot.size
            elif place == "output":
                self._written.add(name)


def _allowed(slot: Slot, places: tuple[str, ...], where: str) -> tuple[str, str]:
    place, name = place_and_name(slot.name)
    if place not in places or not name:
        raise GraphError(f"{where}: {slot.name} is not one of {', '.join(places)} with a name")
    return place, name


def _distinct(slots: Iterable[Slot], where: str) -> None:
    names = [slot.name for slot in slots]
    for name in names:
        if names.count(name) > 1:
            raise GraphError(f"{where}: {name} is there twice")
