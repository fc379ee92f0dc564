"""Recorded motions for pages and viewers: of runs and logs, with the torques of the model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import InputError, shown
from armdyn.log.clock import at_source_times
from armdyn.log.log import Log
from armdyn.log.signals import Prepared, prepare
from armdyn.present.html import packed_column

if TYPE_CHECKING:
    from armdyn.arm.arm import Arm

# A recorded motion for the page: samples, and torques that the model predicts for them.

# More samples are thinned out: they would fill the page and no screen.
MOST_SAMPLES = 40_000


@dataclass(frozen=True, eq=False)
class Recording:
    """A motion to be shown.

    Attributes:
        t: times ``(N,)`` [s].
        q: positions ``(N, n)``.
        qd: velocities ``(N, n)``.
        tau: torques of the drives ``(N, n)``, or None.
        predicted: torques of the model ``(N, n)``, or None.
        spans: times (from, to) between which the model's torques are known.
        about: what it is, for the head of the page.
        notes: what a reader of the page should know, a sentence each.
        marks: whether joints have the colour of their residual torque, measured less predicted.
    """

    t: Array
    q: Array
    qd: Array
    tau: Array | None = None
    predicted: Array | None = None
    spans: tuple[tuple[float, float], ...] = ()
    about: str = ""
    notes: tuple[str, ...] = field(default=())
    marks: bool = False

    def thinned(self, most: int = MOST_SAMPLES) -> Recording:
        """Return the recording with about `most` samples or fewer, the last one among them."""
        stride = -(-len(self.t) // most)
        if stride == 1:
            return self
        kept = np.union1d(np.arange(0, len(self.t), stride), len(self.t) - 1)
        note = f"The page has one sample of {stride} of this recording."
        return Recording(
            self.t[kept], self.q[kept], self.qd[kept],
            None if self.tau is None else self.tau[kept],
            None if self.predicted is None else self.predicted[kept],
            self.spans, self.about, (*self.notes, note), self.marks,
        )  # fmt: skip

    def data(self) -> dict[str, Any]:
        """Return the numbers as plain data for the page."""
        return {
            "t": packed_column(np.asarray(self.t, dtype=float)),
            "q": _columns(self.q),
            "qd": _columns(self.qd),
            "tau": None if self.tau is None else _columns(self.tau),
            "predicted": None if self.predicted is None else _columns(self.predicted),
            "spans": [list(span) for span in self.spans],
            "marks": self.marks,
        }


def _columns(values: Array) -> list[list[object]]:
    return [packed_column(np.ascontiguousarray(values[:, k])) for k in range(values.shape[1])]


# A log as a recording: velocities where it has none, and the torques of the model.

# A log whose positions are beyond limits in a larger share of its samples may be another arm's.
MAX_SHARE_BEYOND_LIMITS = 0.02
# Positions beyond a limit by less than this [rad or m] are noise.
LIMIT_NOISE = 1e-2


def recording_of(arm: Arm, log: object) -> Recording:
    """Return a log as a recording of an arm."""
    if not isinstance(log, Log):
        raise InputError(
            f"`log` is {shown(log)}, expected an armdyn.Log; read a file by armdyn.Log.read().",
            argument="log",
        )
    if log.n != arm.n:
        raise InputError(
            f"`log` is of {log.n} joints ({_listed(log.joint_names)}), but {arm.name!r} has "
            f"{arm.n} ({_listed(arm.joint_names)}); choose the joints by "
            "armdyn.Log.read(..., joints=arm).",
            argument="log",
        )
    given, log = log, at_source_times(log)
    t, q = np.asarray(log.t), np.asarray(log.q)
    prepared, why = _prepared(log)
    qd = None if log.qd is None else np.asarray(log.qd)
    predicted, spans = None, ()
    if prepared is not None:
        torques = arm.inverse_dynamics(prepared.q, prepared.qd, prepared.qdd)
        predicted = _at(t, prepared.t, torques)
        qd = _at(t, prepared.t, prepared.qd) if qd is None else qd
        spans = tuple((float(prepared.t[a]), float(prepared.t[b - 1])) for a, b in prepared.bounds)
    if qd is None:
        qd = np.gradient(q, t, axis=0) if len(t) > 1 else np.zeros_like(q)
    tau = None if log.tau is None or log.effort != "torque" else np.asarray(log.tau)
    about = f"log of {len(log)} sample{'s' * (len(log) > 1)}, {log.duration:.4g} s"
    if log.source:
        about += f": {log.source}"
    mended = log.notes[len(given.notes) :]
    return Recording(t, q, qd, tau, predicted, spans, about, (*why, *mended, *_doubts(arm, log)))


def _prepared(log: Log) -> tuple[Prepared | None, tuple[str, ...]]:
    """Return the samples with derivatives, or None and why there are none."""
    try:
        return prepare(log), ()
    except InputError as error:
        return None, (f"The model's torques are not shown: {error}",)


def _at(t: Array, times: Array, values: Array) -> Array:
    columns: list[Array] = [np.interp(t, times, column) for column in values.T]
    return np.stack(columns, axis=1)


def _doubts(arm: Arm, log: Log) -> list[str]:
    """Return signs that the log is of another arm, and what it lacks."""
    found: list[str] = []
    q, outside = np.asarray(log.q), dict[str, float]()
    for k, joint in enumerate(arm.robot.joints):
        beyond = (q[:, k] < joint.lower - LIMIT_NOISE) | (q[:, k] > joint.upper + LIMIT_NOISE)
        if float(beyond.mean()) > MAX_SHARE_BEYOND_LIMITS:
            outside[joint.name] = float(beyond.mean())
    if outside:
        share = f"{'up to ' * (len(outside) > 1)}{max(outside.values()):.0%} of the samples"
        found.append(
            f"{_listed(tuple(outside))}: outside the limits in {share}. Is this a log of this arm?"
        )
    if log.effort == "current":
        found.append("The log has currents, not torques: they are not compared with the model.")
    elif log.tau is None:
        found.append("The log has no torques.")
    return found


def _listed(names: tuple[str, ...]) -> str:
    few = ", ".join(names[:8])
    return f"{few}, ..." if len(names) > 8 else few
