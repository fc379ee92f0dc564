"""Joints that are held at rest, by dry friction or by a stop, and when they are let go.

A joint that slides has the friction Fc, against its motion; its direction is remembered, not taken
from the sign of a speed, which rounding makes flicker about zero. When the speed would change sign
the joint stops. At rest it is held, as a constraint, while what presses on the hold is within
bounds: plus and minus the breakaway torque for friction, and no bound towards a stop. Beyond the
bounds it is let go. So nothing chatters, and steps need not be short for friction's sake. The idea
of a band of rest is Karnopp's; here it has no width.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.simulation._event import Event
from armdyn.simulation._plant import Plant

Array = NDArray[np.float64]
Truths = NDArray[np.bool_]

# A share of what presses on a hold that is rounding.
SLACK = 1e-9


class Holds:
    """Which joints of which arms are held; arrays ``(B, n)``.

    Attributes:
        held: whether a joint is held.
        slide: where a joint that is not held slides to: -1, 0 (it has no dry friction) or 1.
        low: whether a joint is at its lower stop.
        high: whether a joint is at its upper stop.
    """

    def __init__(
        self, plant: Plant, q: Array, qd: Array, stiction: float, stops: tuple[Array, Array] | None
    ) -> None:
        """Begin.

        Args:
            plant: the arms.
            q: positions.
            qd: velocities.
            stiction: the breakaway torque, as a multiple of Coulomb's.
            stops: lower and upper limits at which joints stop.
        """
        self._plant, self._stops = plant, stops
        self._dry = plant.coulomb > 0.0
        self._breakaway = plant.coulomb * stiction
        self.slide: Array = np.sign(qd) * self._dry
        self.low = np.zeros(q.shape, bool)
        self.high = np.zeros(q.shape, bool)
        if stops:
            self.low, self.high = (q <= stops[0]) & (qd <= 0.0), (q >= stops[1]) & (qd >= 0.0)
        self.held: Truths = (qd == 0.0) & (self._dry | self.low | self.high)

    def bounds(self) -> tuple[Array, Array]:
        """Return the least and the largest torque that may press on a hold."""
        lower = np.where(self.low, -np.inf, -self._breakaway)
        return lower, np.where(self.high, np.inf, self._breakaway)

    def settle(self, t: float, q: Array, qd: Array, force: Array) -> list[Event]:
        """Let go of joints whose hold is overcome, of each arm the most overcome first."""
        events: list[Event] = []
        for _ in range(2 * q.shape[1]):
            rows = _any(self.held)
            if not rows.any():
                break
            part = self._plant.part(rows)
            _, press = part.held(q[rows], qd[rows], force[rows], self.slide[rows], self.held[rows])
            lower, upper = (x[rows] for x in self.bounds())
            slack = SLACK * (1.0 + np.abs(press))
            over = np.where(self.held[rows], np.maximum(press - upper, lower - press) - slack, -1.0)
            worst = over.argmax(axis=1)
            at = np.arange(len(worst))
            loose = over[at, worst] > 0.0
            if not loose.any():
                break
            arms, joints = np.flatnonzero(rows)[loose], worst[loose]
            was_stopped = (self.low | self.high)[arms, joints]
            self.held[arms, joints] = self.low[arms, joints] = self.high[arms, joints] = False
            self.slide[arms, joints] = np.sign(press[at, worst][loose]) * self._dry[joints]
            for arm, joint, stop in zip(arms, joints, was_stopped, strict=True):
                what = "leaves the stop" if stop else "slips"
                events.append(Event(t, what, int(joint), int(arm)))
        return events

    def accelerations(self, q: Array, qd: Array, force: Array) -> Array:
        """Return qdd, zero of the joints that are held."""
        rows = _any(self.held)
        if not rows.any():
            return self._plant.accelerations(q, qd, force, self.slide)
        result = np.empty_like(q)
        free = ~rows
        if free.any():
            result[free] = self._plant.part(free).accelerations(
                q[free], qd[free], force[free], self.slide[free]
            )
        part = self._plant.part(rows)
        result[rows] = part.held(q[rows], qd[rows], force[rows], self.slide[rows], self.held[rows])[
            0
        ]
        return result

    def margins(self, q: Array, qd: Array, force: Array) -> Array:
        """Return, of one arm, numbers ``(4n,)`` of which one becomes negative when a hold changes.

        How far each joint is from resting, how far it is from its lower and its upper stop, and how
        far what presses on it is from its bounds; infinite where that cannot happen.
        """
        speed = np.where(self.slide[0] != 0.0, self.slide[0] * qd[0], np.inf)
        below = above = np.full(q.shape[1], np.inf)
        if self._stops:
            below = np.where(self.held[0], np.inf, q[0] - self._stops[0])
            above = np.where(self.held[0], np.inf, self._stops[1] - q[0])
        grip = np.full(q.shape[1], np.inf)
        if self.held.any():
            _, press = self._plant.held(q, qd, force, self.slide, self.held)
            lower, upper = self.bounds()
            # where this is zero, `settle` lets go for certain
            slack = 2.0 * SLACK * (1.0 + np.abs(press))
            inside = np.minimum(upper - press, press - lower) + slack
            grip = np.where(self.held, inside, np.inf)[0]
        return np.concatenate([speed, below, above, grip])

    def arrest(self, t: float, q: Array, qd: Array, resting: Truths | None = None) -> list[Event]:
        """Hold the joints that came to rest or to a stop; `q` and `qd` are changed in place.

        Args:
            t: the time.
            q: positions.
            qd: velocities.
            resting: joints that are known to have come to rest.
        """
        events: list[Event] = []
        crossed = self.slide * qd < 0.0
        if resting is not None:
            crossed |= resting
        if crossed.any():
            qd[crossed] = 0.0
            self.held |= crossed
            self.slide[crossed] = 0.0
            events += _events(t, "sticks", crossed)
        if self._stops:
            lower, upper = self._stops
            low = (q <= lower) & (qd < 0.0) & ~self.held
            high = (q >= upper) & (qd > 0.0) & ~self.held
            hit = low | high
            if hit.any():
                q[low] = np.broadcast_to(lower, q.shape)[low]
                q[high] = np.broadcast_to(upper, q.shape)[high]
                self.held |= hit
                self.slide[hit] = 0.0
                self.low |= low
                self.high |= high
                rows = _any(hit)
                qd[rows] = self._plant.part(rows).stopped(q[rows], qd[rows], self.held[rows])
                events += _events(t, "stops at lower limit", low)
                events += _events(t, "stops at upper limit", high)
        return events


def _any(where: Truths) -> Truths:
    """Return which arms have a joint so."""
    return np.asarray(where.any(axis=1))


def _events(t: float, what: str, where: Truths) -> list[Event]:
    return [Event(t, what, int(joint), int(arm)) for arm, joint in np.argwhere(where)]
