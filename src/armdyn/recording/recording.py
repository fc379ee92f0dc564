"""`Recording`: a log, the arm that moves in it, and what several checks compute from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.signals.band import motion_band
from armdyn.identification.signals.decimation import decimation_filter
from armdyn.identification.signals.quick_fit import POSITIONS, Windows, windows_of
from armdyn.identification.signals.torque_scale import TorqueScale, torque_scale
from armdyn.log.clock import at_source_times
from armdyn.log.goals import GoalMatch, goal_match
from armdyn.log.health import RESTING, constant_columns
from armdyn.log.log import Log
from armdyn.log.recognition.encoders import encoder_step
from armdyn.log.rows import extremes, runs
from armdyn.log.trim import NEGLIGIBLE_MOTION

Mask = NDArray[np.bool_]

# Steps of encoders are looked for in so many runs of so many rows.
RUNS, RUN = 8, 4096

# Torques are compared with the description up to this frequency [Hz], or up to this multiple of
# that of the motion, below which this share of the power of positions lies, as in `torque_scale`;
# and up to this share of the rate.
LOWEST_BAND, MOTION_BAND, MOTION_SHARE, HIGHEST_SHARE = 2.0, 4.0, 0.99, 0.4

# Spans of a fault that a picture can show.
MOST_SPANS = 40


class Recording:
    """A log with what its checks share; all of it is computed when it is needed.

    Attributes:
        raw: the log as it was read.
        arm: the arm, or None if it is not known.
    """

    def __init__(self, log: Log, arm: Arm | None) -> None:
        """Take a log of the joints of an arm, if one is known."""
        self.raw, self.arm = log, arm

    @cached_property
    def log(self) -> Log:
        """The log without repeated rows, at the times of its source."""
        return at_source_times(self.raw)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.raw.joint_names

    @cached_property
    def range(self) -> Array:
        """Range of every joint ``(n,)``."""
        low, high = extremes([self.log.q])
        return high - low

    @cached_property
    def moves(self) -> Mask:
        """Which joints move ``(n,)``."""
        most = float(self.range.max(initial=0.0))
        return self.range >= max(RESTING, NEGLIGIBLE_MOTION * most)

    @cached_property
    def steps(self) -> tuple[float | None, ...]:
        """Steps of the encoders; None where positions show none."""
        log = self.log
        rows = np.concatenate([log.q[a:b] for a, b in runs(len(log), RUNS, RUN)])
        return tuple(encoder_step(rows[:, j]) for j in range(log.n))

    @cached_property
    def goals(self) -> GoalMatch | None:
        """How commands match positions; None without commands."""
        return None if self.log.q_cmd is None else goal_match(self.log)

    @property
    def has_masses(self) -> bool:
        """Whether the arm is known, with masses."""
        return self.arm is not None and any(joint.mass for joint in self.arm.robot.joints)

    @cached_property
    def torque_rows(self) -> TorqueRows | None:
        """Filtered torques beside those of the described arm; None if nothing can be compared."""
        if self.arm is None or self.log.tau is None:
            return None
        return torque_rows(self.arm, self.log)

    @cached_property
    def scale(self) -> TorqueScale | None:
        """Unit and sign of the torques beside the description; None if nothing can be compared."""
        if self.arm is None or self.log.tau is None or not self.moves.any():
            return None
        try:
            return torque_scale(self.arm, [self.log], constant_columns([self.log.tau]))
        except InputError:
            return None

    def spans(self, rows: Mask) -> tuple[tuple[float, float], ...]:
        """Return start and end times [s] of the longest spans of rows of the log."""
        edges = np.flatnonzero(np.diff(rows.astype(np.int8), prepend=0, append=0))
        pairs = sorted(zip(edges[::2], edges[1::2], strict=True), key=lambda x: x[0] - x[1])
        t, last = self.log.t, len(self.log) - 1
        return tuple(
            (float(t[int(a)]), float(t[min(int(b), last)])) for a, b in sorted(pairs[:MOST_SPANS])
        )


@dataclass(frozen=True, eq=False)
class TorqueRows:
    """Rows of a log in the band of its motion, ``(M, n)`` each.

    Attributes:
        L: torques of the described links.
        q: positions.
        qd: velocities.
        qdd: accelerations.
        direction: signs of the velocities, filtered.
        tau: measured torques or currents.
        band: the band [Hz].
    """

    L: Array
    q: Array
    qd: Array
    qdd: Array
    direction: Array
    tau: Array
    band: float

    def columns(self, j: int) -> Array:
        """Return what may make the torque of a joint ``(M, 5)``."""
        parts = (self.L, self.qdd, self.qd, self.direction, np.ones_like(self.L))
        return np.stack([part[:, j] for part in parts], axis=1)


def band_of(parts: Sequence[Log]) -> float:
    """Return the band [Hz] in which torques are compared; 0 if no joint moves."""
    highest = HIGHEST_SHARE * min(part.rate for part in parts)
    motion = motion_band(parts, MOTION_SHARE)
    return min(max(LOWEST_BAND, MOTION_BAND * motion), highest)


def torque_rows(arm: Arm, log: Log) -> TorqueRows | None:
    """Return the torques of a log beside those of the described arm; None if it is too short."""
    windows = Windows(arm, windows_of([log]), HIGHEST_SHARE * log.rate, None, ())
    try:
        band = band_of(windows.parts)
    except InputError:
        return None
    made: list[list[Array]] = []
    for one in windows.prepared(min(POSITIONS * band, windows.highest)) if band > 0.0 else ():
        keep = decimation_filter(one.rate, band)
        for a, b in one.bounds:
            centres = keep.centres(b - a)
            if not len(centres) or one.tau is None:
                continue
            x = one.q[a:b], one.qd[a:b], one.qdd[a:b]
            L = arm.inverse_dynamics(*x, friction=False)
            start = int(centres[0]) - keep.reach
            columns = (L, *x, np.sign(x[1]), one.tau[a:b])
            made.append([keep.rows(c[start:])[: len(centres)] for c in columns])
    if not made:
        return None
    return TorqueRows(*(np.concatenate(x) for x in zip(*made, strict=True)), band=band)
