"""Integration by steps of fixed length: a loop over time, for parts of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from armdyn.errors import ArmdynError
from armdyn.kernel.batch import in_threads
from armdyn.simulation.events import SHORTER, check_state
from armdyn.simulation.explicit import AdamsBashforth, RungeKutta
from armdyn.simulation.integrators import Integrator, Tableau, Weights
from armdyn.simulation.locate import CrossingDetector
from armdyn.simulation.midpoint import Midpoint
from armdyn.simulation.stepper import Stepper, System
from armdyn.simulation.task import PROGRESS_PARTS, SIMULATING, Samples, Task

# Arms in a part of a batch: the data of a step fit into the cache.
ARMS_PER_PART = 2048


def integrate_fixed(task: Task, steps: int, keep: Sequence[int]) -> Samples:
    """Simulate one arm or a batch.

    Args:
        task: the simulation.
        steps: number of steps.
        keep: the steps, from 0 to `steps`, before which a sample is recorded.
    """
    counted = _Counter(task, steps)
    rows = len(task.q)
    if task.partial or task.forces.is_function or rows <= ARMS_PER_PART:
        return _part(task, steps, keep, counted)
    parts: dict[int, Samples] = {}

    def work(i: int, j: int) -> None:
        part = task.part(slice(i, j), task.forces.part(i, j))
        try:
            parts[i] = _part(part, steps, keep, counted)
        except BaseException as error:
            counted.end(error)
            raise

    try:
        in_threads(work, rows, ARMS_PER_PART, task.threads)
    except _Ended:
        assert counted.why is not None
        raise counted.why from counted.why.__cause__
    firsts = sorted(parts)
    return Samples.together([parts[i] for i in firsts], firsts)


def _part(task: Task, steps: int, keep: Sequence[int], counted: _Counter) -> Samples:
    q, qd, h = task.q.copy(), task.qd.copy(), task.until / steps
    method = _stepper(task.integrator, System(task.plant, task.forces, h, task.holds()))
    crossings = CrossingDetector(task, q, qd)
    result = Samples()
    recorded = keep if isinstance(keep, range) else set(keep)
    k = 0
    try:
        for k in range(steps):
            t = k * h
            task.forces.sample(t, q, qd)
            after = method.step(t, q, qd)
            if k in recorded:
                qdd, tau = after.known or method.now(t, q, qd)
                result.add(t, q, qd, qdd, tau)
            q, qd = after.q, after.qd
            check_state(task.plant.arm, t + h, q, qd, SHORTER)
            ended = crossings.check(t, t + h, q, qd)
            counted.add()
            if ended:
                break
        t = (k + 1) * h
        result.add(t, q, qd, *method.now(t, q, qd))
    except (ArmdynError, KeyboardInterrupt) as error:
        if not task.partial or not result.t:
            raise
        result.failure = error
    result.evaluations = method.evaluations
    result.events = [*crossings.events, *method.events]
    return result


def _stepper(integrator: Integrator, system: System) -> Stepper:
    """Return the stepper of an integrator's family."""
    coefficients = integrator.coefficients
    match integrator.family, coefficients:
        case "runge_kutta", Tableau():
            return RungeKutta(system, coefficients, integrator.name)
        case "adams_bashforth", Weights():
            return AdamsBashforth(system, coefficients, integrator.name)
        case "midpoint", Tableau():
            return Midpoint(system, coefficients)
        case family, _:
            raise AssertionError(f"no stepper of the family {family!r} takes {coefficients!r}")


class _Ended(Exception):
    """Another part has failed, so this one is not needed."""


class _Counter:
    """Reports the progress of all parts together, and ends all when one has failed.

    Attributes:
        why: the first failure.
    """

    def __init__(self, task: Task, steps: int) -> None:
        parts = 1 if task.partial or task.forces.is_function else -(-len(task.q) // ARMS_PER_PART)
        self._task, self._total = task, steps * parts
        self._done, self._often, self._lock = 0, max(1, self._total // PROGRESS_PARTS), Lock()
        self.why: BaseException | None = None

    def end(self, why: BaseException) -> None:
        """Let the other parts end at their next step."""
        with self._lock:
            self.why = self.why or why

    def add(self) -> None:
        """Count a step."""
        if self.why is not None:
            raise _Ended
        with self._lock:
            self._done += 1
            if self._done % self._often == 0 or self._done == self._total:
                self._task.progress(self._done, self._total, SIMULATING)
