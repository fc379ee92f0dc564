"""`excite_static`: poses that weigh a position-servoed arm, each reached slowly from both sides.

Poses are chosen greedily: each lowers the predicted variance of droop over the ranges most, with
the prior of `armdyn.servo.prior`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_number, checked_seed, checked_whole
from armdyn.errors import InputError, NumericalError
from armdyn.excitation.limits import Limits, limits_of
from armdyn.excitation.space import Space
from armdyn.excitation.surroundings import check_free, surroundings_of
from armdyn.motion.trajectory import checked_arm
from armdyn.numerics import ratio, scaled_inverse
from armdyn.progress import Progress, reporter
from armdyn.servo.model import Model, model_of
from armdyn.servo.poses import StaticMotion, motion_through, with_clearance
from armdyn.servo.prior import EXPECTED, gravity_of, random_poses
from armdyn.servo.rows import Flags, no_rows
from armdyn.servo.verdict import CARRIES

# Distance from which a pose is approached, to both sides [rad or m], and the speed of the approach
# [rad/s or m/s]: windows of moving rows are a fraction of it.
ASIDE, ASIDE_SLIDING, APPROACH_SPEED = float(np.deg2rad(6.0)), 0.02, 0.3

# Largest speed of all other moves [rad/s or m/s]: inertia is small beside gravity.
SPEED = 0.8

# Poses to choose from, and postures that a detour around obstacles may lead through.
CANDIDATES, DETOURS = 1500, 300

# Distance between the postures that are checked along a move [rad or m].
CHECK_STEP = 0.02

# Largest root mean square of droop that is assumed of a joint [rad]: of an SO-101 in class A of
# `benchmarks/servo.py`. Only its ratio to friction matters here.
DROOP = float(np.deg2rad(8.0))

# Standard deviation of the mean error of a pose that is reached from both sides [rad]: half of the
# variance of a uniform band of expected width, and of the noise.
POSE_NOISE = float(np.sqrt((EXPECTED.friction**2 / 3.0 + EXPECTED.noise**2) / 2.0))


def excite_static(
    arm: Arm,
    poses: int = 24,
    *,
    position: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    margin: float = 0.1,
    start: ArrayLike | None = None,
    floor: float | None = None,
    walls: ArrayLike | None = None,
    self_collision: bool | None = None,
    radius: ArrayLike | None = None,
    clearance: float = 0.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> StaticMotion:
    """Compute poses that weigh a position-servoed arm, each reached slowly from both sides.

    Servo errors at rest are gravity and friction; a pose that is reached from both sides tells
    them apart. The poses are those that lower the predicted error of droop over the ranges most.
    Obstacles are those of `excite`; moves between poses are straight lines in joint space, with
    detours where these are not free.

    Args:
        arm: the arm, with rough masses.
        poses: number of poses; 24 take about 3 minutes.
        position: lowest and highest position, ``(2,)`` or ``(n, 2)``; the robot's if left out.
        velocity: largest, for all joints or one each, at most 0.8 rad/s; the robot's if left out.
        acceleration: largest, for all joints or one each.
        margin: share of the ranges of position that stays unused.
        start: where the motion starts and ends, ``(n,)``; if left out, at the first pose.
        floor: height of a floor in the base frame [m], against gravity.
        walls: planes (nx, ny, nz, d) in the base frame, ``(k, 4)``: the arm stays where
            nx x + ny y + nz z >= d.
        self_collision: keep links clear of each other; if left out, with `floor` or `walls`.
        radius: of capsules along the links, one number or one a link [m]; if left out, capsules
            enclose the solids of the robot's file.
        clearance: least distance to keep [m]; the arm hangs below its goals by some degrees.
        seed: of the random numbers: the same seed gives the same poses.
        progress: called with (done, total, what) after each pose.

    Returns:
        The motion, with the error of droop that it promises.

    Raises:
        InputError: an argument is wrong, a limit is missing, or the arm has no masses.
        NumericalError: no pose can be reached.

    Examples:
        >>> motion = armdyn.excite_static(armdyn.load("so101"), poses=3)
        >>> motion.poses.shape
        (3, 6)
        >>> motion.save("poses.csv")
    """
    arm = checked_arm(arm, "Poses for position servos")
    count = checked_whole(poses, "poses", 1, 1000)
    report, rng = reporter(progress), np.random.default_rng(checked_seed(seed))
    limits = limits_of(arm, position, velocity, acceleration, np.inf)
    unused = checked_number(margin, "margin", least=0.0, below=1.0)
    inner = limits.within(1.0 - unused)
    turns = np.array([joint.is_revolute for joint in arm.robot.joints])
    width = np.minimum(np.where(turns, ASIDE, ASIDE_SLIDING), (inner.upper - inner.lower) / 4.0)
    first = None if start is None else _checked_start(arm, start, limits)
    around = surroundings_of(arm, limits, floor, walls, self_collision, radius, clearance)
    space = around.space
    if around.avoided:
        check_free(space, inner, None)
    way = _Ways(space if around.avoided else None, inner, rng)
    if first is not None and not way.is_free(first[None]).all():
        raise InputError("`start` is a posture in contact; choose another one.", argument="start")
    model, loaded = _prior_model(arm)
    q = rng.uniform(inner.lower + width, inner.upper - width, (CANDIDATES, arm.n))
    aside = width * rng.choice([-1.0, 1.0], q.shape)
    free = way.is_free(q + aside) & way.is_free(q - aside) & way.is_free(q)
    q, aside = q[free], aside[free]
    chosen, deviation = _greedy(arm, model, loaded, q, min(count, len(q)), report)
    order = _tour(q, chosen, first, inner)
    places, at = list[Array](), first
    legs = list[tuple[Array, Array, float, bool]]()
    for i in order:
        near, far = q[i] + aside[i], q[i] - aside[i]
        route = [near] if at is None else way.route(at, near)
        if route is None or not way.free_line(near, far):
            continue
        if at is not None:
            legs += [(a, b, SPEED, False) for a, b in zip([at, *route], route, strict=False)]
        legs += [(near, q[i], APPROACH_SPEED, True), (q[i], far, APPROACH_SPEED, False),
                 (far, q[i], APPROACH_SPEED, True)]  # fmt: skip
        places.append(q[i])
        at = q[i]
    if not places or at is None:
        raise NumericalError(
            "no pose can be reached without contact. Check `floor`, `walls`, `radius` and `start`."
        )
    if first is not None:
        back = way.route(at, first) or []
        legs += [(a, b, SPEED, False) for a, b in zip([at, *back], back, strict=False)]
    notes = limits.notes
    if around.avoided and clearance == 0.0:
        below = "the arm hangs below its goals by the droop of its servos, some degrees"
        notes = (*notes, f"{below}: clearance=0.03 keeps it 3 cm away from obstacles.")
    if len(places) < count:
        missed = f"{count - len(places)} of {count} poses cannot be reached without contact."
        notes = (*notes, missed)
    if len(places) < len(order):
        deviation = _predicted(arm, model, loaded, np.array(places))
    speed = np.minimum(inner.velocity, SPEED)
    made = motion_through(arm, np.array(places), legs, speed, inner.acceleration, deviation, notes)
    return with_clearance(made, space, around.avoided)


def _checked_start(arm: Arm, start: object, limits: Limits) -> Array:
    q = checked_array(start, "start", (arm.n,), what=f"a position of all {arm.n} joints")
    outside = (q < limits.lower) | (q > limits.upper)
    if outside.any():
        j = int(np.argmax(outside))
        raise InputError(
            f"`start` has {arm.joint_names[j]} at {q[j]:g}, expected a position between its "
            f"limits, {limits.lower[j]:g} to {limits.upper[j]:g}.",
            argument="start",
        )
    return q


class _Ways:
    """Straight moves between postures, and detours where these are in contact."""

    def __init__(self, space: Space | None, limits: Limits, rng: np.random.Generator) -> None:
        self.space = space
        via = rng.uniform(limits.lower, limits.upper, (DETOURS, len(limits.lower)))
        self.via = via[self.is_free(via)]

    def is_free(self, q: Array) -> Flags:
        """Return which postures ``(N, n)`` are clear of everything."""
        if self.space is None:
            return np.ones(len(q), dtype=np.bool_)
        return self.space.slack(q).min(axis=1, initial=np.inf) >= 0.0

    def free_line(self, a: Array, b: Array) -> bool:
        """Whether the straight move between two postures is clear."""
        steps = max(int(np.ceil(float(np.abs(b - a).max()) / CHECK_STEP)), 1)
        return bool(self.is_free(a + np.linspace(0.0, 1.0, steps + 1)[:, None] * (b - a)).all())

    def route(self, a: Array, b: Array) -> list[Array] | None:
        """Return the postures from a to b, without a; None if there is no way."""
        if self.free_line(a, b):
            return [b]
        length = np.abs(self.via - a).max(axis=1) + np.abs(self.via - b).max(axis=1)
        for i in np.argsort(length).tolist():
            if self.free_line(a, self.via[i]) and self.free_line(self.via[i], b):
                return [self.via[i], b]
        return None


def _prior_model(arm: Arm) -> tuple[Model, Flags]:
    """Return a model without rows, and which joints carry gravity ``(n,)``."""
    gravity = gravity_of(arm)
    q = random_poses(arm, 300, 1, 0.8)
    torque = np.sqrt(np.mean(gravity.torques(q, gravity.mean, np.zeros(2)) ** 2, axis=0))
    nominal = np.full(arm.n, DROOP / float(torque.max(initial=1e-9)))
    none = no_rows(arm.n)
    model = model_of(
        arm, gravity, none, nominal, EXPECTED.common, EXPECTED.single, np.zeros(4 * arm.n)
    )
    return model, torque * nominal > CARRIES


def _weights(arm: Arm, model: Model, loaded: Flags) -> Array:
    """Return W: the trace of W times a covariance is the sum of relative variances of droop."""
    q = random_poses(arm, 300, 2, 0.8)
    x = np.zeros(model.layout.size)
    gradient = model.droop_gradient(x, q)[:, loaded]
    size = np.sqrt(np.mean(model.droop(x, q)[:, loaded] ** 2, axis=0))
    G = ratio(gradient, size[:, None], 0.0)
    return np.einsum("njp,njr->jpr", G, G, optimize=True) / len(q)


def _greedy(
    arm: Arm, model: Model, loaded: Flags, q: Array, count: int, report: Progress
) -> tuple[list[int], Array]:
    """Return the poses that lower the variance of droop most, and the deviations left ``(n,)``."""
    if not len(q):
        return [], np.full(arm.n, np.nan)
    G = model.droop_gradient(np.zeros(model.layout.size), q) / POSE_NOISE
    each = _weights(arm, model, loaded)
    total, sigma = each.sum(axis=0), np.eye(model.layout.size)
    chosen, eye = list[int](), np.eye(arm.n)
    for step in range(count):
        A: Array = G @ sigma
        S: Array = A @ np.swapaxes(G, 1, 2) + eye
        lowered: Array = A @ total @ np.swapaxes(A, 1, 2)
        gain = np.trace(np.linalg.solve(S, lowered), axis1=1, axis2=2)
        gain[chosen] = -1.0
        best = int(np.argmax(gain))
        chosen.append(best)
        sigma = np.asarray(sigma - A[best].T @ np.linalg.solve(S[best], A[best]), np.float64)
        report(step + 1, count, "poses")
    return chosen, _deviation(each, loaded, sigma)


def _predicted(arm: Arm, model: Model, loaded: Flags, q: Array) -> Array:
    """Return the deviations of droop after poses ``(n,)``."""
    G = model.droop_gradient(np.zeros(model.layout.size), q) / POSE_NOISE
    H = np.eye(model.layout.size) + np.einsum("njp,njr->pr", G, G)
    return _deviation(_weights(arm, model, loaded), loaded, scaled_inverse(H))


def _deviation(each: Array, loaded: Flags, sigma: Array) -> Array:
    made = np.full(len(loaded), np.nan)
    made[loaded] = np.sqrt(np.einsum("jpr,rp->j", each, sigma))
    return made


def _tour(q: Array, chosen: list[int], first: Array | None, limits: Limits) -> list[int]:
    """Return poses in an order of short moves: the nearest next, from the start."""
    left, at, made = list(chosen), first, list[int]()
    if at is None:
        at = (limits.lower + limits.upper) / 2.0
    while left:
        nearest = min(left, key=lambda i: float(np.abs(q[i] - at).max()))
        left.remove(nearest)
        made.append(nearest)
        at = q[nearest]
    return made
