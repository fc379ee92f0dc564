"""A log as a recording: velocities where it has none, and the torques of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.page._recording import Recording
from armdyn.errors import InputError, shown
from armdyn.log import Log, Prepared, at_source_times, prepare

if TYPE_CHECKING:
    from armdyn.arm._arm import Arm

Array = NDArray[np.float64]

# A log whose positions are beyond limits in a larger share of its samples may be another arm's.
STRANGE = 0.02
# Positions beyond a limit by less than this [rad or m] are noise.
SLACK = 1e-2


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
        beyond = (q[:, k] < joint.lower - SLACK) | (q[:, k] > joint.upper + SLACK)
        if float(beyond.mean()) > STRANGE:
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
