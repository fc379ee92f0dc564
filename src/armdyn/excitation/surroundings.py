"""Obstacles of a motion, the free postures between them, and how near a motion comes to them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_flag, checked_number
from armdyn.errors import InputError
from armdyn.excitation.body import Body, body_of
from armdyn.excitation.limits import Limits
from armdyn.excitation.series import Ends
from armdyn.excitation.space import CONSTANT, Plane, Space, base_plane, planes_of
from armdyn.motion.fourier import Fourier

# Rate at which a motion is checked [Hz], and the most samples: longer motions are checked over one
# period, or at a lower rate.
CHECK_RATE, MOST_SAMPLES = 1000.0, 400_000

# Larger clearances [m] are a mistake: another unit.
LARGEST_CLEARANCE = 100.0

# Random postures that show where an arm is free, and cells of the range of a joint.
POSTURES, CELLS = 20_000, 60


@dataclass(frozen=True)
class Clearance:
    """The smallest clearance between two things during a motion.

    Attributes:
        distance: between the capsules of links, or a capsule and a plane [m]; negative in contact.
        between: names of the two.
        time: when it is smallest [s].
    """

    distance: float
    between: tuple[str, str]
    time: float


@dataclass(frozen=True)
class Surroundings:
    """Planes, capsules and whether they are obstacles.

    Attributes:
        space: clearances between all of them.
        body: collision geometry of the links.
        avoided: whether contacts are avoided; otherwise they are only reported.
        ground: the plane on which the base stands, if no floor was given and there is gravity.
    """

    space: Space
    body: Body
    avoided: bool
    ground: Plane | None

    def closest(self, trajectory: Fourier) -> tuple[Clearance, ...]:
        """Return the smallest clearance of every contact in a motion, the smallest first."""
        t, q = _dense(trajectory)
        distances = self.space.clearances(q)
        near = [
            Clearance(float(column.min()), contact.names, float(t[np.argmin(column)]))
            for contact, column in zip(self.space.contacts, distances.T, strict=True)
        ]
        return tuple(sorted(near, key=lambda one: one.distance))

    def notes(self, trajectory: Fourier, near: tuple[Clearance, ...]) -> list[str]:
        """Return what the user should know about clearances, a sentence each."""
        notes: list[str] = []
        if self.avoided:
            rows = zip(self.space.contacts, self.space.margins, strict=True)
            narrow = [contact for contact, margin in rows if margin < self.space.margin]
            listed = {
                "not compared, because they cannot move apart": self.space.always,
                f"nearer than {self.space.margin:g} m in every posture, so only kept from "
                "touching": narrow,
            }
            notes.extend(self.body.notes)
            for words, contacts in listed.items():
                pairs = "; ".join(" and ".join(contact.names) for contact in contacts)
                notes.extend([f"{words}: {pairs}."] if pairs else [])
        elif near and near[0].distance < 0.0 and not self.body.notes:
            a, b = near[0].between
            notes.append(
                f"the arm touches itself: {a} and {b} by {-near[0].distance:.2g} m at "
                f"{near[0].time:.2f} s; give `self_collision` to avoid it."
            )
        return notes + (self._below(trajectory, self.ground) if self.ground is not None else [])

    def _below(self, trajectory: Fourier, ground: Plane) -> list[str]:
        t, q = _dense(trajectory)
        a, b = (np.tensordot(ground.normal, x, 1) for x in self.space.ends(q))
        moving = np.array([c.link > 0 for c in self.body.capsules])
        # links that no file describes count without their assumed radius
        thick = 0.0 if self.body.notes else self.space.radius[:, None]
        height = (np.minimum(a, b) - thick)[moving]
        # a link that cannot change its height stands beside the base
        height = height[np.ptp(height, axis=1) > CONSTANT]
        if not height.size or not height.min() < 0.0:
            return []
        when = float(t[int(np.argmin(height.min(axis=0)))])
        return [
            f"the arm passes below the plane of its base, by {-height.min():.2g} m at "
            f"{when:.2f} s: if it stands on a floor or a table, give `floor`."
        ]


def surroundings_of(
    arm: Arm, limits: Limits, floor: object, walls: object, itself: object, radius: object,
    clearance: object,
) -> Surroundings:  # fmt: skip
    """Return the surroundings of an arm; arguments as of `excite`, checked."""
    margin = checked_number(clearance, "clearance", least=0.0, below=LARGEST_CLEARANCE)
    planes = planes_of(arm, floor, walls)
    with_itself = bool(planes) if itself is None else checked_flag(itself, "self_collision")
    body = body_of(arm, radius)
    ranges = np.stack([limits.lower, limits.upper], axis=1)
    avoided = bool(planes) or with_itself
    alone = with_itself or not avoided
    space = Space(arm, body, planes, itself=alone, ranges=ranges, margin=margin)
    return Surroundings(space, body, avoided, base_plane(arm) if floor is None else None)


def slack_of(space: Space, trajectory: Fourier) -> float:
    """Return the least part of a clearance above its margin in a motion; infinite without any."""
    return float(space.slack(_dense(trajectory)[1]).min(initial=np.inf))


def _dense(trajectory: Fourier) -> tuple[Array, Array]:
    """Return times and positions of a motion at 1 kHz."""
    until = trajectory.duration
    if until * CHECK_RATE > MOST_SAMPLES and not trajectory.drift.any():
        until = trajectory.period
    count = min(MOST_SAMPLES, int(until * CHECK_RATE) + 1)
    t = np.minimum(np.arange(count) / CHECK_RATE, until)
    if count == MOST_SAMPLES:
        t = np.linspace(0.0, until, count)
    return t, trajectory.q(t)


def free_limits(space: Space, limits: Limits, ends: Ends | None) -> Limits:
    """Return limits of position without ranges that are never free, as random postures show.

    Of several free parts of a range, the widest one stays, or the one with the ends of the motion.
    """
    q = limits.random_states(POSTURES)[0]
    free = q[(space.slack(q) >= 0.0).all(axis=1)]
    lower, upper = limits.lower.copy(), limits.upper.copy()
    for j, (low, high) in enumerate(zip(limits.lower, limits.upper, strict=True)):
        counts, edges = np.histogram(free[:, j], CELLS, (low, high))
        steps = np.diff((counts > 0).astype(int), prepend=0, append=0)
        ranges = list(zip(edges[steps > 0], edges[steps < 0], strict=True))
        if ends is not None:
            first, last = sorted((ends.start[j], ends.end[j]))
            ranges = [(a, b) for a, b in ranges if a < first and last < b]
        if ranges:
            lower[j], upper[j] = max(ranges, key=lambda part: part[1] - part[0])
    return replace(limits, lower=lower, upper=upper)


def check_free(space: Space, limits: Limits, ends: Ends | None) -> None:
    """Refuse ends in contact, and surroundings that leave the arm no posture."""
    if ends is not None:
        for name, q in (("start", ends.start), ("end", ends.end)):
            slack = space.slack(q[None])[0]
            if (slack < 0.0).any():
                k = int(np.argmin(slack))
                one, other = space.contacts[k].names
                raise InputError(
                    f"`{name}` is a posture in which the clearance between {one} and {other} is "
                    f"{slack[k] + space.margins[k]:.4g} m; at least {space.margins[k]:g} m is "
                    "needed. Choose another posture.",
                    argument=name,
                )
        return
    slack = space.slack(limits.random_states(POSTURES)[0])
    if not slack.shape[1] or (slack.min(axis=1) >= 0.0).any():
        return
    names = space.contacts[int(np.argmin(slack.max(axis=0)))].names
    raise InputError(
        f"in none of {POSTURES} random postures within the limits of position does the arm keep "
        f"{space.margin:g} m clear; the hardest is between {names[0]} and {names[1]}. Check "
        "`floor` and `walls` (free is where normal . x >= d, in the base frame), `radius` "
        "and `clearance`.",
        argument="floor" if names[1] == "floor" else "walls" if space.planes else "radius",
    )
