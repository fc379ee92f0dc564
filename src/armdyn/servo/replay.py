"""Replay of left-out episodes: goals through the servo law, and the positions that follow.

Joints have inertia, gravity, damping and dry friction. A step is implicit in stiffness and damping,
and the impulses of dry friction are found by projected Jacobi iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.log.log import Log
from armdyn.numerics import scaled_inverse
from armdyn.servo.rows import Flags

# Longest step of the simulation [s]: a tenth of the period of an SO-101 on its servos.
STEP = 0.004

# Speed below which a joint sticks with its static friction [rad/s].
STICKS = 1e-3

# Iterations for the impulses of dry friction; rotors behind gears make the matrix almost diagonal.
SWEEPS = 8

# Time between evaluations of the mass matrix [s].
MASS_TIME = 0.02

# Longest replay [s]: about 2 s of processor time for 6 joints.
LONGEST = 60.0


@dataclass(frozen=True, eq=False)
class Servos:
    """Position servos of all joints, arrays ``(n,)``.

    Attributes:
        stiffness: torque per error [N m/rad].
        damping: torque per speed [N m s/rad].
        moving: dry friction of motion [N m]; `still`: of rest.
        still: dry friction of rest [N m].
        load: friction per transmitted torque.
        bias: of the error [rad].
        limit: largest torque [N m].
    """

    stiffness: Array
    damping: Array
    moving: Array
    still: Array
    load: Array
    bias: Array
    limit: float


@dataclass(frozen=True, eq=False)
class Replay:
    """Positions of left-out episodes, measured and simulated.

    Attributes:
        t: times ``(N,)`` [s]; of one episode after another.
        goals: of the log ``(N, n)`` [rad].
        measured: positions of the log ``(N, n)`` [rad].
        nominal: of the described arm on its expected servos ``(N, n)`` [rad].
        identified: of the arm that was identified from the other episodes ``(N, n)`` [rad].
        free: samples at which no joint that carries gravity is at a limit ``(N,)``.
    """

    t: Array
    goals: Array
    measured: Array
    nominal: Array
    identified: Array
    free: Flags

    @property
    def errors(self) -> dict[str, Array]:
        """Root mean square errors of positions ``(n,)`` [rad], by the model that predicts them.

        The described arm with ideal servos reaches its goals at once.
        """
        models = {"described": self.goals, "nominal": self.nominal, "identified": self.identified}
        return {
            name: np.sqrt(np.mean((q - self.measured)[self.free] ** 2, axis=0))
            for name, q in models.items()
        }


def replayed(
    parts: Sequence[tuple[Log, Flags]], described: Arm, nominal: Servos, arm: Arm, servos: Servos
) -> Replay | None:
    """Return the replay of episodes, up to `LONGEST`; None if there are none off the limits.

    Args:
        parts: episodes, and which of their samples are off the limits.
        described: arm of the description; `nominal`: its servos.
        nominal: expected servos, without friction.
        arm: identified arm; `servos`: its servos.
        servos: identified servos.
    """
    columns: list[tuple[Array, ...]] = []
    clear: list[Flags] = []
    seconds = 0.0
    for log, free in parts:
        assert log.q_cmd is not None
        end = int(np.searchsorted(log.t, float(log.t[0]) + LONGEST - seconds))
        if end < 2:
            break
        t, q, goals = log.t[:end], log.q[:end], log.q_cmd[:end]
        expected = _followed(described, nominal, t, goals, q[0])
        fitted = _followed(arm, servos, t, goals, q[0])
        columns.append((t - t[0] + seconds, goals, q, expected, fitted))
        clear.append(free[:end])
        seconds += float(t[-1] - t[0])
    if not columns:
        return None
    t, goals, q, expected, fitted = (np.concatenate(one) for one in zip(*columns, strict=True))
    made = Replay(t, goals, q, expected, fitted, np.concatenate(clear))
    return made if made.free.any() else None


def _followed(arm: Arm, servos: Servos, t: Array, goals: Array, start: Array) -> Array:
    """Return the positions at times t of servos that hold each goal until the next one."""
    joints = arm.robot.joints
    lower, upper = (np.array([getattr(j, end) for j in joints]) for end in ("lower", "upper"))
    lower, upper = np.minimum(lower, start), np.maximum(upper, start)
    k, d = servos.stiffness, servos.damping
    q, v, impulse = start.copy(), np.zeros(arm.n), np.zeros(arm.n)
    made, since, moment = np.empty_like(goals), np.inf, np.empty(0)
    diagonal, inverse = np.empty(0), np.empty(0)
    for i, time in enumerate(t):
        made[i] = q
        if i + 1 == len(t):
            break
        span = float(t[i + 1] - time)
        count = max(int(np.ceil(span / STEP)), 1)
        step = span / count
        goal = goals[i] - servos.bias
        for _ in range(count):
            if since >= MASS_TIME:
                moment = arm.mass_matrix(q)
                matrix = moment + np.diag(step * d + step**2 * k)
                inverse, diagonal, since = scaled_inverse(matrix), np.diag(matrix), 0.0
            since += step
            torque = np.clip(k * (goal - q), -servos.limit, servos.limit)
            wanted = moment @ v + step * (torque - arm.bias(q, v))
            dry = np.where(np.abs(v) < STICKS, servos.still, servos.moving)
            most = step * (dry + servos.load * np.abs(torque))
            for _ in range(SWEEPS):
                v = inverse @ (wanted - impulse)
                impulse = np.clip(impulse + diagonal * v, -most, most)
            v = inverse @ (wanted - impulse)
            q = q + step * v
            stopped = (q < lower) | (q > upper)
            q = np.clip(q, lower, upper)
            v = np.where(stopped, 0.0, v)
    return made
