"""Adaptive integration by SciPy's solvers, of one arm or of batches."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import ArmdynError, InputError, NumericalError
from armdyn.progress import portion
from armdyn.simulation.events import (
    SAME_TIME,
    TIGHTER,
    Event,
    check_acceleration,
    check_state,
    stalled,
)
from armdyn.simulation.locate import (
    event_values,
    first_negative,
    inner_times,
    located_events,
    passed_limits,
    turning_times,
)
from armdyn.simulation.task import PROGRESS_PARTS, SIMULATING, Samples, Task

# Adaptive integration of one arm by SciPy's solvers, with steps chosen by tolerances.

# Discontinuous forces could make joints stick and slip for ever at one time. After this many
# changes at one time, a short step is forced.
MOST_AT_ONCE = 4
# The forced step, as a share of the run.
FORCED_STEP = 1e-5


def integrate_adaptive(task: Task, rtol: float, atol: float, times: Array | None) -> Samples:
    """Simulate one arm.

    Args:
        task: the simulation.
        rtol: relative tolerance of a step.
        atol: absolute tolerance of a step.
        times: of the samples; the ends of the steps if None.
    """
    result = Samples()
    run = _Integration(task, rtol, atol, times, result)
    try:
        run.all()
    except (ArmdynError, KeyboardInterrupt) as error:
        if not task.partial or not result.t:
            raise
        result.failure = error
    result.evaluations = run.evaluations
    return result


class _Dense:
    """The states during a step; the interpolant is built on first use."""

    def __init__(self, solver: Any, y_old: Array) -> None:
        self._solver, self._y_old = solver, y_old
        self._function: Any = None

    def __call__(self, t: float) -> Array:
        """Return positions and velocities at a time."""
        if t == self._solver.t:
            return self._solver.y
        if t == self._solver.t_old:
            return self._y_old
        if self._function is None:
            self._function = self._solver.dense_output()
        return self._function(t)


class _Integration:
    """The integration of one arm, from one change of its holds to the next."""

    def __init__(
        self, task: Task, rtol: float, atol: float, times: Array | None, result: Samples
    ) -> None:
        self.evaluations = 0
        self._task, self._times, self._result = task, times, result
        self._options = {"rtol": rtol, "atol": atol}
        self._solver: Any = getattr(
            import_module("scipy.integrate"), str(task.integrator.coefficients)
        )
        self._n = task.plant.n
        self._next = 0
        self._reported = 0
        self._holds = task.holds()

    def all(self) -> None:
        task = self._task
        t, y = 0.0, np.concatenate([task.q[0], task.qd[0]])
        task.forces.sample(t, *self._rows(y))
        self._begin(y)
        changes, ended = 0, False
        while t < task.until and not ended:
            task.forces.sample(t, *self._rows(y))
            settled = self._settle(t, y)
            if changes < MOST_AT_ONCE:
                self._result.events += settled
            begin = t
            t, y, ended = self._until_event(t, y, forced=changes >= MOST_AT_ONCE)
            changes = changes + 1 if t <= begin + SAME_TIME * task.until else 0

    def _begin(self, y: Array) -> None:
        """Record the first sample, and the limits that are exceeded at the start."""
        if self._times is None or self._times[0] <= 0.0:
            self._result.events += self._settle(0.0, y)
            self._record(0.0, y)
            self._next = 1
        if self._task.limits != "stop":
            lower, upper = self._task.bounds
            q = y[: self._n]
            for side, wrong in (("lower", q < lower), ("upper", q > upper)):
                for joint in np.flatnonzero(wrong):
                    self._result.events.append(Event(0.0, f"passes {side} limit", int(joint)))

    def _until_event(self, t: float, y: Array, forced: bool) -> tuple[float, Array, bool]:
        """Integrate until a hold changes, a controller samples or the run ends.

        Return the time, the state, and whether the run ends.
        """
        task = self._task
        until = min(task.until, task.forces.drive.next_sample)
        first_step = min(FORCED_STEP * task.until, until - t) if forced else None
        with np.errstate(over="ignore", invalid="ignore"):
            solver: Any = self._solver(
                self._rate, t, y, until, first_step=first_step, **self._options
            )
        check_acceleration(task.plant.arm, t, solver.f[self._n :], solver.h_abs)
        margins = self._margins(t, y)
        values = event_values(task, t, y)
        while solver.status == "running":
            before, y = solver.nfev, solver.y
            solver.max_step = min(task.longest, task.forces.longest_step(solver.t))
            with np.errstate(over="ignore", invalid="ignore"):  # of a trial step that went too far
                failed = solver.step() is not None
            if failed:
                raise stalled(task.plant.arm, solver.t, solver.y[self._n :], TIGHTER)
            self.evaluations += solver.nfev - before  # interpolation does not count
            check_state(task.plant.arm, solver.t, *self._rows(solver.y), TIGHTER)
            dense = _Dense(solver, y)
            new = self._margins(solver.t, solver.y)
            if forced:  # a change counts at the end of the step
                first, which = solver.t, int(new.argmin()) if new.min() < 0.0 else None
                forced = False
            else:
                first, which = self._first_change(dense, solver.t_old, solver.t, margins, new)
            ended, values = self._note_events(dense, solver.t_old, first, values)
            end = min(first, ended)
            y = dense(end)
            self._record_until(dense, solver.t_old, end)
            self._report(end)
            if ended <= first:
                if not self._result.t or self._result.t[-1] < end:
                    self._record(end, y)
                return end, y, True
            if which is not None:
                return end, self._changed(end, y, which), False
            margins = new
        return until, solver.y, False

    def _report(self, t: float) -> None:
        done = int(PROGRESS_PARTS * t / self._task.until)
        if done > self._reported:
            self._reported = done
            self._task.progress(done, PROGRESS_PARTS, SIMULATING)

    def _rate(self, t: float, y: Array) -> Array:
        if not np.isfinite(y).all():  # a trial step that went too far
            return np.full_like(y, np.nan)
        _, qd, qdd, _ = self._dynamics(t, y)
        return np.concatenate([qd[0], qdd[0]])

    def _dynamics(self, t: float, y: Array) -> tuple[Array, Array, Array, Array]:
        """Return q, qd, qdd and the torques of the drives."""
        q, qd = self._rows(y)
        force, driven = self._task.forces.at(t, q, qd)
        if self._holds:
            return q, qd, self._holds.accelerations(q, qd, force), driven
        return q, qd, self._task.plant.accelerations(q, qd, force, None), driven

    def _settle(self, t: float, y: Array) -> list[Event]:
        """Release joints whose holds are overcome."""
        if not self._holds:
            return []
        return self._holds.settle(t, *self._rows(y), self._force(t, y))[0]

    def _rows(self, y: Array) -> tuple[Array, Array]:
        return y[None, : self._n], y[None, self._n :]

    def _force(self, t: float, y: Array) -> Array:
        return self._task.forces.at(t, *self._rows(y))[0]

    def _margins(self, t: float, y: Array) -> Array:
        if not self._holds:
            return np.zeros(0)
        return self._holds.margins(*self._rows(y), self._force(t, y))

    def _first_change(
        self, dense: _Dense, t0: float, t1: float, old: Array, new: Array
    ) -> tuple[float, int | None]:
        """Return the time of the first change of a hold between two times, and its margin."""
        if not self._holds:
            return t1, None
        turns = turning_times(dense, t0, t1, self._task.bounds)
        times = [t0, *sorted([*inner_times(t0, t1), *turns]), t1]
        return first_negative(lambda t: self._margins(t, dense(t)), times, (old, new))

    def _changed(self, t: float, y: Array, which: int) -> Array:
        n = self._n
        q, qd = (x.copy() for x in self._rows(y))
        kind, joint = divmod(which, n)
        assert self._holds is not None
        resting = np.zeros((1, n), bool)
        if kind == 0:
            resting[0, joint] = True
        if kind in (1, 2):  # at the stop exactly, and moving towards it
            stops = self._task.stops
            assert stops is not None
            q[0, joint] = stops[kind - 1][joint]
        self._result.events += self._holds.arrest(t, q, qd, resting)
        return np.concatenate([q[0], qd[0]])

    def _note_events(
        self, dense: _Dense, t0: float, t1: float, old: list[float]
    ) -> tuple[float, list[float]]:
        """Note events and passed limits up to a time; return when an event ends the run, if any."""
        task = self._task
        events, ended, new = located_events(task, dense, t0, t1, old)
        self._result.events += events
        if task.limits != "stop":
            self._result.events += passed_limits(dense, t0, min(t1, ended), task.bounds)
        return ended, new

    def _record_until(self, dense: _Dense, t0: float, t1: float) -> None:
        if self._times is None:
            if t1 > t0:
                self._record(t1, dense(t1))
            return
        while self._next < len(self._times) and self._times[self._next] <= t1:
            t = float(self._times[self._next])
            self._record(t, dense(t))
            self._next += 1

    def _record(self, t: float, y: Array) -> None:
        self._result.add(t, *self._dynamics(t, y))


# Adaptive integration of batches: one arm after the other, each with its own steps.


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
    return Samples.together(found, range(len(found)))


def _member(task: Task, k: int) -> Task:
    first, total = PROGRESS_PARTS * k, PROGRESS_PARTS * len(task.q)
    progress = portion(task.progress, first, first + PROGRESS_PARTS, total, SIMULATING)
    return replace(task.part(slice(k, k + 1), task.forces.of_arm(k)), progress=progress)


def _of_arm(error: ArmdynError, k: int) -> ArmdynError:
    return type(error)(f"arm {k} of the batch: {error}")
