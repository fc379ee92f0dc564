"""Blocks of a batch, simulated on the workers of a cluster and put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from armdyn._checks import check_memory
from armdyn._progress import Progress, reporter
from armdyn.arm import Arm
from armdyn.cluster import Cluster
from armdyn.errors import ArmdynError, InputError
from armdyn.simulation._run import Run
from armdyn.simulation._task import SIMULATING
from armdyn.simulation.forces._quantity import Quantity
from armdyn.simulation.forces._spring import spring_constants
from armdyn.simulation.running._blocks import Batch, bounds
from armdyn.simulation.running._job import in_order, integrated, notes_on, prepared
from armdyn.simulation.steppers._integrators import INTEGRATORS

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
        job = prepared(arm, **batch.whole(), **given, progress=None, threads=1)
        count = len(job.task.q)
    else:
        count = batch.arms
        i, j = bounds(count)[0]
        own = _acting(arm, given, count, i, j)
        job = prepared(arm, **batch.drawn(0, i, j), **{**given, **own}, progress=None, threads=1)
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
        run = integrated(prepared(arm, **values, **options, progress=None, threads=1))
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
