"""Joints held at rest by dry friction or by a stop, and their release.

Dry friction of a sliding joint acts against its motion. The direction is part of the state: near
zero, rounding would flip the sign of the speed. When the speed would change sign, the joint stops.
At rest it is held by a constraint while the torque on the hold stays within bounds: plus and minus
the breakaway torque for friction, and no bound towards a stop. Beyond the bounds it is released. So
there is no chattering, and friction needs no short steps. The idea of a band of rest is Karnopp's;
here the band has zero width.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.simulation.events import ROUNDED, SHORTER, Event, check_state
from armdyn.simulation.plant import Plant

Truths = NDArray[np.bool_]
Numbers = NDArray[np.intp]


class StictionState:
    """The held joints of all arms; arrays ``(B, n)``.

    Attributes:
        held: whether a joint is held.
        slide: the direction in which a free joint slides: -1, 1, or 0 without dry friction.
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
            stiction: the breakaway torque, as a multiple of the dry friction of a joint that
                begins to slide.
            stops: lower and upper limits at which joints stop.
        """
        self._plant, self._stops = plant, stops
        still, ahead = np.zeros(plant.n), np.ones(plant.n)
        self._dry = plant.dry_joints
        self._breakaway = plant.sliding(still, ahead) * stiction
        # of a joint at rest: friction per transmitted torque, and friction that is not dry
        self._share, self._smooth = plant.share(still, ahead) * stiction, plant.smooth(still)
        self.slide: Array = np.sign(qd) * self._dry
        self.low = np.zeros(q.shape, bool)
        self.high = np.zeros(q.shape, bool)
        if stops:
            self.low, self.high = (q <= stops[0]) & (qd <= 0.0), (q >= stops[1]) & (qd >= 0.0)
        self.held: Truths = (qd == 0.0) & (self._dry | self.low | self.high)

    def bounds(self, press: Array, force: Array) -> tuple[Array, Array]:
        """Return the smallest and the largest torque that a hold withstands.

        Args:
            press: the torques on the holds.
            force: torques without friction; what neither friction nor a hold bears, a gear
                transmits.
        """
        breakaway = self._breakaway
        if self._plant.bears_load:
            with np.errstate(invalid="ignore"):
                breakaway = breakaway + self._share * np.abs(force - self._smooth - press)
        lower = np.where(self.low, -np.inf, -breakaway)
        return lower, np.where(self.high, np.inf, breakaway)

    def settle(self, t: float, q: Array, qd: Array, force: Array) -> tuple[list[Event], Array]:
        """Release joints whose holds are overcome; return the events, and qdd after them."""
        qdd, press = self._plant.held(q, qd, force, self.slide, self.held)
        events = self.release(t, press, force)
        if not events:
            return events, qdd
        rows = np.unique([event.arm for event in events])
        for _ in range(2 * q.shape[1]):
            plant = self._plant.part(rows)
            qdd[rows], press[rows] = plant.held(
                q[rows], qd[rows], force[rows], self.slide[rows], self.held[rows]
            )
            more = self.release(t, press, force)
            if not more:
                break
            events += more
        return events, qdd

    def release(self, t: float, press: Array, force: Array) -> list[Event]:
        """Release one joint of each arm: the one whose hold is exceeded most."""
        if not self.held.any():
            return []
        lower, upper = self.bounds(press, force)
        with np.errstate(invalid="ignore"):
            over = np.maximum(press - upper, lower - press) - ROUNDED * (1.0 + np.abs(press))
            loose = self.held & (over > 0.0)
        if not loose.any():
            return []
        arms = np.flatnonzero(loose.any(axis=1))
        joints = np.where(loose, over, -np.inf)[arms].argmax(axis=1)
        was_stopped = (self.low | self.high)[arms, joints]
        self.held[arms, joints] = self.low[arms, joints] = self.high[arms, joints] = False
        self.slide[arms, joints] = np.sign(press[arms, joints]) * self._dry[joints]
        return [
            Event(t, "leaves the stop" if stop else "slips", int(joint), int(arm))
            for arm, joint, stop in zip(arms, joints, was_stopped, strict=True)
        ]

    def accelerations(self, q: Array, qd: Array, force: Array) -> Array:
        """Return qdd, which is zero for held joints."""
        return self._plant.held(q, qd, force, self.slide, self.held)[0]

    def margins(self, q: Array, qd: Array, force: Array) -> Array:
        """Return the margins ``(4n,)`` of one arm: a hold changes when one becomes negative.

        They are the speed of each joint, its distances from the lower and the upper stop, and the
        distance of the torque on its hold from the bounds; infinite if not applicable.
        """
        speed = np.where(self.slide[0] != 0.0, self.slide[0] * qd[0], np.inf)
        below = above = np.full(q.shape[1], np.inf)
        if self._stops:
            below = np.where(self.held[0], np.inf, q[0] - self._stops[0])
            above = np.where(self.held[0], np.inf, self._stops[1] - q[0])
        grip = np.full(q.shape[1], np.inf)
        if self.held.any():
            _, press = self._plant.held(q, qd, force, self.slide, self.held)
            lower, upper = self.bounds(press, force)
            # where this is zero, `settle` is certain to release the joint
            slack = 2.0 * ROUNDED * (1.0 + np.abs(press))
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
        # an unstable step must not be taken for joints that come to rest
        check_state(self._plant.arm, t, q, qd, SHORTER)
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
                self.low |= low
                self.high |= high
                events += _events(t, "stops at lower limit", low)
                events += _events(t, "stops at upper limit", high)
                events += self._strike(t, np.flatnonzero(hit.any(axis=1)), q, qd)
        return events

    def _strike(self, t: float, rows: Numbers, q: Array, qd: Array) -> list[Event]:
        """Stop the joints of some arms at stops, without a rebound; `qd` is changed in place.

        The impact is stronger than any friction: it moves joints that friction held, and can
        reverse sliding joints. Joints at rest on a stop stay there: otherwise two joints could lift
        each other for ever, less and less.
        """
        plant, before, was = self._plant.part(rows), qd[rows], self.held[rows]
        at_stop = (self.low | self.high)[rows]
        after = plant.stopped(q[rows], before, at_stop)
        # speeds of rounding size count as rest
        rest = np.abs(after) <= ROUNDED * np.abs(before).max(axis=1, keepdims=True)
        still = rest & (was | self._dry) & ~at_stop
        held = at_stop | still
        after[held] = 0.0
        qd[rows], self.held[rows] = after, held
        self.slide[rows] = np.where(held, 0.0, np.sign(after) * self._dry)
        sticks, slips = _events(t, "sticks", still & ~was), _events(t, "slips", was & ~held)
        return [replace(event, arm=int(rows[event.arm])) for event in (*sticks, *slips)]


def _events(t: float, what: str, where: Truths) -> list[Event]:
    return [Event(t, what, int(joint), int(arm)) for arm, joint in np.argwhere(where)]
