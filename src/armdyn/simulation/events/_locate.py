"""The time of an event within a step, by root finding on the interpolated states."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.simulation._task import Task
from armdyn.simulation.events._crossings import crosses, event_value
from armdyn.simulation.events._event import Event

Array = NDArray[np.float64]
States = Callable[[float], Array]
"""Positions and velocities ``(2n,)`` during a step, as a function of time."""

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
