"""What a motion must keep clear of, and how near it comes to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_flag, checked_number
from armdyn.identification.exciting.geometry.capsules import Body, Capsule, body_of
from armdyn.identification.exciting.geometry.closest import Clearance, closest
from armdyn.identification.exciting.geometry.planes import Plane, base_plane, planes_of
from armdyn.identification.exciting.geometry.space import Space
from armdyn.identification.exciting.limits import Limits
from armdyn.motion.fourier import Fourier

# Samples a second at which a motion is checked, and the most of them: longer motions are checked
# over one period, or at a lower rate.
RATE = 1000.0
MOST_SAMPLES = 400_000

# Clearances above this [m] are not asked for by mistake.
LARGEST_CLEARANCE = 100.0


@dataclass(frozen=True)
class Surroundings:
    """Planes, capsules and what is to be done about them.

    Attributes:
        space: clearances between all of them.
        body: what stands for the links.
        avoided: whether contacts are avoided; else they are told.
        ground: the plane on which the base stands, if no floor was given and there is gravity.
    """

    space: Space
    body: Body
    avoided: bool
    ground: Plane | None

    @property
    def capsules(self) -> tuple[Capsule, ...]:
        """The capsules that stand for the links."""
        return self.body.capsules

    def found(self, trajectory: Fourier) -> tuple[Clearance, ...]:
        """Return the smallest clearances of a motion, the smallest first."""
        t, q = _dense(trajectory)
        return closest(self.space, t, q)

    def notes(self, trajectory: Fourier, near: tuple[Clearance, ...]) -> list[str]:
        """Return what the user should know about clearances, a sentence each."""
        notes = list(self.body.notes if self.avoided else ())
        if self.avoided and self.space.always:
            pairs = "; ".join(f"{a} and {b}" for a, b in (c.names for c in self.space.always))
            notes.append(f"not compared, because they cannot move apart: {pairs}.")
        rows = zip(self.space.contacts, self.space.margins, strict=True)
        narrow = [contact.names for contact, margin in rows if margin < self.space.margin]
        if self.avoided and narrow:
            pairs = "; ".join(f"{a} and {b}" for a, b in narrow)
            notes.append(
                f"nearer than {self.space.margin:g} m in every posture, so only kept from "
                f"touching: {pairs}."
            )
        if not self.avoided and near and near[0].distance < 0.0 and not self.body.notes:
            a, b = near[0].between
            notes.append(
                f"the arm touches itself: {a} and {b} by {-near[0].distance:.2g} m at "
                f"{near[0].time:.2f} s; give `self_collision` to avoid it."
            )
        if self.ground is not None:
            notes.extend(self._below(trajectory, self.ground))
        return notes

    def _below(self, trajectory: Fourier, ground: Plane) -> list[str]:
        t, q = _dense(trajectory)
        a, b = (np.tensordot(ground.normal, x, 1) for x in self.space.ends(q))
        moving = np.array([c.link > 0 for c in self.capsules])
        # links that no file describes count without their assumed radius
        thick = 0.0 if self.body.notes else self.space.radius[:, None]
        height = (np.minimum(a, b) - thick)[moving]
        # a link that cannot change its height stands beside the base
        height = height[np.ptp(height, axis=1) > 1e-9]
        if not height.size or not height.min() < 0.0:
            return []
        when = float(t[int(np.argmin(height.min(axis=0)))])
        return [
            f"the arm passes below the plane of its base, by {-height.min():.2g} m at "
            f"{when:.2f} s: if it stands on a floor or a table, give `floor`."
        ]


def surroundings_of(
    arm: Arm,
    limits: Limits,
    floor: object,
    walls: object,
    itself: object,
    radius: object,
    clearance: object,
) -> Surroundings:
    """Return the surroundings of an arm; arguments as of `excite`, checked."""
    margin = checked_number(clearance, "clearance", least=0.0, below=LARGEST_CLEARANCE)
    planes = planes_of(arm, floor, walls)
    with_itself = bool(planes) if itself is None else checked_flag(itself, "self_collision")
    body = body_of(arm, radius)
    ranges = np.stack([limits.lower, limits.upper], axis=1)
    avoided = bool(planes) or with_itself
    space = Space(
        arm, body, planes, itself=with_itself or not avoided, ranges=ranges, margin=margin
    )  # fmt: skip
    return Surroundings(space, body, avoided, base_plane(arm) if floor is None else None)


def slack_of(space: Space, trajectory: Fourier) -> float:
    """Return what a motion leaves of clearances above margins, infinite with nothing to hit."""
    _, q = _dense(trajectory)
    return float(space.slack(q).min(initial=np.inf))


def _dense(trajectory: Fourier) -> tuple[Array, Array]:
    """Return times and positions of a motion at 1 kHz."""
    until = trajectory.duration
    if until * RATE > MOST_SAMPLES and not trajectory.drift.any():
        until = trajectory.period
    count = min(MOST_SAMPLES, int(until * RATE) + 1)
    t = np.minimum(np.arange(count) / RATE, until)
    if count == MOST_SAMPLES:
        t = np.linspace(0.0, until, count)
    return t, trajectory.q(t)
