"""What moves the arm as time goes by: a recording, its own dynamics, or a hand."""

from __future__ import annotations

from threading import RLock
from typing import Literal

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arm.recording import Recording
from armdyn.arm.scene import home
from armdyn.arrays import Array
from armdyn.errors import ArmdynError
from armdyn.kinematics.poses import rotation_vectors
from armdyn.simulation.simulate import STEP, Live

# Joints that follow the handle at the tip.

# A hand moves the tip in small steps: joints that jump farther [rad or m] are on another branch.
JUMP = 0.6
# Exactness of the tip [m, rad]: finer than a pixel.
TIP_TOLERANCE = 1e-6
# Steps of damped least squares for one picture, at most.
ROUNDS = 25
# Damping, as a share of the squared reach, and the longest step of a joint [rad or m].
DAMPING, LONGEST = 1e-4, 0.3
# How much a turn of the tip counts, as a share of the reach.
TURN_WEIGHT = 0.12
# Fewer joints cannot keep the direction of the tip.
MIN_JOINTS_FOR_DIRECTION = 6


def followed(arm: Arm, q: Array, goal: Array, size: float) -> Array:
    """Return positions that bring the tip to a pose, or as near as small steps lead.

    Args:
        arm: the arm.
        q: where its joints are.
        goal: the pose, ``(4, 4)``.
        size: reach of the arm [m].
    """
    joints = arm.robot.joints
    lower, upper = (np.array([getattr(j, end) for j in joints]) for end in ("lower", "upper"))
    start = np.clip(q, lower, upper)
    if arm.n >= MIN_JOINTS_FOR_DIRECTION:
        try:
            found = arm.inverse_kinematics(goal, start, tolerance=TIP_TOLERANCE, restarts=0)
        except ArmdynError:
            found = None
        if found is not None and float(np.abs(found - q).max()) < JUMP:
            return found
    stiffness = TURN_WEIGHT * size if arm.n >= MIN_JOINTS_FOR_DIRECTION else 0.0
    return _steps(arm, start, goal, (lower, upper), stiffness, size)


def _steps(
    arm: Arm, q: Array, goal: Array, limits: tuple[Array, Array], stiffness: float, size: float
) -> Array:
    """Return positions after steps of damped least squares; joints at a limit stay there."""
    best, least = q, np.inf
    damping = DAMPING
    weight = np.array([1.0] * 3 + [stiffness] * 3)
    rows = 6 if stiffness else 3
    for _ in range(ROUNDS):
        T = arm.pose(q)
        turn = rotation_vectors((goal[:3, :3] @ T[:3, :3].T)[None])[0]
        error = (np.concatenate([goal[:3, 3] - T[:3, 3], turn]) * weight)[:rows]
        off = float(np.linalg.norm(error))
        if off < least:
            best, least, damping = q, off, max(damping / 3.0, 1e-9)
        else:
            q, damping = best, damping * 10.0
        if off < TIP_TOLERANCE or damping > 1.0:
            break
        J = (arm.jacobian(q) * weight[:, None])[:rows]
        free = np.ones(arm.n)
        step = np.zeros(arm.n)
        for _ in range(arm.n):
            held = J * free
            A = held @ held.T + damping * size**2 * np.eye(rows)
            step = free * (J.T @ np.linalg.solve(A, error))
            stuck = (free > 0.0) & (
                ((q + step < limits[0]) & (step < 0.0)) | ((q + step > limits[1]) & (step > 0.0))
            )
            if not stuck.any():
                break
            free[stuck] = 0.0
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        q = np.clip(q + step, *limits)
    return best


Mode = Literal["held", "playing", "free"]

# An arm that is let go never makes up for more time [s] than this.
MAX_CATCH_UP = 0.1
# The hand brakes what it pulls: damping per stiffness [s].
BRAKE = 0.12


class Motion:
    """The state of an arm. All methods may be called from any thread.

    Attributes:
        q: positions ``(n,)``.
        qd: velocities ``(n,)``.
        mode: "held", "playing" or "free".
        recording: the motion to play, or None.
        time: of the recording [s].
        speed: of playing.
        loops: whether playing begins again at the end.
        friction: whether an arm that is let go has friction.
        is_on_recording: whether the state is that of the recording.
        version: grows with every change.
        said: what a person should know of the motion; empty if nothing.
    """

    def __init__(self, arm: Arm, size: float, spring: float) -> None:
        """Begin at rest.

        Args:
            arm: the arm.
            size: its reach [m].
            spring: stiffness of a hand that pulls its tip [N/m].
        """
        self._arm, self._size, self._spring = arm, size, spring
        self._lock = RLock()
        self.q, self.qd = home(arm), np.zeros(arm.n)
        self.mode: Mode = "held"
        self.recording: Recording | None = None
        self.time, self.speed, self.loops, self.friction = 0.0, 1.0, False, True
        self.is_on_recording = False
        self.version, self.said = 0, ""
        self._live: Live | None = None
        self._owed = 0.0
        self._goal: Array | None = None

    def snapshot(self) -> tuple[int, Array, Array, Mode, float, bool, str]:
        """Return version, q, qd, mode, time, whether it is the recording's, and what to say."""
        with self._lock:
            return (
                self.version, self.q.copy(), self.qd.copy(), self.mode, self.time,
                self.is_on_recording, self.said,
            )  # fmt: skip

    def set(self, q: Array) -> None:
        """Put the joints somewhere, at rest; whatever moved them stops."""
        with self._lock:
            self._stop()
            self.is_on_recording = False
            self._put(q, np.zeros(self._arm.n))

    def set_joint(self, k: int, value: float) -> None:
        """Put one joint somewhere."""
        with self._lock:
            q = self.q.copy()
            q[k] = value
            self.set(q)

    def load(self, recording: Recording) -> None:
        """Take a recording, at its beginning."""
        with self._lock:
            self._stop()
            self.recording = recording
            self.seek(float(recording.t[0]))

    def play(self) -> None:
        """Play on, or from the beginning if it has ended."""
        with self._lock:
            if self.recording is None or len(self.recording.t) < 2:
                return
            self._stop()
            first, last = float(self.recording.t[0]), float(self.recording.t[-1])
            if self.time >= last or not first <= self.time:
                self.time = first
            self.seek(self.time)
            self.mode = "playing"

    def pause(self) -> None:
        """Stop playing, or hold an arm that moves, where it is."""
        with self._lock:
            self._stop()
            self.version += 1

    def seek(self, time: float) -> None:
        """Go to a time of the recording."""
        with self._lock:
            if self.recording is None:
                return
            playing = self.mode == "playing"
            self._stop()
            t = self.recording.t
            self.time = min(max(time, float(t[0])), float(t[-1]))
            self.is_on_recording = True
            self._put(at(self.recording.q, t, self.time), at(self.recording.qd, t, self.time))
            if playing:
                self.mode = "playing"

    def let_go(self) -> None:
        """Let the arm fall, from the state it is in."""
        with self._lock:
            if self.mode == "free":
                return
            if not self.is_on_recording:
                self.qd = np.zeros(self._arm.n)
            self.mode, self.is_on_recording = "free", False
            self._live, self._owed, self._goal = None, 0.0, None
            self.said = "preparing its dynamics"
            self.version += 1

    def set_friction(self, friction: bool) -> None:
        """Choose whether an arm that is let go has friction; one that falls goes on with it."""
        with self._lock:
            self.friction, self._live = friction, None
            self.touch()

    def touch(self) -> None:
        """Have all drawn again."""
        with self._lock:
            self.version += 1

    def reset(self) -> None:
        """Go back to where it began."""
        with self._lock:
            self._stop()
            if self.recording is None:
                self.set(home(self._arm))
            else:
                self.seek(float(self.recording.t[0]))

    def drag(self, goal: Array) -> None:
        """Follow a handle at the tip to a pose; an arm that was let go is pulled there."""
        with self._lock:
            self._goal = goal.copy()

    def release(self) -> None:
        """Let the handle go."""
        with self._lock:
            if self.mode == "free":
                self._goal = None
            self.version += 1

    @property
    def hand(self) -> Array | None:
        """Where the tip is pulled to, ``(3,)``; None if it is not."""
        return None if self._goal is None or self.mode != "free" else self._goal[:3, 3]

    @property
    def is_moving(self) -> bool:
        """Whether the state changes with time."""
        return self.mode != "held" or self._goal is not None

    def advance(self, passed: float) -> None:
        """Move on by a time [s]; called by one thread only."""
        if self.mode == "free":
            self._fall(passed)
        elif self._goal is not None:
            self._follow()
        elif self.mode == "playing":
            self._play_on(passed)

    def _follow(self) -> None:
        with self._lock:
            goal, start = self._goal, self.q
        if goal is None:
            return
        q = followed(self._arm, start, goal, self._size)
        with self._lock:
            newer = self._goal if self._goal is not goal else None
            if self.mode != "free":
                self.set(q)
                self._goal = newer

    def _play_on(self, passed: float) -> None:
        with self._lock:
            if self.mode != "playing" or self.recording is None:
                return
            first, last = float(self.recording.t[0]), float(self.recording.t[-1])
            time = self.time + passed * self.speed
            if time >= last and self.loops:
                time = first + (time - first) % (last - first)
            ended = time >= last
            self.seek(time)
            if ended:
                self.mode = "held"

    def _fall(self, passed: float) -> None:
        live = self._live
        if live is None:
            _, q, qd, *_ = self.snapshot()
            try:
                live = Live(self._arm, q, qd, friction=self.friction)
            except ArmdynError as error:
                with self._lock:
                    self._stop()
                    self.said, self.version = str(error), self.version + 1
                return
            with self._lock:
                if self.mode != "free":
                    return
                self._live, self.said = live, ""
            passed = 0.0
        with self._lock:
            if self.mode != "free":
                return
            self._owed += passed
            is_late = self._owed > MAX_CATCH_UP
            steps = int(min(self._owed, MAX_CATCH_UP) / STEP)
            self._owed = 0.0 if is_late else self._owed - steps * STEP
            try:
                for _ in range(steps):
                    live.step(self._pull(live))
            except ArmdynError as error:
                self._stop()
                self.said = str(error)
            else:
                self.said = "slower than real time" if is_late else ""
            if steps:
                self._put(live.q, live.qd)

    def _pull(self, live: Live) -> Array:
        """Return the torques of the hand that pulls the tip."""
        hand = self.hand
        if hand is None:
            return np.zeros(self._arm.n)
        J = self._arm.jacobian(live.q)[:3]
        away = hand - self._arm.pose(live.q)[:3, 3]
        return J.T @ (self._spring * (away - BRAKE * (J @ live.qd)))

    def _stop(self) -> None:
        if self.mode == "free":
            self.qd = np.zeros(self._arm.n)
        self.mode, self._live, self._goal, self.said = "held", None, None, ""

    def _put(self, q: Array, qd: Array) -> None:
        self.q, self.qd = np.array(q, dtype=float), np.array(qd, dtype=float)
        self.version += 1


def at(values: Array, t: Array, time: float) -> Array:
    """Return the row of values ``(N, k)`` at a time, on the line between two samples."""
    k = int(np.clip(np.searchsorted(t, time, side="right") - 1, 0, max(len(t) - 2, 0)))
    if len(t) < 2:
        return values[0]
    share = (time - t[k]) / (t[k + 1] - t[k])
    return (1.0 - share) * values[k] + share * values[k + 1]
