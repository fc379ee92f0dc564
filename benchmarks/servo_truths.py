"""Truths for `servo.py`: SO-101 arms with position servos in MuJoCo, and the logs they make.

A truth is a described arm whose masses, servos, mount and calibration are all a little wrong, in
one of three classes. A: large friction (5 to 15 % of the stall torque), B: small friction (1.5 to
5 %), C: friction of 2 to 10 % and effects that the model of `armdyn.servo` lacks: friction that
waves with the position, asymmetric friction, cable springs, sagging supply, late actions. The servo
loop has a quantised encoder, a dead zone of one count and a torque limit; joints have stiction,
Stribeck friction, friction that grows with the transmitted torque, and backlash.

Logs are those of a LeRobot recorder: 30 to 50 Hz, nominal stamps, the state read before the action
is sent.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

import armdyn
from armdyn.robot.formats.mjcf.write import mjcf_text

Array = NDArray[np.float64]

STEP = 0.002  # of the simulation [s]
COUNT = 2.0 * math.pi / 4096  # of the encoder [rad]
STALL = 2.94  # of an STS3215 at 12 V [N m]
STIFFNESS = 7.8  # nominal, with P = 16 [N m/rad]
DAMPING = 0.55  # of its back-EMF [N m s/rad]
ARMATURE = 0.028  # of its rotor behind the gear [kg m^2]
OPEN_TORQUE = 0.02  # below which a joint is within its backlash [N m]
LOADED = (1, 2, 3)  # shoulder_lift, elbow_flex, wrist_flex
FRICTION = {"A": (0.05, 0.15), "B": (0.015, 0.05), "C": (0.02, 0.10)}

Goals = Callable[[float], Array]


@dataclass(frozen=True)
class Truth:
    """An arm with its servos.

    Attributes:
        described: the arm as described; `arm`: as it is, on its tilted mount.
        stiffness, limit, stiction, coulomb, stribeck, load, backlash, zero: of every joint.
        waves: amplitude, waves per radian and phase of friction over position.
        asymmetry: share by which friction of positive motion exceeds the mean.
        spring: torques per angle of cables [N m/rad]; `spring_at`: where they are slack.
        sag: loss of stiffness at a summed torque of one stall torque.
        late: share of actions that arrive one sample late.
        integral: time of an I term [s]; infinite without.
    """

    described: armdyn.Arm
    arm: armdyn.Arm
    stiffness: Array
    limit: Array
    damping: Array
    stiction: Array
    coulomb: Array
    stribeck: Array
    load: Array
    backlash: Array
    zero: Array
    waves: Array
    asymmetry: Array
    spring: Array
    spring_at: Array
    sag: float
    late: float
    rate: float
    integral: float = math.inf
    seed: int = 0

    def passive(self, logged: Array) -> Array:
        """Return the torques of gravity and cables at logged positions ``(..., n)`` [N m].

        Encoders are before the backlash: the link hangs on the side to which its torque pulls.
        """
        q, torque = logged - self.zero, np.zeros_like(logged)
        for _ in range(3):
            link = q - self.backlash / 2.0 * np.clip(torque / OPEN_TORQUE, -1.0, 1.0)
            torque = self.arm.gravity(link) + self.spring * (link - self.spring_at)
        return torque

    def droop(self, logged: Array) -> Array:
        """Return the middle of the band in which the servo error may rest ``(..., n)`` [rad]."""
        load = self.passive(logged)
        sides = [self._edge(logged, load, side) for side in (1.0, -1.0)]
        torque = (sides[0] + sides[1]) / 2.0
        summed = np.abs(torque).sum(-1, keepdims=True)
        return torque / (self.stiffness * (1.0 - self.sag * np.minimum(summed / STALL, 1.0)))

    def _edge(self, logged: Array, load: Array, side: float) -> Array:
        """Return the motor torque at which a joint at rest starts to move to one side."""
        shift = load + side * self.stiction * self._wave(logged - self.zero, np.full(6, side))
        return shift / (1.0 - side * self.load * np.sign(shift))

    def _wave(self, q: Array, side: Array) -> Array:
        height, number, phase = self.waves
        return (1.0 + height * np.sin(number * q + phase)) * (1.0 + side * self.asymmetry)


def truth(kind: str, seed: int, *, integral: float = math.inf) -> Truth:
    """Return truth number `seed` of a class."""
    rng = np.random.default_rng([ord(kind), seed])
    described = armdyn.load("so101")
    joints = []
    for joint in described.robot.joints:
        factor = rng.uniform(0.6, 1.4)
        com = tuple(np.array(joint.com) + rng.uniform(-0.005, 0.005, 3))
        inertia = tuple(factor * x for x in joint.inertia)
        joints.append(replace(joint, mass=factor * joint.mass, com=com, inertia=inertia))
    extra, hand = rng.uniform(0.0, 0.15), joints[4]  # a heavier gripper, 60 mm out
    com = (hand.mass * np.array(hand.com) + extra * np.array([0.0, 0.0, -0.06])) / (
        hand.mass + extra
    )
    joints[4] = replace(hand, mass=hand.mass + extra, com=tuple(com))
    tilt = np.deg2rad(rng.uniform(-2.0, 2.0, 2))
    gravity = 9.81 * np.array([math.sin(tilt[0]), math.sin(tilt[1]), -1.0])
    gravity *= 9.81 / np.linalg.norm(gravity)
    low, high = FRICTION[kind]
    stiction = STALL * rng.uniform(low, high, 6)
    lacks = kind == "C"
    waves = np.array([rng.uniform(0, 0.3, 6), rng.uniform(3, 8, 6), rng.uniform(0, 6.28, 6)])
    asymmetry, spring = rng.uniform(-0.15, 0.15, 6), rng.uniform(0.0, 0.04, 6)
    common = rng.uniform(0.8, 1.2)
    return Truth(
        described=described,
        arm=armdyn.Arm(described.robot.with_joints(joints, gravity=tuple(gravity))),
        stiffness=STIFFNESS * common * rng.uniform(0.93, 1.07, 6),
        limit=np.full(6, 0.97 * STALL * common),
        damping=DAMPING * rng.uniform(0.8, 1.2, 6),
        stiction=stiction,
        coulomb=stiction * rng.uniform(0.75, 0.95, 6),
        stribeck=rng.uniform(0.05, 0.2, 6),
        load=rng.uniform(0.0, 0.10, 6),
        backlash=np.deg2rad(rng.uniform(0.3, 0.8, 6)),
        zero=np.deg2rad(rng.uniform(-5.0, 5.0, 6)),
        waves=waves if lacks else 0.0 * waves,
        asymmetry=asymmetry if lacks else 0.0 * asymmetry,
        spring=spring if lacks else 0.0 * spring,
        spring_at=rng.uniform(-0.5, 0.5, 6),
        sag=rng.uniform(0.0, 0.10) if lacks else 0.0,
        late=0.3 if lacks else 0.0,
        rate=float(rng.choice([30.0, 40.0, 50.0])),
        integral=integral,
        seed=seed,
    )


def with_mass(truth: Truth, mass: float, at: Array) -> Truth:
    """Return a truth with a point mass hung at a point of the tip frame."""
    robot = truth.arm.robot
    last = robot.joints[-1]
    point = np.asarray(robot.tool)[:3, :3] @ at + np.asarray(robot.tool)[:3, 3]
    total = last.mass + mass
    com = (last.mass * np.array(last.com) + mass * point) / total
    joints = [*robot.joints[:-1], replace(last, mass=total, com=tuple(com))]
    return replace(truth, arm=armdyn.Arm(robot.with_joints(joints)))


def record(truth: Truth, goals: Goals, seconds: float, start: Array, seed: int = 0) -> armdyn.Log:
    """Simulate the servos along goals of time, in logged coordinates, and return the log."""
    rng = np.random.default_rng([truth.seed, seed])
    robot = truth.arm.robot
    wide = [replace(j, lower=-math.inf, upper=math.inf, rotor_inertia=ARMATURE,
                    viscous=0.0, coulomb=1e-6) for j in robot.joints]  # fmt: skip
    model = mujoco.MjModel.from_xml_string(
        mjcf_text(robot.with_joints(wide, gravity=robot.gravity))
    )
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.opt.gravity[:] = robot.gravity
    model.dof_damping[:] = truth.damping
    # almost rigid stiction: creep below 1e-5 rad/s
    model.dof_solimp[:] = [0.9999, 0.9999, 0.001, 0.5, 2.0]
    model.dof_solref[:] = [2.0 * STEP, 1.0]
    data = mujoco.MjData(model)
    data.qpos[:] = start - truth.zero
    steps, half = int(seconds / STEP), truth.backlash / 2.0
    torque, total = np.zeros(6), np.zeros(6)
    goal = waiting = start.copy()
    next_tick, frame = 0.0, 0
    states, actions = [], []
    k, limit, load = truth.stiffness, truth.limit, truth.load
    stiction, coulomb, stribeck = truth.stiction, truth.coulomb, truth.stribeck
    lacks = bool(truth.waves.any() or truth.sag)
    loss, position, speed = model.dof_frictionloss, data.qpos, data.qvel
    applied, zero = data.qfrc_applied, truth.zero
    integral = 0.0 if math.isinf(truth.integral) else STEP / truth.integral
    for i in range(steps):
        now = i * STEP
        seen = position + zero + half * np.clip(torque / OPEN_TORQUE, -1.0, 1.0)
        encoder = np.rint(seen / COUNT) * COUNT
        if now >= next_tick:
            states.append(encoder)
            asked = goals(frame / truth.rate)
            actions.append(asked)
            late = truth.late and rng.random() < truth.late
            goal, waiting = (waiting if late else asked), asked
            frame += 1
            next_tick = frame / truth.rate + abs(0.003 * rng.standard_normal())
        error = goal - encoder
        error = np.where(np.abs(error) <= COUNT, 0.0, error)
        if integral:
            total = np.clip(total + integral * error, -0.3, 0.3)
            error = error + total
        stiff = k
        if lacks:
            stiff = k * (1.0 - truth.sag * min(float(np.abs(torque).sum()) / STALL, 1.0))
        torque = np.minimum(np.maximum(stiff * error, -limit), limit)
        dry = coulomb + (stiction - coulomb) * np.exp(-((speed / stribeck) ** 2))
        if lacks:
            side = np.where(np.abs(speed) > 1e-4, np.sign(speed), np.sign(torque))
            dry = dry * truth._wave(position, side)
            applied[:] = torque - truth.spring * (position - truth.spring_at)
        else:
            applied[:] = torque
        loss[:] = dry + load * np.abs(torque)
        mujoco.mj_step(model, data)
    t = np.arange(len(states)) / truth.rate
    return armdyn.Log(
        t, np.array(states), q_cmd=np.array(actions), joint_names=truth.described.joint_names
    )


def limits(arm: armdyn.Arm, share: float) -> tuple[Array, Array]:
    """Return the middle share of all ranges."""
    lower = np.array([j.lower for j in arm.robot.joints])
    upper = np.array([j.upper for j in arm.robot.joints])
    middle, half = (lower + upper) / 2.0, share * (upper - lower) / 2.0
    return middle - half, middle + half


def new_poses(arm: armdyn.Arm, count: int = 300, seed: int = 1) -> Array:
    """Return test poses over 80 % of all ranges."""
    return np.random.default_rng(seed).uniform(*limits(arm, 0.8), (count, 6))


def through(points: list[tuple[float, Array]]) -> Goals:
    """Return piecewise cubic goals through (time, position), at rest at every point."""
    times, places = np.array([p[0] for p in points]), np.array([p[1] for p in points])

    def goals(t: float) -> Array:
        i = int(np.clip(np.searchsorted(times, t) - 1, 0, len(times) - 2))
        x = min(max((t - times[i]) / (times[i + 1] - times[i]), 0.0), 1.0)
        x = x * x * (3.0 - 2.0 * x)
        return places[i] + x * (places[i + 1] - places[i])

    return goals


def poses(truth: Truth, count: int = 24, speed: float = 0.6, seed: int = 2) -> armdyn.Log:
    """Record poses, each reached from both sides: about 180 s for 24 poses."""
    rng = np.random.default_rng([truth.seed, seed])
    low, high = limits(truth.described, 0.8)
    at = (low + high) / 2.0
    start, now, points = at, 0.5, [(0.0, at), (0.5, at)]
    for pose in rng.uniform(low, high, (count, 6)):
        aside = math.radians(6.0) * rng.choice([-1.0, 1.0], 6)
        for side in (aside, -aside):
            for place in (pose + side, pose):
                now += max(1.5 * float(np.abs(place - at).max()) / speed, 0.25)
                points.append((now, place))
                at = place
            now += 0.7
            points.append((now, at))
    return record(truth, through(points), now, start, seed)


def static(truth: Truth, seed: int = 6) -> armdyn.Log:
    """Record the poses of `excite_static`: about 110 s."""
    motion = armdyn.excite_static(truth.described)
    t, places = motion.sample(100.0)

    def goals(now: float) -> Array:
        return places[min(round(100.0 * now), len(t) - 1)]

    return record(truth, goals, motion.duration, places[0], seed)


def teleop(truth: Truth, seconds: float = 180.0, seed: int = 3) -> armdyn.Log:
    """Record motion around a working posture, with pauses, in episodes of about 45 s."""
    rng = np.random.default_rng([truth.seed, seed])
    low, high = limits(truth.described, 0.8)
    middle = rng.uniform(low + 0.25 * (high - low), high - 0.25 * (high - low))
    reach = np.array([0.6, 0.5, 0.5, 0.5, 0.6, 0.4])
    at, now = middle, 0.5
    points = [(0.0, at), (0.5, at)]
    while now < seconds:
        place = np.clip(middle + reach * rng.uniform(-1.0, 1.0, 6), low, high)
        now += max(1.5 * float(np.abs(place - at).max()) / rng.uniform(0.3, 0.9), 0.3)
        points.append((now, place))
        at = place
        if rng.random() < 0.5:
            now += rng.uniform(0.3, 1.2)
            points.append((now, at))
    log = record(truth, through(points), seconds, middle, seed)
    cuts = np.linspace(0, len(log), max(round(seconds / 45.0), 1) + 1).astype(int).tolist()
    return replace(log, episodes=[slice(a, b) for a, b in itertools.pairwise(cuts)])


def wandering(log: armdyn.Log, degrees: float = 3.0, seed: int = 4) -> armdyn.Log:
    """Return a log whose action wanders slowly away from what the servos received."""
    rng = np.random.default_rng(seed)
    knots = np.arange(0.0, log.t[-1] + 6.0, 6.0)
    walk = np.array([
        np.interp(log.t, knots, rng.standard_normal(len(knots))) for _ in range(log.n)
    ]).T  # fmt: skip
    walk *= math.radians(degrees) / walk.std(axis=0)
    return replace(log, q_cmd=log.q_cmd + walk)


def flipped(log: armdyn.Log, joint: int = 2) -> armdyn.Log:
    """Return a log with the sign of a joint turned."""
    sign = np.ones(log.n)
    sign[joint] = -1.0
    return replace(log, q=log.q * sign, q_cmd=log.q_cmd * sign)


def exchanged(log: armdyn.Log, a: int = 2, b: int = 3) -> armdyn.Log:
    """Return a log with two joints exchanged, under their old names."""
    order = list(range(log.n))
    order[a], order[b] = order[b], order[a]
    return replace(log, q=log.q[:, order], q_cmd=log.q_cmd[:, order])
