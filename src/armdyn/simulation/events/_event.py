"""`Event`: something that happened in a simulation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """Something that happened.

    Attributes:
        t: when [s].
        what: "passes lower limit", "passes upper limit", "stops at lower limit", "stops at upper
            limit", "leaves the stop", "sticks", "slips", or "event" for one of the functions asked
            for.
        joint: the joint it happened to, from 0; of an "event" the number of the function.
        arm: the arm of a batch it happened to, from 0.
    """

    t: float
    what: str
    joint: int
    arm: int = 0
