"""Rollouts: the identified arm in simulation under measured torques, beside what the arm did.

Errors of torques are judged at measured states. A rollout judges what follows from them: windows
of the log start at the measured state, and the identified arm moves under the measured torques.
Small errors of torques add up to large errors of positions, and an arm that stands upright falls
over, so a weak term pulls the arm towards the measured motion:

    tau = measured + k (q* - q) + d (qd* - qd),   k = M w^2 + |g'|,  d = 2 sqrt(k M),  w = 2 pi 1 Hz

for each joint, where M is its entry of the mass matrix and g' the slope of its gravity, if that
drives it away from the measured position.

Its share of the torques measures how much help the model needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import ArmdynError
from armdyn.log.signals import Prepared
from armdyn.numerics import ratio
from armdyn.simulation.simulate import simulate

Predict = Callable[[Array, Array, Array], Array]


@dataclass(frozen=True)
class RolloutSettings:
    """Settings of rollouts.

    Attributes:
        seconds: length of a window [s].
        shortest: least length of a window [s].
        windows: largest number of windows.
        rate: most samples per second of a window.
        bandwidth: of the tracking term [Hz]; far below that of the motion, so that it corrects
            drift only.
        slope: step of the differences that give the slope of gravity [rad or m].
        step: longest step of the integration [s].
        stopping: friction must not stop a joint faster than this rate [1/s], or the steps of the
            integration are too long. Joints with less inertia get a little more, which changes
            nothing that lasts longer.
    """

    seconds: float = 3.0
    shortest: float = 0.5
    windows: int = 8
    rate: float = 1000.0
    bandwidth: float = 1.0
    slope: float = 1e-4
    step: float = 2e-3
    stopping: float = 1000.0


ROLLOUT = RolloutSettings()

# Speeds, as shares of the highest speed, between which the slope of friction is taken.
SPEEDS = np.linspace(0.02, 1.0, 50)


@dataclass(frozen=True, eq=False)
class Windows:
    """Some windows of logs, of equal length.

    Attributes:
        log: number of the log of each window.
        start: time at which each begins, on the clock of its log ``(B,)`` [s].
        t: times since then ``(M,)`` [s], equally spaced.
        q: measured positions ``(B, M, n)``, low-passed, like all that follow.
        qd: velocities.
        qdd: accelerations.
        tau: torques, not filtered.
    """

    log: tuple[int, ...]
    start: Array
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array


@dataclass(frozen=True, eq=False)
class Rollout:
    """The identified arm simulated in windows of the log.

    Attributes:
        windows: what was measured.
        q: simulated positions ``(B, M, n)``; NaN after a failure.
        deviation: rms of simulated minus measured positions, by window and joint ``(B, n)``.
        tracking: rms of the tracking term over rms of the measured torques, ``(n,)``.
        failure: why the simulation did not reach the end; empty if it did.
        notes: what was done, a sentence each.
    """

    windows: Windows
    q: Array
    deviation: Array
    tracking: Array
    failure: str
    notes: tuple[str, ...]


def windows_of(logs: Sequence[Prepared]) -> Windows | None:
    """Return windows spread evenly over logs; None if no segment is long enough."""
    pieces = [(k, a, b) for k, log in enumerate(logs) for a, b in log.bounds]
    lengths = [(b - a - 1) / logs[k].rate for k, a, b in pieces]
    span = min(ROLLOUT.seconds, max(lengths, default=0.0))
    rate = min(max(log.rate for log in logs), ROLLOUT.rate)
    if span < ROLLOUT.shortest or span * rate < 1.0:
        return None
    t = np.arange(int(span * rate) + 1) / rate
    places = [
        (k, a + int(i * t[-1] * logs[k].rate))
        for (k, a, _), length in zip(pieces, lengths, strict=True)
        for i in range(int(length / t[-1] + 1e-9))
    ]
    spread = np.linspace(0, len(places) - 1, min(len(places), ROLLOUT.windows))
    chosen: list[tuple[int, int]] = [places[i] for i in np.unique(spread.round().astype(np.int64))]
    parts = [_window(logs[k], first, t) for k, first in chosen]
    start = np.array([float(logs[k].t[first : first + 1][0]) for k, first in chosen])
    q, qd, qdd, tau = (np.stack(column) for column in zip(*parts, strict=True))
    return Windows(tuple(k for k, _ in chosen), start, t, q, qd, qdd, tau)


def _window(log: Prepared, first: int, t: Array) -> list[Array]:
    """Return q, qd, qdd and torques at times since sample `first`."""
    last = min(first + int(np.ceil(t[-1] * log.rate)) + 1, len(log.t))
    at = np.arange(last - first) / log.rate
    assert log.tau is not None
    parts: list[Array] = [x[first:last] for x in (log.q, log.qd, log.qdd, log.tau)]
    return [np.stack([np.interp(t, at, x[:, j]) for j in range(log.n)], axis=1) for x in parts]


def rollout(arm: Arm, windows: Windows, predict: Predict, coupling: Array | None = None) -> Rollout:
    """Simulate an arm in windows of logs, all of them together.

    Args:
        arm: the identified arm.
        windows: measured motions and torques.
        predict: torques of the whole model at q, qd, qdd ``(N, n)`` each. What it has beyond the
            arm (extra columns, friction of coupled drives) acts as at the measured motion.
        coupling: K, if measured torques are K times joint torques.
    """
    w, n = windows, arm.n
    states = [x.reshape(-1, n) for x in (w.q, w.qd, w.qdd)]
    K = np.eye(n) if coupling is None else coupling
    beyond = predict(*states) - arm.inverse_dynamics(*states) @ K.T
    drive = np.linalg.solve(K, (w.tau.reshape(-1, n) - beyond).T).T.reshape(w.tau.shape)
    M = arm.mass_matrix(states[0])
    more = _missing_inertia(arm, M, np.abs(w.qd).max(axis=(0, 1)))
    heavier, notes = _with_more_inertia(arm, more)
    inertia = (np.diagonal(M, axis1=1, axis2=2) + more).reshape(w.q.shape)
    stiffness = inertia * (2.0 * np.pi * ROLLOUT.bandwidth) ** 2
    stiffness += _toppling_slope(arm, states[0]).reshape(w.q.shape)
    damping = 2.0 * np.sqrt(stiffness * inertia)

    def tracking_torque(at: Sequence[Array], q: Array, qd: Array) -> Array:
        return at[2] * (at[0] - q) + at[3] * (at[1] - qd)

    measured = np.stack([w.q, w.qd, stiffness, damping, drive])

    def torque(t: float, q: Array, qd: Array) -> Array:
        k = min(t / w.t[1], len(w.t) - 1.0)
        i = min(int(k), len(w.t) - 2)
        at = tuple((1.0 - (k - i)) * measured[:, :, i] + (k - i) * measured[:, :, i + 1])
        return at[4] + tracking_torque(at, q, qd)

    simulated = np.full((2, *w.q.shape), np.nan)
    failure = ""
    try:
        run = simulate(
            heavier, w.q[:, 0], w.qd[:, 0], until=float(w.t[-1]), torque=torque, integrator="rk4",
            step=ROLLOUT.step, partial=True,
        )  # fmt: skip
        failure = "" if run.complete else " ".join(run.notes)
        motion = np.stack([run.q, run.qd])
        for k, b, j in np.ndindex(2, len(w.q), n):
            simulated[k, b, :, j] = np.interp(w.t, run.t, motion[k, :, b, j], right=np.nan)
    except ArmdynError as error:
        failure = str(error)
    tracking_torques = tracking_torque((w.q, w.qd, stiffness, damping), *simulated)
    tracking = ratio(_rms(tracking_torques, (0, 1)), _rms(w.tau, (0, 1)), 1.0)
    return Rollout(w, simulated[0], _rms(simulated[0] - w.q, (1,)), tracking, failure, notes)


def _toppling_slope(arm: Arm, q: Array) -> Array:
    """Return the slopes of gravity that drive joints away from a position, ``(N, n)``, or 0."""
    slopes = np.empty_like(q)
    for j, h in enumerate(ROLLOUT.slope * np.eye(arm.n)):
        slopes[:, j] = (arm.gravity(q - h) - arm.gravity(q + h))[:, j] / (2.0 * ROLLOUT.slope)
    return np.maximum(slopes, 0.0)


def _missing_inertia(arm: Arm, M: Array, fastest: Array) -> Array:
    """Return the inertia that joints lack so that friction does not stop them at once, ``(n,)``."""
    v = SPEEDS[:, None] * np.maximum(fastest, np.finfo(float).eps)
    f = arm.friction(v, load=np.zeros_like(v))
    slope = np.maximum(np.diff(f, axis=0) / np.diff(v, axis=0), 0.0).max(axis=0)
    own = ratio(1.0, np.abs(np.diagonal(np.linalg.pinv(M), axis1=1, axis2=2)).max(axis=0), 0.0)
    return np.maximum(slope / ROLLOUT.stopping - own, 0.0)


def _with_more_inertia(arm: Arm, more: Array) -> tuple[Arm, tuple[str, ...]]:
    """Return the arm with more rotor inertia, and notes."""
    if not (more > 0.0).any():
        return arm, ()
    robot = arm.robot
    joints = [
        replace(joint, rotor_inertia=joint.rotor_inertia + float(added))
        for joint, added in zip(robot.joints, more, strict=True)
    ]
    listed = ", ".join(
        f"{joint.name} ({added:.2g} {'kg m^2' if joint.is_revolute else 'kg'})"
        for joint, added in zip(joints, more, strict=True)
        if added > 0.0
    )
    return Arm(robot.with_joints(joints)), (
        "friction would stop some joints within a millisecond; for the simulation these got more "
        f"inertia: {listed}.",
    )


def _rms(x: Array, axes: tuple[int, ...]) -> Array:
    """Return the rms of the finite numbers over some axes."""
    there = np.isfinite(x)
    count = np.maximum(there.sum(axis=axes), 1)
    return np.sqrt(np.sum(np.where(there, x, 0.0) ** 2, axis=axes) / count)
