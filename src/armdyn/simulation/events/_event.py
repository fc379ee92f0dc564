"""`Event`: an event in a simulation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """An event in a simulation.

    Attributes:
        t: time [s].
        what: "passes lower limit", "passes upper limit", "stops at lower limit", "stops at upper
            limit", "leaves the stop", "sticks", "slips", or "event" for a zero of a function given
            as `events`.
        joint: the number of the joint, from 0; for an "event", the number of the function.
        arm: the number of the arm in a batch, from 0.
    """

    t: float
    what: str
    joint: int
    arm: int = 0
