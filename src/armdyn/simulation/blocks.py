"""Batches in numbered blocks of fixed size, simulated here or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.checks import check_memory, checked_array, checked_seed, checked_whole
from armdyn.cluster import Cluster
from armdyn.errors import ArmdynError, InputError, shown
from armdyn.progress import Progress, reporter
from armdyn.simulation.fixed import ARMS_PER_PART
from armdyn.simulation.forces import Quantity, raised, spring_constants
from armdyn.simulation.integrators import INTEGRATORS
from armdyn.simulation.run import Run
from armdyn.simulation.running import in_order, integrated, notes_on, prepared
from armdyn.simulation.task import SIMULATING

# Batches in numbered blocks of fixed size: what is drawn for them, and runs on a cluster.
#
# Draws and runs of a block depend on its number alone, so a batch has the same bits on one machine
# and on any number of workers.

# Draws rows for a number of arms.
Draw: TypeAlias = Callable[[np.random.Generator, int], ArrayLike]

# Arms of a block: those that one thread simulates together.
ARMS = ARMS_PER_PART

# More arms are taken to be a mistake.
MOST_ARMS = 10**9


@dataclass(frozen=True, eq=False)
class Batch:
    """The states and parameters of arms, given or drawn.

    Attributes:
        given: `q0`, `qd0` and `parameters`: values, or functions that draw them.
        arms: number of arms to draw for; None if nothing is drawn.
        seed: of the draws.
    """

    given: Mapping[str, Any]
    arms: int | None
    seed: int

    def whole(self) -> dict[str, Any]:
        """Return the values of all arms."""
        if self.arms is None:
            return dict(self.given)
        blocks = [self.drawn(k, i, j) for k, (i, j) in enumerate(bounds(self.arms))]
        drawn = {name for name, value in self.given.items() if callable(value)}
        return {
            name: np.concatenate([block[name] for block in blocks]) if name in drawn else value
            for name, value in self.given.items()
        }

    def drawn(self, number: int, i: int, j: int) -> dict[str, Any]:
        """Return the values of block `number`, arms i to j."""
        rng = np.random.default_rng([self.seed, number])
        return {name: _rows(name, value, rng, i, j) for name, value in self.given.items()}


def bounds(arms: int) -> list[tuple[int, int]]:
    """Return the first and the last arm, without it, of all blocks."""
    return [(i, min(i + ARMS, arms)) for i in range(0, arms, ARMS)]


def batch_of(q0: object, qd0: object, parameters: object, arms: object, seed: object) -> Batch:
    """Return the arguments of `simulate` that differ from arm to arm, checked."""
    given = {"q0": q0, "qd0": qd0, "parameters": parameters}
    drawn = [name for name, value in given.items() if callable(value)]
    number = checked_seed(seed)
    if arms is None:
        if drawn:
            raise InputError(
                f"`{drawn[0]}` is {shown(given[drawn[0]])}, a function that draws rows for a "
                "number of arms: give `arms`.",
                argument="arms",
            )
        return Batch(given, None, number)
    count = checked_whole(arms, "arms", 1, MOST_ARMS)
    if not drawn:
        raise InputError(
            f"`arms` is {count}, but nothing is drawn: expected functions of (rng, count) as `q0`, "
            "`qd0` or `parameters`.",
            argument="arms",
        )
    for name, value in given.items():
        rows = 1 if callable(value) else _row_count(value)
        if rows not in (1, count):
            raise InputError(
                f"`{name}` has {rows} rows, but `arms` is {count}: as many of each.", argument=name
            )
    return Batch(given, count, number)


def _row_count(value: Any) -> int:
    """Return the rows of a matrix; 1 for anything else, which is checked later."""
    try:
        shape = np.shape(value)
    except ValueError:  # lists of unequal length
        return 1
    return shape[0] if len(shape) == 2 else 1


def _rows(name: str, value: Any, rng: np.random.Generator, i: int, j: int) -> Any:
    """Return the rows of arms i to j."""
    if not callable(value):
        return value[i:j] if _row_count(value) > 1 else value
    try:
        rows = cast(Draw, value)(rng, j - i)
    except Exception as error:
        raise raised(name, error, f"when called with a generator and {j - i} arms") from error
    what = f"the rows that it draws for {j - i} arms"
    return checked_array(rows, name, (j - i, "n"), what=what)


# Blocks of a batch, simulated on the workers of a cluster and put together.

# A block is simulated in one thread of a worker, which reports nothing.
HERE: dict[str, Any] = {"progress": None, "threads": 1}
# What a run has for every arm.
COLUMNS = ("q", "qd", "qdd", "tau", "energy")


def simulated_in_blocks(
    cluster: Cluster, arm: Arm, batch: Batch, given: Mapping[str, Any], progress: Progress | None
) -> Run:
    """Simulate a batch on workers.

    Args:
        cluster: the workers.
        arm: the arm.
        batch: what differs from arm to arm.
        given: the other arguments of `simulate`.
        progress: called after each block.
    """
    report = reporter(progress)
    # all arguments are checked here, before any work; of draws, those of the first block
    if batch.arms is None:
        job = prepared(arm, {**HERE, **batch.whole(), **given})
        count = len(job.task.q)
    else:
        count = batch.arms
        i, j = bounds(count)[0]
        own = _acting(arm, given, count, i, j)
        job = prepared(arm, {**HERE, **batch.drawn(0, i, j), **given, **own})
        number = len(job.keep) or len(job.times if job.times is not None else ())
        check_memory(32 * number * count * arm.n, f"{number} samples of {count} arms", "samples")
    if not job.batch:
        raise InputError(
            "`client` is given, but there is one arm to simulate: it is for batches.",
            argument="client",
        )
    options = dict(given)
    if job.task.limits == "spring":
        if batch.arms is not None and None in (given["stiffness"], given["damping"]):
            raise InputError(
                "`limits` is 'spring' and arms are drawn on workers, where nobody knows the "
                "largest inertia of all: give `stiffness` and `damping`.",
                argument="stiffness",
            )
        k, d = spring_constants(arm, job.task.q, given["stiffness"], given["damping"])
        options |= {"stiffness": k, "damping": d}
    sent = cluster.submit(_same, arm)
    futures: list[Any] = []
    for number, (i, j) in enumerate(bounds(count)):
        own = _acting(arm, given, count, i, j)
        part = batch if batch.arms is not None else Batch(batch.drawn(number, i, j), None, 0)
        futures.append(cluster.submit(_run_block, sent, part, number, i, j, {**options, **own}))
    runs: list[Run] = []
    for (_, j), fields in zip(bounds(count), cluster.results(futures), strict=True):
        runs.append(Run(arm=arm, **fields))
        report(j, count, SIMULATING)
    return _together(arm, runs, job.task.until)


def _same(arm: Arm) -> Arm:
    return arm


def _acting(arm: Arm, given: Mapping[str, Any], count: int, i: int, j: int) -> dict[str, Any]:
    """Return the torques and wrenches on arms i to j."""
    widths = {"torque": arm.n, "wrench": 6}
    read = {name: Quantity(name, given[name], arm, width, count) for name, width in widths.items()}
    return {name: _part(given[name], quantity, i, j) for name, quantity in read.items()}


def _part(value: Any, read: Quantity, i: int, j: int) -> Any:
    if read.constant is not None and read.constant.ndim == 2:
        return read.constant[i:j]
    if getattr(value, "rows", None) is not None:
        return value.of_arms(i, j)
    return value


def _run_block(
    arm: Arm, batch: Batch, number: int, i: int, j: int, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the fields of the run of one block, without its arm."""
    try:
        values = batch.given if batch.arms is None else batch.drawn(number, i, j)
        run = integrated(prepared(arm, {**HERE, **values, **options}))
    except ArmdynError as error:
        said = f"arms {i} to {j - 1}, where arm 0 is the first of them: {error}"
        error.args = (said, *error.args[1:])
        raise
    return {name: value for name, value in vars(run).items() if name != "arm"}


def _together(arm: Arm, runs: Sequence[Run], until: float) -> Run:
    """Return the run of all blocks; it ends where the first of them fails."""
    shortest = min(runs, key=len)
    N, complete = len(shortest), all(run.complete for run in runs)
    parts = {
        name: np.concatenate([getattr(run, name)[:N] for run in runs], axis=1) for name in COLUMNS
    }
    firsts = [i for i, _ in bounds(sum(run.q.shape[1] for run in runs))]
    events = in_order(
        (
            replace(event, arm=event.arm + first)
            for run, first in zip(runs, firsts, strict=True)
            for event in run.events
            if complete or event.t <= shortest.t[-1]
        ),
        until,
    )
    failed = [note for note in shortest.notes if not shortest.complete][:1]
    each = [run.evaluations for run in runs]
    adaptive = INTEGRATORS[shortest.integrator].adaptive
    return replace(
        shortest,
        **parts,
        evaluations=max(each) if adaptive else each[0],
        events=events,
        complete=complete,
        notes=(*failed, *notes_on(events, arm)),
    )
