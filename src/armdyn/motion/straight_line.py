"""Straight lines of the tip: as motions, as paths of joints, and the positions along them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_positive, checked_whole
from armdyn.errors import InputError, NumericalError, UnreachedError
from armdyn.kinematics.inverse_kinematics import checked_start, reach_of
from armdyn.kinematics.poses import checked_pose, pose_errors
from armdyn.kinematics.search import Reach
from armdyn.kinematics.turns import nearest_turn
from armdyn.motion.joint_space import Profile, Shape, profile
from armdyn.motion.trajectory import Trajectory, checked_arm, checked_duration, checked_limits
from armdyn.numerics import ratio

# A straight line of the tip, as joint positions along it.
#
# Between the first and the last pose, the position moves on a straight line and the orientation
# turns about one axis, both at a constant rate. The joints follow dq/ds = J^+ dx/ds, the joint
# velocities of minimum norm; these give smooth paths for redundant arms, too. Every node is then
# corrected onto the line to rounding. Arms of six joints or fewer with a closed form of inverse
# kinematics have all solutions at all nodes computed at once; of these, each node has the one that
# continues the path.

# Nodes at first; their pieces are halved until the line is followed, up to the second number.
NODES = 33
MOST_NODES = 2049
# Steps of Newton's method that put a node on the line; each squares its distance.
CORRECTIONS = 8

# A pose closer to the line than this [m or rad] is on it: forward kinematics has rounding.
ON_THE_LINE = 1e-10

# Singular values of the Jacobian below this share of the largest count as zero.
SINGULAR = 1e-6

# A shorter line [m or rad] counts as a point: rounding.
MIN_LINE_LENGTH = 1e-12
# A joint that moves less than this along the line [rad or m] does not move: rounding.
MIN_JOINT_TRAVEL = 1e-9
# More joints than this have solutions to spare.
SIX = 6

# A joint that moves farther than this between two nodes [rad or m] has changed its branch.
JUMP = 0.5


@dataclass(frozen=True)
class Line:
    """A path from one pose to another, for 0 <= s <= 1.

    Attributes:
        first: pose at s = 0.
        last: pose at s = 1.
    """

    first: Array
    last: Array

    @property
    def way(self) -> Array:
        """Displacement [m] and rotation vector [rad], in base axes: ``(6,)``."""
        return pose_errors(self.last, self.first[None])[0]

    def pose(self, s: float) -> Array:
        """Return the pose at s."""
        way = self.way
        T = np.eye(4)
        T[:3, :3] = _rotation(s * way[3:]) @ self.first[:3, :3]
        T[:3, 3] = self.first[:3, 3] + s * way[:3]
        return T


def check_length(line: Line) -> Array:
    """Return the length [m] and the angle [rad] of a line.

    Raises:
        InputError: both are zero.
    """
    way = line.way
    ways = np.sqrt([way[:3] @ way[:3], way[3:] @ way[3:]])
    if ways.max() < MIN_LINE_LENGTH:
        raise InputError("the arm is at the `pose` already: there is no motion.", argument="pose")
    return ways


def splines_along(
    arm: Arm, line: Line, start: Array, tolerance: float
) -> tuple[tuple[Any, Any, Any], float]:
    """Return splines of joint positions along the line, and derivatives; adds nodes as needed."""
    make = import_module("scipy.interpolate").make_interp_spline
    nodes, off = NODES, np.inf
    while nodes <= MOST_NODES:
        s, q = followed(arm, line, start, nodes)
        still = np.ptp(q, axis=0) <= MIN_JOINT_TRAVEL
        q[:, still] = q[0, still]
        spline = make(s, q, k=5)
        between = (s[1:] + s[:-1]) / 2
        off = distance(arm, line, between, np.asarray(spline(between), dtype=np.float64))
        if off <= tolerance:
            return (spline, spline.derivative(1), spline.derivative(2)), off
        nodes = 2 * nodes - 1
    raise NumericalError(
        f"the straight line cannot be followed to {tolerance:g}: with {MOST_NODES} nodes it is off "
        f"by {off:.3g}. It passes a singular position of the arm; choose another start or goal."
    )


def followed(arm: Arm, line: Line, start: Array, nodes: int) -> tuple[Array, Array]:
    """Return s ``(nodes,)`` and joint positions ``(nodes, n)`` on a line.

    Raises:
        UnreachedError: the arm cannot follow; the message says how far along the line it got.
    """
    reach, way = reach_of(arm), line.way
    s = np.linspace(0.0, 1.0, nodes)
    branch = _on_one_branch(arm, reach, line, start, s)
    if branch is not None:
        return s, branch
    h = float(s[1])
    q = [start]
    for k in range(1, nodes):
        x = q[-1]
        a = _rate(reach, x, way)
        b = _rate(reach, x + h / 2 * a, way)
        c = _rate(reach, x + h / 2 * b, way)
        d = _rate(reach, x + h * c, way)
        step = h / 6 * (a + 2 * b + 2 * c + d)
        step *= min(1.0, JUMP / max(float(np.abs(step).max()), 1e-300))
        q.append(_put_on(reach, line.pose(float(s[k])), x, x + step, float(s[k])))
    return s, np.array(q)


def distance(arm: Arm, line: Line, s: Array, q: Array) -> float:
    """Return the largest distance of positions from the line [m or rad]."""
    lack = pose_errors(np.array([line.pose(float(x)) for x in s]), arm.pose(q))
    return float(np.linalg.norm(lack.reshape(-1, 3), axis=1).max())


def _on_one_branch(arm: Arm, reach: Reach, line: Line, start: Array, s: Array) -> Array | None:
    """Return positions by the closed form of an arm; None if it has none, or loses the branch."""
    if arm.n > SIX or arm.closed_form is None:
        return None
    found = arm.inverse_kinematics_all([line.pose(float(x)) for x in s[1:]])
    turns = np.array([joint.is_revolute for joint in arm.robot.joints])
    q = [start]
    for branches, valid in zip(found.q, found.valid, strict=True):
        ahead = 2.0 * q[-1] - q[-2] if len(q) > 1 else q[-1]
        near = nearest_turn(branches, ahead, reach.lower, reach.upper, turns)
        away = np.where(valid, np.abs(near - ahead).max(axis=-1), np.inf)
        best = int(away.argmin())
        if not away[best] <= JUMP or np.abs(near[best] - q[-1]).max() > 2 * JUMP:
            return None
        q.append(near[best])
    path = np.array(q)
    return path if np.abs(np.diff(path, n=2, axis=0)).max() <= JUMP else None


def _rate(reach: Reach, q: Array, way: Array) -> Array:
    u, size, v = np.linalg.svd(reach.jacobian(q[None])[0], full_matrices=False)
    kept = size > SINGULAR * size[0]
    return (way @ u[:, kept] / size[kept]) @ v[kept]


def _put_on(reach: Reach, target: Array, before: Array, q: Array, s: float) -> Array:
    lack = np.full(6, np.inf)
    for _ in range(CORRECTIONS):
        q = np.clip(q, reach.lower, reach.upper)
        lack = pose_errors(target, reach.pose(q[None]))[0]
        if np.abs(lack).max() <= ON_THE_LINE and np.abs(q - before).max() <= 2 * JUMP:
            return q
        q = q + np.clip(_rate(reach, q, lack), -JUMP, JUMP)
    off = (float(np.linalg.norm(lack[:3])), float(np.linalg.norm(lack[3:])))
    where = f" at {s:.1%} of the straight line"
    raise UnreachedError(1, np.clip(q, reach.lower, reach.upper), *off, where)


def _rotation(v: Array) -> Array:
    """Return the rotation matrix of a rotation vector."""
    angle = float(np.linalg.norm(v))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = v / angle
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


# Straight-line motions of the tip.

# Number of times at which limits of joints are checked.
CHECKED_TIMES = 4001
# The times just before and after a kink, as a share of its time.
BESIDE = 1e-9
# A motion that is slowed down stays below the limits by this share.
LIMIT_MARGIN = 1e-6


@dataclass(frozen=True, eq=False, repr=False, init=False)
class StraightLine(Trajectory):
    """A motion of the tip on a straight line, turning about one axis, from rest to rest.

    Examples:
        >>> from armdyn.motion import StraightLine
        >>> arm = armdyn.load("puma560")
        >>> start = np.array([0.3, -0.5, 0.4, 0.2, 0.6, -0.1])
        >>> goal = arm.pose(start)
        >>> goal[2, 3] -= 0.05
        >>> motion = StraightLine(arm, start, goal, speed=0.1)
        >>> bool(motion.deviation < 1e-6)
        True

    Attributes:
        start: first joint positions, ``(n,)``.
        goal: last joint positions, ``(n,)``.
        profile: the position along the line as a function of time.
        deviation: largest distance from the line, and angle from its rotation [m or rad].
    """

    start: Array
    goal: Array
    profile: Profile
    deviation: float
    _splines: tuple[Any, Any, Any]

    def __init__(
        self,
        arm: Arm,
        start: ArrayLike,
        pose: ArrayLike,
        *,
        speed: float = 0.25,
        acceleration: float = 1.0,
        turning_speed: float = 1.0,
        turning_acceleration: float = 4.0,
        velocity: ArrayLike | None = None,
        joint_acceleration: ArrayLike = np.inf,
        shape: Shape = "trapezoid",
        duration: float | None = None,
        tolerance: float = 1e-6,
    ) -> None:
        """Follow the line with the arm's inverse kinematics.

        Args:
            arm: the arm.
            start: joint positions at which it begins, ``(n,)``.
            pose: of the tip, at which it ends, ``(4, 4)``.
            speed: largest, of the tip [m/s].
            acceleration: largest, of the tip [m/s^2].
            turning_speed: largest, of the tip's rotation [rad/s].
            turning_acceleration: largest, of the tip's rotation [rad/s^2].
            velocity: largest of the joints, for all or one each; default are the robot's.
                Where a joint would exceed it, the whole motion is slowed down.
            joint_acceleration: the same of accelerations.
            shape: of the speed: "trapezoid" or "quintic".
            duration: to take instead of the shortest one [s]; the limits still hold.
            tolerance: largest deviation from the line [m] and from its rotation [rad].

        Raises:
            UnreachedError: the arm cannot follow the line; the message says how far it got.
            NumericalError: the line passes a singular position too closely to be followed.
        """
        arm = checked_arm(arm, "Straight lines of the tip")
        q0 = checked_start(arm.robot.joints, start)
        line = Line(arm.pose(q0), checked_pose("pose", pose))
        own = [joint.velocity for joint in arm.robot.joints]
        v = checked_limits(own if velocity is None else velocity, "velocity", arm.n)
        a = checked_limits(joint_acceleration, "joint_acceleration", arm.n)
        wanted = None if duration is None else checked_duration(duration)
        ways = check_length(line)
        speeds = [
            checked_positive(speed, "speed"),
            checked_positive(turning_speed, "turning_speed"),
        ]
        rates = [
            checked_positive(acceleration, "acceleration"),
            checked_positive(turning_acceleration, "turning_acceleration"),
        ]
        # limits in lines per second, the stricter of those of position and rotation
        fastest, hardest = (float(ratio(x, ways, np.inf).min()) for x in (speeds, rates))
        chosen = profile(shape, fastest, hardest, wanted)
        splines, off = splines_along(arm, line, q0, checked_positive(tolerance, "tolerance"))
        _, qd, qdd = _states(splines, chosen, _checked_times(chosen))
        excess = float(max((np.abs(qd) / v).max(), np.sqrt((np.abs(qdd) / a).max())))
        if excess > 1.0:
            if wanted is not None:
                raise InputError(
                    f"`duration` is {wanted:g} s, but within the limits of the joints the motion "
                    f"takes {excess * wanted:.4g} s.",
                    argument="duration",
                )
            chosen = chosen.slower(excess * (1.0 + LIMIT_MARGIN))
        end = np.asarray(splines[0](1.0), dtype=np.float64)
        self._set(start=q0, goal=end, profile=chosen, deviation=off, _splines=splines)
        self._set(duration=chosen.duration, n=arm.n)

    def _states(self, t: Array) -> tuple[Array, Array, Array]:
        return _states(self._splines, self.profile, t)


def _checked_times(how: Profile) -> Array:
    """Return the times at which limits are checked, including both sides of every kink."""
    kinks = np.outer(how.kinks, [1.0 - BESIDE, 1.0, 1.0 + BESIDE]).reshape(-1)
    return np.concatenate([np.linspace(0.0, how.duration, CHECKED_TIMES), kinks])


def _states(splines: tuple[Any, Any, Any], how: Profile, t: Array) -> tuple[Array, Array, Array]:
    s, sd, sdd = how.at(t)
    q, by_s, by_ss = (np.asarray(spline(s), dtype=np.float64) for spline in splines)
    return q, by_s * sd[:, None], by_ss * sd[:, None] ** 2 + by_s * sdd[:, None]


# Straight lines of the tip as paths of joints.


class TipLine:
    """A straight line of the tip, turning about one axis, as a path q(s) for `time_optimal`.

    s is the share of the line, from 0 to 1. Of several solutions of inverse kinematics, the path
    keeps the one it begins with.

    Examples:
        >>> from armdyn.motion import TipLine, time_optimal
        >>> arm = armdyn.load("puma560")
        >>> start = np.array([0.3, -0.5, 3.0, 0.3, 0.8, 0.2])
        >>> goal = arm.pose(start)
        >>> goal[2, 3] -= 0.2
        >>> line = TipLine(arm, start, goal)
        >>> motion = time_optimal(arm, line, velocity=2.0, effort=100.0)
        >>> bool(abs(arm.pose(motion.q(motion.duration)) - goal).max() < 1e-6)
        True

    Attributes:
        start: joint positions at which it begins, ``(n,)``.
        goal: joint positions at which it ends, ``(n,)``.
        deviation: largest distance from the line, and angle from its rotation [m or rad].
    """

    def __init__(
        self, arm: Arm, start: ArrayLike, pose: ArrayLike, *, tolerance: float = 1e-6
    ) -> None:
        """Follow the line with the arm's inverse kinematics.

        Args:
            arm: the arm.
            start: joint positions at which it begins, ``(n,)``.
            pose: of the tip, at which it ends, ``(4, 4)``.
            tolerance: largest deviation from the line [m] and from its rotation [rad].

        Raises:
            UnreachedError: the arm cannot follow the line; the message says how far it got.
            NumericalError: the line passes a singular position too closely to be followed.
        """
        arm = checked_arm(arm, "Straight lines of the tip")
        self.start = checked_start(arm.robot.joints, start)
        line = Line(arm.pose(self.start), checked_pose("pose", pose))
        check_length(line)
        allowed = checked_positive(tolerance, "tolerance")
        self._splines, self.deviation = splines_along(arm, line, self.start, allowed)
        self.goal = np.asarray(self._splines[0](1.0), dtype=np.float64)

    def __call__(self, s: ArrayLike, derivative: int = 0) -> Any:
        """Return q or a derivative of q by s.

        Args:
            s: places ``(...)`` along the line, from 0 to 1.
            derivative: 0, 1 or 2.

        Returns:
            Array ``(..., n)`` [rad or m].

        Examples:
            >>> arm = armdyn.load("puma560")
            >>> start = np.array([0.3, -0.5, 3.0, 0.3, 0.8, 0.2])
            >>> goal = arm.pose(start)
            >>> goal[2, 3] -= 0.2
            >>> line = armdyn.motion.TipLine(arm, start, goal)
            >>> line([0.0, 0.5, 1.0]).shape, line(0.5, 1).shape
            ((3, 6), (6,))
        """
        places = checked_array(s, "s", what="places from 0 to 1")
        return self._splines[checked_whole(derivative, "derivative", 0, 2)](places)

    def __repr__(self) -> str:
        return f"<TipLine: {len(self.start)} joints, {self.deviation:.1g} off the line>"
