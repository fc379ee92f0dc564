"""`StaticMotion`: poses reached from both sides, as goals of time and as a list of actions."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_choice, checked_number, checked_path
from armdyn.errors import InputError
from armdyn.excitation.space import Space
from armdyn.log.log import Log
from armdyn.log.recognition.names import GRIPPER
from armdyn.motion.joint_space import JointSpace
from armdyn.present.tables import Grid
from armdyn.writing import write_whole

# Time at rest in every pose, and at the start and the end [s]: a hold is one row after it settles.
HOLD, FIRST_HOLD = 0.7, 1.0

# Units of actions: degrees, radians, and LeRobot's share of the range from -100 to 100.
UNITS = ("deg", "rad", "m100_100")

# Rate at which clearances are checked [Hz]: at 0.8 rad/s every 0.008 rad.
CHECK_RATE = 100.0


@dataclass(frozen=True, eq=False, repr=False)
class StaticMotion:
    """Poses for weighing an arm by its servo errors, each reached slowly from both sides.

    Attributes:
        arm: the arm that moves.
        poses: in the order of the motion ``(m, n)``.
        times: when moves begin and end ``(k,)`` [s].
        moves: between these times; None: at rest.
        places: positions at these times ``(k, n)``.
        deviation: predicted relative standard deviation of droop over the ranges ``(n,)``; NaN of
            joints that carry no gravity.
        clearance: smallest distance of links to obstacles and each other [m]; infinite if nothing
            was compared.
        notes: what was assumed, a sentence each.

    Examples:
        >>> motion = armdyn.excite_static(armdyn.load("so101"), poses=2)
        >>> len(motion.poses)
        2
    """

    arm: Arm
    poses: Array
    times: Array
    moves: tuple[JointSpace | None, ...]
    places: Array
    deviation: Array
    clearance: float
    notes: tuple[str, ...]

    @property
    def duration(self) -> float:
        """Length of the motion [s]."""
        return float(self.times[-1])

    def sample(self, rate: float = 30.0) -> tuple[Array, Array]:
        """Return times ``(N,)`` and goals ``(N, n)``.

        Args:
            rate: samples per second.

        Returns:
            Times [s] and positions [rad or m].

        Raises:
            InputError: `rate` is not a number above 0.

        Examples:
            >>> motion = armdyn.excite_static(armdyn.load("so101"), poses=2)
            >>> t, goals = motion.sample(30.0)
            >>> goals.shape == (len(t), 6)
            True
        """
        per_second = checked_number(rate, "rate", least=1.0, below=1e5)
        t = np.arange(int(self.duration * per_second) + 1) / per_second
        part = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.moves) - 1)
        q = self.places[part].copy()
        for k, move in enumerate(self.moves):
            mine = part == k
            if move is not None and mine.any():
                q[mine] = move.q(np.clip(t[mine] - self.times[k], 0.0, move.duration))
        return t, q

    def actions(self, rate: float = 30.0, units: str = "deg") -> list[dict[str, float]]:
        """Return the goals as actions of a LeRobot-like loop, one dictionary a step.

        Args:
            rate: of the loop [Hz].
            units: "deg", "rad", or "m100_100": -100 to 100 over the range of each joint, 0 to 100
                of a gripper, as LeRobot has them.

        Returns:
            Dictionaries with a value for "JOINT.pos" of every joint.

        Raises:
            InputError: `rate` or `units` is wrong, or a joint has no range for "m100_100".

        Examples:
            >>> motion = armdyn.excite_static(armdyn.load("so101"), poses=2)
            >>> sorted(motion.actions()[0])[0]
            'elbow_flex.pos'
        """
        checked_choice(units, "units", UNITS)
        _, q = self.sample(rate)
        joints = self.arm.robot.joints
        if units == "m100_100":
            low, high = (np.array([getattr(j, end) for j in joints]) for end in ("lower", "upper"))
            if not np.isfinite(high - low).all():
                raise InputError(
                    '`units` is "m100_100", which needs position limits of all joints.',
                    argument="units",
                )
            grips = np.array([bool(GRIPPER.search(name)) for name in self.arm.joint_names])
            share = (q - low) / (high - low)
            q = np.where(grips, 100.0 * share, 200.0 * share - 100.0)
        elif units == "deg":
            q = np.where([joint.is_revolute for joint in joints], np.degrees(q), q)
        names = [f"{name}.pos" for name in self.arm.joint_names]
        return [dict(zip(names, row, strict=True)) for row in q.tolist()]

    def save(self, path: str | os.PathLike[str], *, rate: float = 30.0, units: str = "deg") -> None:
        """Write t and the goals as a log (CSV, NPZ, Parquet), or the actions as JSON.

        Args:
            path: of the file; ".json" for actions.
            rate: samples per second.
            units: of actions, see `actions`.

        Raises:
            FileError: the file cannot be written.
            InputError: `rate` or `units` is wrong.

        Examples:
            >>> motion = armdyn.excite_static(armdyn.load("so101"), poses=2)
            >>> motion.save("poses.csv")
            >>> motion.save("poses.json", units="m100_100")
        """
        target = checked_path(path)
        checked_choice(units, "units", UNITS)
        if target.suffix == ".json":
            text = {"robot": self.arm.name, "rate": rate, "units": units,
                    "actions": self.actions(rate, units)}  # fmt: skip
            write_whole(target, json.dumps(text) + "\n")
            return
        t, q = self.sample(rate)
        Log(t, q, joint_names=self.arm.joint_names).save(target)

    def table(self) -> Grid:
        """Return a row per joint: range of the poses, and predicted deviation of droop.

        Returns:
            The table; `text()` for a terminal.

        Examples:
            >>> motion = armdyn.excite_static(armdyn.load("so101"), poses=2)
            >>> print(motion.table().text())
            Poses of so101
            ...
        """
        rows = [
            (name, f"{low:.3f}", f"{high:.3f}", "-" if np.isnan(bar) else f"{bar:.1%}")
            for name, low, high, bar in zip(
                self.arm.joint_names, self.poses.min(axis=0).tolist(),
                self.poses.max(axis=0).tolist(), self.deviation.tolist(), strict=True,
            )
        ]  # fmt: skip
        heads = ("joint", "lowest", "highest", "predicted droop error")
        return Grid(f"Poses of {self.arm.name}", heads, 1, tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the motion as plain data for JSON.

        Returns:
            Its poses, duration, predicted deviations, clearance and notes.

        Examples:
            >>> motion = armdyn.excite_static(armdyn.load("so101"), poses=2)
            >>> len(motion.to_dict()["poses"])
            2
        """
        return {
            "name": self.arm.name,
            "joints": list(self.arm.joint_names),
            "duration": self.duration,
            "poses": self.poses.tolist(),
            "deviation": [None if np.isnan(x) else float(x) for x in self.deviation],
            "clearance": self.clearance if np.isfinite(self.clearance) else None,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return (
            f"<StaticMotion of {self.arm.name!r}: {len(self.poses)} poses from both sides, "
            f"{self.duration:.4g} s>"
        )


def motion_through(
    arm: Arm, poses: Array, legs: Sequence[tuple[Array, Array, float, bool]], velocity: Array,
    acceleration: Array, deviation: Array, notes: tuple[str, ...],
) -> StaticMotion:  # fmt: skip
    """Return the motion of some legs: from, to, largest speed, and whether to rest then."""
    times, places = [0.0, FIRST_HOLD], [legs[0][0], legs[0][0]]
    moves: list[JointSpace | None] = [None]
    for a, b, speed, rests in legs:
        move = JointSpace(a, b, np.minimum(velocity, speed), acceleration)
        moves.append(move)
        times.append(times[-1] + move.duration)
        places.append(b)
        if rests:
            moves.append(None)
            times.append(times[-1] + HOLD)
            places.append(b)
    moves.append(None)
    times.append(times[-1] + FIRST_HOLD)
    places.append(places[-1])
    return StaticMotion(
        arm, poses, np.array(times), tuple(moves), np.array(places), deviation, np.inf, notes
    )


def with_clearance(motion: StaticMotion, space: Space, avoided: bool) -> StaticMotion:
    """Return a motion with its smallest clearance, and a note if the arm touches itself."""
    near = space.clearances(motion.sample(CHECK_RATE)[1])
    if not near.shape[1]:
        return motion
    least, notes = float(near.min()), motion.notes
    if not avoided and least < 0.0:
        one, other = space.contacts[int(np.argmin(near.min(axis=0)))].names
        touch = f"the arm may touch itself: {one} and {other} by {-least:.2g} m"
        notes = (*notes, f"{touch}; give `self_collision` to avoid it.")
    return replace(motion, clearance=least, notes=notes)
