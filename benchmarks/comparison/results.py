"""The results of a benchmark, as plain data for JSON, tables and plots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

OURS = "armdyn"


@dataclass(frozen=True)
class Times:
    """Seconds per state, of armdyn and other libraries, measured in turn.

    Attributes:
        seconds: by name; `OURS` is armdyn.
        refused: why a requested library has no time.
    """

    seconds: Mapping[str, float]
    refused: Mapping[str, str] = field(default_factory=dict[str, str])

    def ratio(self, name: str) -> float | None:
        """Return the time of another library divided by ours; None if it was not measured."""
        if name not in self.seconds or OURS not in self.seconds:
            return None
        return self.seconds[name] / self.seconds[OURS]


@dataclass(frozen=True)
class Work:
    """Multiplications, divisions and roots of one state.

    Attributes:
        graph: of the traced program; a sine counts nothing.
        instructions: of the machine code, including the polynomials of sines and cosines.
    """

    graph: int
    instructions: int


@dataclass(frozen=True)
class Limit:
    """How close a function comes to the limit of the multipliers, in cache, on one core.

    Attributes:
        states: in the batch.
        seconds: for one state, the machine code alone.
        call_seconds: for one state, through the public call.
        multiply_seconds: for one independent multiplication of one state, timed in turn with it.
        moving_seconds: for one state, to read its numbers and write as many numbers as results.
        work: the multiplications of one state.
    """

    states: int
    seconds: float
    call_seconds: float
    multiply_seconds: float
    moving_seconds: float
    work: Work

    @property
    def least_seconds(self) -> float:
        """The minimum time for the multiplying instructions of one state."""
        return self.work.instructions * self.multiply_seconds

    @property
    def graph_fraction(self) -> float:
        """The minimum time for the multiplications of the program, divided by the measured time."""
        return self.work.graph * self.multiply_seconds / self.seconds

    @property
    def fraction(self) -> float:
        """The minimum time for the multiplying instructions, divided by the measured time."""
        return self.least_seconds / self.seconds

    @property
    def rows_fraction(self) -> float:
        """The same, including the time of data movement: near one if nothing is left to save."""
        return (self.least_seconds + self.moving_seconds) / self.seconds


@dataclass(frozen=True)
class Cell:
    """One quantity of one arm.

    Attributes:
        robot: name of the arm.
        n: number of its joints.
        kind: the quantity.
        method: our method.
        operations: its operation count.
        one: one state per call from Python.
        batch: many states per call, on one core, with preallocated memory for the results.
        cached: the same for as many states as fit into the cache.
        limit: of the multipliers; None where the code has loops.
    """

    robot: str
    n: int
    kind: str
    method: str
    operations: str
    one: Times
    batch: Times
    cached: Times
    limit: Limit | None


@dataclass(frozen=True)
class Growth:
    """How the time of a quantity grows with the joints of a chain.

    Attributes:
        kind: the quantity.
        n: numbers of joints.
        times: for each of them.
        exponent: of time on n, fitted from `fitted_from` joints on; None with fewer than two.
        fitted_from: joints.
    """

    kind: str
    n: tuple[int, ...]
    times: tuple[Times, ...]
    exponent: float | None
    fitted_from: int


@dataclass(frozen=True)
class Start:
    """Times until a function can be called, the best of several fresh processes.

    Attributes:
        robot: name of the arm.
        kind: the quantity.
        trace: CPU seconds to trace the chosen method.
        compile: CPU seconds of the first call, with nothing cached on disk.
        load: seconds of the first call, with the compiled function on disk.
    """

    robot: str
    kind: str
    trace: float
    compile: float
    load: float


@dataclass(frozen=True)
class Threads:
    """A large batch on one thread and on two."""

    robot: str
    kind: str
    states: int
    one: float
    two: float

    @property
    def speedup(self) -> float:
        """How many times faster two threads are."""
        return self.one / self.two


@dataclass(frozen=True)
class Kinematics:
    """All branches of inverse kinematics of one arm.

    Attributes:
        robot: name of the arm.
        words: its closed form.
        times: for one pose of a batch, on one core, with memory for the results.
        same: poses whose sets of solutions were the same in the other library.
        compared: poses whose sets were compared.
    """

    robot: str
    words: str
    times: Times
    same: int
    compared: int


@dataclass(frozen=True)
class Imports:
    """Seconds until `armdyn.load` and `numpy` are imported, each in a fresh process."""

    armdyn: float
    numpy: float

    @property
    def ratio(self) -> float:
        """Our import time divided by NumPy's."""
        return self.armdyn / self.numpy


@dataclass(frozen=True)
class Planning:
    """Times of time-optimal motions, for one path, in batches; other libraries one by one.

    Attributes:
        robot: name of the arm.
        n: number of joints.
        pieces: of each path.
        paths: in a batch.
        version: of the other library.
        difference: largest of durations, as a share.
        times: for one path.
    """

    robot: str
    n: int
    pieces: int
    paths: int
    version: str
    difference: float
    times: Times


@dataclass(frozen=True)
class Benchmark:
    """All measurements of one run.

    Attributes:
        machine: facts about the machine, by name.
        peers: versions of other libraries, by name.
        peer_notes: what exactly was timed for each library.
        batch: states in a batch.
        cells: arms and quantities.
        growth: chains.
        starts: compile and load times.
        threads: scaling.
        imports: of packages; None if not measured.
        notes: what was not measured, and why.
        kinematics: inverse kinematics of arms with a closed form.
        planning: of time-optimal motions; None if not measured.
    """

    machine: Mapping[str, str]
    peers: Mapping[str, str]
    peer_notes: Mapping[str, str]
    batch: int
    cells: tuple[Cell, ...]
    growth: tuple[Growth, ...]
    starts: tuple[Start, ...]
    threads: tuple[Threads, ...]
    imports: Imports | None
    notes: tuple[str, ...]
    kinematics: tuple[Kinematics, ...] = ()
    planning: Planning | None = None

    @property
    def disagreements(self) -> tuple[str, ...]:
        """Libraries whose answers differ from ours, as sentences."""
        found = [
            f"{peer}, {cell.kind} of {cell.robot}: {why}"
            for cell in self.cells
            for times in (cell.one, cell.batch)
            for peer, why in times.refused.items()
        ]
        found += [
            f"{peer}, {growth.kind} of a chain of {n}: {why}"
            for growth in self.growth
            for n, times in zip(growth.n, growth.times, strict=True)
            for peer, why in times.refused.items()
        ]
        if self.planning:
            refused = self.planning.times.refused
            found += [f"{peer}, time-optimal motions: {why}" for peer, why in refused.items()]
        return tuple(dict.fromkeys(found))

    def to_dict(self) -> dict[str, Any]:
        """Return the benchmark as lists and dictionaries, ratios included."""
        told = asdict(self)
        for cell, given in zip(told["cells"], self.cells, strict=True):
            for scope in ("one", "batch", "cached"):
                cell[scope]["ratios"] = _ratios(getattr(given, scope))
            if given.limit:
                cell["limit"]["graph_fraction"] = given.limit.graph_fraction
                cell["limit"]["fraction"] = given.limit.fraction
                cell["limit"]["rows_fraction"] = given.limit.rows_fraction
        for growth, given in zip(told["growth"], self.growth, strict=True):
            for times, seen in zip(growth["times"], given.times, strict=True):
                times["ratios"] = _ratios(seen)
        for row, given in zip(told["kinematics"], self.kinematics, strict=True):
            row["times"]["ratios"] = _ratios(given.times)
        for row, given in zip(told["threads"], self.threads, strict=True):
            row["speedup"] = given.speedup
        if self.planning:
            told["planning"]["times"]["ratios"] = _ratios(self.planning.times)
        if self.imports:
            told["imports"]["ratio"] = self.imports.ratio
        return told


def _ratios(times: Times) -> dict[str, float | None]:
    return {name: times.ratio(name) for name in times.seconds if name != OURS}
