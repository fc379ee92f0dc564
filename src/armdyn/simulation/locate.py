"""Events at the ends of steps, and their times within a step."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import InputError, shown
from armdyn.simulation.events import Event
from armdyn.simulation.forces import raised
from armdyn.simulation.task import Task

# Events at the ends of steps: passed limits, and zeros of functions.


class CrossingDetector:
    """Compares the states before and after every step.

    Attributes:
        events: the events so far.
    """

    def __init__(self, task: Task, q: Array, qd: Array) -> None:
        self.events: list[Event] = []
        self._task = task
        lower, upper = task.bounds
        # in the shape of the states: with a single row, NumPy would loop over the arms
        whole = tuple(np.broadcast_to(x, q.shape).copy() for x in (lower, upper))
        self._bounds = whole if np.isfinite(whole).any() else None
        if task.limits == "stop":  # `StictionState` notes stops
            self._bounds = None
        self._outside = np.zeros(q.shape, bool)
        self._limits(0.0, q)
        self._values = [event_value(task, k, 0.0, q, qd) for k in range(len(task.events))]

    def check(self, before: float, t: float, q: Array, qd: Array) -> bool:
        """Note events between two times; return whether one of them ends the run."""
        self._limits(t, q)
        ended = False
        for k, function in enumerate(self._task.events):
            old, new = self._values[k], event_value(self._task, k, t, q, qd)
            self._values[k] = new
            if crosses(function, old, new):
                at = before + (t - before) * old / (old - new)
                self.events.append(Event(at, "event", k))
                ended |= bool(getattr(function, "terminal", False))
        return ended

    def _limits(self, t: float, q: Array) -> None:
        if self._bounds is None:
            return
        lower, upper = self._bounds
        outside = (q < lower) | (q > upper)
        new = outside > self._outside
        self._outside = outside
        if new.any():
            for arm, joint in np.argwhere(new):
                side = "lower" if q[arm, joint] < lower[arm, joint] else "upper"
                self.events.append(Event(t, f"passes {side} limit", int(joint), int(arm)))


def event_value(task: Task, k: int, t: float, q: Array, qd: Array) -> float:
    """Return the value of an event's function for one arm."""
    try:
        value = task.events[k](t, q[0].copy(), qd[0].copy())
        number = float(value)
    except Exception as error:
        raise raised(f"events[{k}]", error, f"at t = {t:.9g} s") from error
    if not np.isfinite(number):
        raise InputError(f"`events[{k}]` returned {shown(value)} at t = {t:.9g} s.")
    return number


def crosses(function: object, old: float, new: float) -> bool:
    """Return whether a value passed zero, in the function's direction if it has one."""
    direction = getattr(function, "direction", 0)
    up, down = old < 0.0 <= new, old > 0.0 >= new
    return (up and direction >= 0) or (down and direction <= 0)


# The time of an event within a step, by root finding on the interpolated states.

# Positions and velocities ``(2n,)`` during a step, as a function of time.
States = Callable[[float], Array]

# Checks at these shares of a step find changes that reverse within the step.
INSIDE = (0.25, 0.5, 0.75)


def inner_times(t0: float, t1: float) -> list[float]:
    """Return the times within a step at which changes are checked."""
    return [t0 + share * (t1 - t0) for share in INSIDE]


def root(function: Callable[[float], float], a: float, b: float) -> float:
    """Return a zero of a function whose signs differ at a and b."""
    brentq: Any = import_module("scipy.optimize").brentq
    return float(brentq(function, a, b))


def first_negative(
    values: Callable[[float], Array], times: list[float], known: tuple[Array, Array]
) -> tuple[float, int | None]:
    """Return when a value first becomes negative, and its index; else the last time and None.

    Args:
        values: as a function of time, ``(m,)``; infinite if a value cannot become negative.
        times: of the checks, including the ends of the step.
        known: the values at the first and the last time.
    """
    old, new = known
    inner = [(t, values(t)) for t in times[1:-1]]
    for (a, before), (b, after) in pairwise([(times[0], old), *inner, (times[-1], new)]):
        first, which = np.inf, None
        for k in np.flatnonzero((after < 0.0) & (old < np.inf)):

            def value(t: float, k: int = int(k)) -> float:
                return float(values(t)[k])

            at = a if before[k] <= 0.0 or value(a) <= 0.0 else root(value, a, b)
            if at < first:
                first, which = at, int(k)
        if which is not None:
            return first, which
    return times[-1], None


def turning_times(states: States, t0: float, t1: float, bounds: tuple[Array, Array]) -> list[float]:
    """Return the times at which joints reverse, if they may have passed a limit by then."""
    lower, upper = bounds
    n, h = len(lower), t1 - t0
    y0, y1 = states(t0), states(t1)
    v0, v1 = y0[n:], y1[n:]
    far = h * np.maximum(np.abs(v0), np.abs(v1))
    up = (v0 > 0.0) & (v1 < 0.0) & (np.maximum(y0[:n], y1[:n]) + far > upper)
    down = (v0 < 0.0) & (v1 > 0.0) & (np.minimum(y0[:n], y1[:n]) - far < lower)
    times: list[float] = []
    for j in np.flatnonzero(up | down):

        def speed(t: float, j: int = int(j)) -> float:
            return float(states(t)[n + j])

        times.append(root(speed, t0, t1))
    return times


def passed_limits(states: States, t0: float, t1: float, bounds: tuple[Array, Array]) -> list[Event]:
    """Return the events of joints that pass a limit outwards."""
    times = [t0, *sorted(turning_times(states, t0, t1, bounds)), t1]
    return [e for a, b in pairwise(times) for e in _passed_between(states, a, b, bounds)]


def _passed_between(
    states: States, t0: float, t1: float, bounds: tuple[Array, Array]
) -> list[Event]:
    lower, upper = bounds
    n = len(lower)
    old, new = states(t0)[:n], states(t1)[:n]
    found: list[Event] = []
    for side, limit, sign in (("lower", lower, 1.0), ("upper", upper, -1.0)):
        with np.errstate(invalid="ignore"):
            passed = (sign * (old - limit) >= 0.0) & (sign * (new - limit) < 0.0)
        for j in np.flatnonzero(passed):

            def distance(t: float, j: int = int(j), limit: Array = limit) -> float:
                return float(states(t)[j] - limit[j])

            found.append(Event(root(distance, t0, t1), f"passes {side} limit", int(j)))
    return found


def event_values(task: Task, t: float, y: Array) -> list[float]:
    """Return the values of all event functions at a state."""
    q, qd = np.split(y[None], 2, axis=1)
    return [event_value(task, k, t, q, qd) for k in range(len(task.events))]


def located_events(
    task: Task, states: States, t0: float, t1: float, old: list[float]
) -> tuple[list[Event], float, list[float]]:
    """Return the zeros of event functions in a step.

    Args:
        task: the simulation.
        states: during the step.
        t0: start of the step.
        t1: end of the step.
        old: the values of the functions at its beginning.

    Returns:
        The events; the time of the first one that ends the run (infinity if none does); and the
        values at the end of the step.
    """
    ended = np.inf
    new: list[float] = []
    found: list[Event] = []
    times = [*inner_times(t0, t1), t1]
    for k, function in enumerate(task.events):

        def value(t: float, k: int = k) -> float:
            q, qd = np.split(states(t)[None], 2, axis=1)
            return event_value(task, k, t, q, qd)

        values = [(t0, old[k]), *((t, value(t)) for t in times)]
        new.append(values[-1][1])
        for (a, before), (b, after) in pairwise(values):
            if crosses(function, before, after):
                at = root(value, a, b)
                found.append(Event(at, "event", k))
                if getattr(function, "terminal", False):
                    ended = min(ended, at)
    return [event for event in found if event.t <= ended], ended, new
