"""Adaptive integration of batches: one arm after the other, each with its own steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armdyn._progress import Progress
from armdyn.errors import ArmdynError, InputError, NumericalError
from armdyn.simulation._task import Samples, Task
from armdyn.simulation.steppers._adaptive import integrate_adaptive

Array = NDArray[np.float64]


def integrate_members(task: Task, rtol: float, atol: float, times: Array) -> Samples:
    """Simulate a batch.

    If an arm fails and a partial result is wanted, the other arms are still simulated, and the
    result ends at the earliest failure. After an interruption some arms have not started, so there
    is no partial result.

    Args:
        task: the simulation.
        rtol: relative tolerance of a step.
        atol: absolute tolerance of a step.
        times: of the samples.
    """
    found: list[Samples] = []
    for k in range(len(task.q)):
        try:
            samples = integrate_adaptive(_member(task, k), rtol, atol, times)
        except (InputError, NumericalError) as error:
            raise _of_arm(error, k) from error.__cause__
        if isinstance(samples.failure, KeyboardInterrupt):
            raise samples.failure
        if isinstance(samples.failure, InputError | NumericalError):
            samples.failure = _of_arm(samples.failure, k)
        found.append(samples)
    return _together(found)


def _member(task: Task, k: int) -> Task:
    rows = slice(k, k + 1)
    return replace(
        task, plant=task.plant.part(rows), forces=task.forces.of_arm(k), q=task.q[rows],
        qd=task.qd[rows], progress=_shifted(task.progress, k, len(task.q)),
    )  # fmt: skip


def _shifted(progress: Progress | None, k: int, arms: int) -> Progress | None:
    """Return a function that reports the progress of one arm as part of the whole batch."""
    if progress is None:
        return None
    report = progress
    return lambda done, total, what: report(k * total + done, arms * total, what)


def _of_arm(error: ArmdynError, k: int) -> ArmdynError:
    return type(error)(f"arm {k} of the batch: {error}")


def _together(found: list[Samples]) -> Samples:
    shortest = min(found, key=lambda samples: len(samples.t))
    result = Samples(t=shortest.t, failure=shortest.failure)
    for name in ("q", "qd", "qdd", "tau"):
        columns = zip(*(getattr(samples, name) for samples in found), strict=False)
        setattr(result, name, [np.concatenate(column) for column in columns])
    result.events = [
        replace(event, arm=k)
        for k, samples in enumerate(found)
        for event in samples.events
        if shortest.failure is None or event.t <= shortest.t[-1]
    ]
    result.evaluations = max(samples.evaluations for samples in found)
    return result
