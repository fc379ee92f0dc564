"""Events at the ends of steps: passed limits, and zeros of functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError, shown
from armdyn.simulation._task import Task
from armdyn.simulation.events._event import Event

Array = NDArray[np.float64]


class CrossingDetector:
    """Compares the states before and after every step.

    Attributes:
        events: the events so far.
    """

    def __init__(self, task: Task, q: Array, qd: Array, first_row: int = 0) -> None:
        self.events: list[Event] = []
        self._task, self._first_row = task, first_row
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
                row = self._first_row + int(arm)
                self.events.append(Event(t, f"passes {side} limit", int(joint), row))


def event_value(task: Task, k: int, t: float, q: Array, qd: Array) -> float:
    """Return the value of an event's function for one arm."""
    try:
        value = task.events[k](t, q[0].copy(), qd[0].copy())
        number = float(value)
    except Exception as error:
        raise InputError(
            f"`events[{k}]` raised {type(error).__name__}: {error}; at t = {t:.9g} s."
        ) from error
    if not np.isfinite(number):
        raise InputError(f"`events[{k}]` returned {shown(value)} at t = {t:.9g} s.")
    return number


def crosses(function: object, old: float, new: float) -> bool:
    """Return whether a value passed zero, in the function's direction if it has one."""
    direction = getattr(function, "direction", 0)
    up, down = old < 0.0 <= new, old > 0.0 >= new
    return (up and direction >= 0) or (down and direction <= 0)
