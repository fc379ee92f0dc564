"""The simulations of [Mata2002] section 5.2: the PUMA along a line, by open-loop torques.

The paper prints no inertias: several sets are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.errors import NumericalError
from armdyn.robot.joint import Joint
from armdyn_papers.studies.rkf45 import Fehlberg
from armdyn_papers.tables.mata_2002 import TABLE_6

Array: TypeAlias = NDArray[np.float64]
Inertias: TypeAlias = Literal["rotors", "no rotors", "recalled"]
Elbow: TypeAlias = Literal["up", "down"]

ROBOT = "puma560"

# The paper does not print the position of the tip on the last link: this is a usual flange [m].
TIP = 0.05625
# The share of the link in the bundled rotor inertia of joint 1 [kg m^2].
LINK_1 = 0.35

# Mass [kg], centre of mass [m] and principal inertias [kg m^2] of the links.
#
# They are recalled of a textbook that the paper cites, J. Angeles, Fundamentals of Robotic
# Mechanical Systems (1997), and turned into the frames of the bundled arm. The book was not at
# hand, and no public source with these numbers was found: take them as a guess.
RECALLED = (
    (10.521, (0.0, 0.0, -0.054), (1.612, 1.612, 0.5091)),
    (15.781, (0.140, 0.0, 0.0), (0.4898, 8.0783, 8.2672)),
    (8.767, (0.0, -0.197, 0.0), (3.3768, 0.3009, 3.3768)),
    (1.052, (0.0, 0.0, -0.057), (0.181, 0.181, 0.1273)),
    (1.052, (0.0, -0.007, 0.0), (0.0735, 0.1273, 0.0735)),
    (0.351, (0.0, 0.0, 0.019), (0.0071, 0.0071, 0.0141)),
)

# Near the postures with the shoulder on this side; up is the one that the joint limits allow.
POSTURES: dict[Elbow, NDArray[np.float64]] = {
    "up": np.deg2rad([-20.0, -68.0, 214.0, -23.0, -59.0, -167.0]),
    "down": np.deg2rad([-20.0, 54.0, -29.0, 22.0, 66.0, 171.0]),
}


def arm_of(inertias: Inertias) -> Arm:
    """Return the PUMA with its tip on the flange and a set of inertias."""
    return _arm_of(inertias)


@cache
def _arm_of(inertias: str) -> Arm:
    robot = load(ROBOT).robot
    tool = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, TIP), (0.0, 0.0, 0.0, 1.0))
    # postures are chosen here, not by the limits
    joints = [replace(joint, lower=-np.inf, upper=np.inf) for joint in robot.joints]
    return Arm(replace(robot, joints=SETS[inertias](joints), tool=tool))


def _with_rotors(joints: list[Joint]) -> list[Joint]:
    return joints


def _without_rotors(joints: list[Joint]) -> list[Joint]:
    kept = [LINK_1, *[0.0] * (len(joints) - 1)]
    return [replace(joint, rotor_inertia=x) for joint, x in zip(joints, kept, strict=True)]


def _recalled(joints: list[Joint]) -> list[Joint]:
    return [
        replace(joint, mass=m, com=c, inertia=(x, 0.0, 0.0, y, 0.0, z), rotor_inertia=0.0)
        for joint, (m, c, (x, y, z)) in zip(joints, RECALLED, strict=True)
    ]


SETS = {"rotors": _with_rotors, "no rotors": _without_rotors, "recalled": _recalled}


ITERATIONS = 20
ENOUGH = 1e-13  # of a correction of joint positions [rad]


@dataclass(frozen=True)
class State:
    """Positions, velocities and accelerations of the joints."""

    q: Array
    qd: Array
    qdd: Array


class SteadyLine:
    """Joint states of the motion at any time, accurate to rounding, by Newton's method.

    Attributes:
        instants: states at 0, `interval`, 2 `interval`, ...
    """

    def __init__(self, arm: Arm, start: Array, velocity: Array, interval: float, n: int) -> None:
        """Follow the line.

        Args:
            arm: the arm.
            start: first joint positions; they determine the line and the orientation of the tip.
            velocity: of the tip ``(3,)`` [m/s].
            interval: time between two instants [s].
            n: number of intervals.
        """
        self._pose, self._jacobian, self._derivative = (
            arm.function(quantity) for quantity in ("pose", "jacobian", "jacobian_derivative")
        )
        self._first = cast(Array, self._pose(start))
        self._twist = np.concatenate([velocity, np.zeros(3)])
        self._interval = interval
        self.instants = [self._state(0.0, start)]
        for k in range(1, n + 1):
            self.instants.append(self._state(k * interval, self.instants[-1].q))

    def at(self, t: float) -> State:
        """Return the joint states at a time."""
        nearest = min(round(t / self._interval), len(self.instants) - 1)
        return self._state(t, self.instants[nearest].q)

    def _state(self, t: float, near: Array) -> State:
        q = self._reached(t, near)
        J = cast(Array, self._jacobian(q))
        qd = _solved(J, self._twist)
        dJ = cast(Array, self._derivative(q, qd))
        return State(q, qd, _solved(J, -dJ @ qd))

    def _reached(self, t: float, q: Array) -> Array:
        wanted = self._first[:3, 3] + t * self._twist[:3]
        for _ in range(ITERATIONS):
            T = cast(Array, self._pose(q))
            E = self._first[:3, :3] @ T[:3, :3].T
            turn = np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / 2
            lack = np.concatenate([wanted - T[:3, 3], turn])
            step = _solved(cast(Array, self._jacobian(q)), lack)
            q = q + step
            if np.abs(step).max() < ENOUGH:
                return q
        raise NumericalError(f"the arm cannot follow the line any further at t = {t:g} s.")


def _solved(J: Array, x: Array) -> Array:
    return np.asarray(np.linalg.solve(J, x), dtype=np.float64)


Torque: TypeAlias = Literal["exact", "linear", "held", "rounded"]

INTERVAL = 0.1
INTERVALS = 50
TOLERANCE = 1e-6
FIRST = np.array([0.50, 0.00, 0.05])
LAST = np.array([0.62, 0.30, 0.11])
SPEED = 0.1
DURATION = INTERVAL * INTERVALS
DISTANCE = float(np.linalg.norm(LAST - FIRST))

# The speed that reaches the last point in time [m/s].
ARRIVING = DISTANCE / DURATION

# Decimals of rounded torques [N m].
DECIMALS = 3

METHODS = {
    "CRBA": "mass_matrix_udu",
    "ABA": "articulated_body",
    "GA": "gibbs_appell",
    "DeNOC": "denoc",
}


@dataclass(frozen=True)
class SetUp:
    """What the paper does not specify, or specifies in contradiction to other numbers.

    Attributes:
        inertias: of the bundled arm with its rotors or without, or those recalled.
        speed: of the tip [m/s].
        torque: exact at all times, linear between the instants, held from one to the next, or
            exact and then rounded.
        elbow: how the arm is held.
        restart: the step that each interval begins with [s]; None: the last one goes on.
    """

    inertias: Inertias
    speed: float
    torque: Torque
    elbow: Elbow = "up"
    restart: float | None = None

    def __str__(self) -> str:
        words = f"{self.inertias}, {self.speed:.3g} m/s, torque {self.torque}"
        words += "" if self.elbow == "up" else f", elbow {self.elbow}"
        return words + ("" if self.restart is None else f", steps from {self.restart:g} s")


SET_UPS = (
    *(
        SetUp(inertias, speed, torque)
        for inertias in cast("tuple[Inertias, ...]", ("rotors", "no rotors", "recalled"))
        for speed in (SPEED, ARRIVING)
        for torque in cast("tuple[Torque, ...]", ("exact", "linear", "held", "rounded"))
    ),
    *(
        SetUp(inertias, ARRIVING, "exact", elbow="down")
        for inertias in cast("tuple[Inertias, ...]", ("rotors", "no rotors", "recalled"))
    ),
    *(SetUp("recalled", ARRIVING, "exact", restart=step) for step in (0.01, 0.001)),
)


@dataclass(frozen=True)
class Likeness:
    """Rows 4 and 5 of Table 6 beside joints 2 and 3, but for the accelerations of row 5.

    Attributes:
        factor: by which the averages here are multiplied, one for all.
        off: the largest deviation of the five numbers then, as a share.
        odd: the accelerations that row 5 prints, as a share of those here times the factor.
    """

    factor: float
    off: float
    odd: float


@dataclass(frozen=True)
class Motion:
    """The result of one set-up.

    Attributes:
        setup: the set-up.
        evaluations: of the dynamics, by method.
        errors: |q - q*|, |qd - qd*| and |qdd - qdd*| at the instants after the first, by GA:
            ``(INTERVALS, 3, n)``.
        parting: largest difference of positions between the methods [rad].
        growth: smallest and largest growth rate of a small error along the path [1/s].
    """

    setup: SetUp
    evaluations: dict[str, int]
    errors: Array
    parting: float
    growth: tuple[float, float]

    @property
    def averages(self) -> Array:
        """Averages of the errors over time, ``(3, n)``: Table 6, transposed."""
        return self.errors.mean(axis=0)

    @property
    def likeness(self) -> Likeness:
        """How rows 4 and 5 of Table 6 compare with joints 2 and 3."""
        printed = np.log(np.array(TABLE_6[3:5]).ravel())
        *ratios, odd = printed - np.log(self.averages[:, 1:3].T.ravel())
        middle = float(np.median(ratios))
        off = float(np.abs(np.array(ratios) - middle).max())
        return Likeness(float(np.exp(middle)), float(np.expm1(off)), float(np.exp(odd - middle)))


def line_of(arm: Arm, speed: float, elbow: Elbow = "up") -> SteadyLine:
    """Return the motion of the paper at a speed [m/s]."""
    pose = np.eye(4)
    pose[:3, :3] = [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]  # Ry(90°) Rz(180°)
    pose[:3, 3] = FIRST
    start = arm.inverse_kinematics(pose, start=POSTURES[elbow])
    return SteadyLine(arm, start, speed * (LAST - FIRST) / DISTANCE, INTERVAL, INTERVALS)


def moved(setup: SetUp) -> Motion:
    """Simulate one set-up with all methods."""
    arm = arm_of(setup.inertias)
    line = line_of(arm, setup.speed, setup.elbow)
    runs = {name: _run(arm, line, method, setup) for name, method in METHODS.items()}
    found, _ = runs["GA"]
    wanted = np.array([[x.q, x.qd, x.qdd] for x in line.instants[1:]])
    parting = max(float(np.abs(run[:, 0] - found[:, 0]).max()) for run, _ in runs.values())
    rates = [_growth(arm, state) for state in line.instants]
    return Motion(
        setup,
        {name: evaluations for name, (_, evaluations) in runs.items()},
        np.abs(found - wanted),
        parting,
        (min(rates), max(rates)),
    )


def _run(arm: Arm, line: SteadyLine, method: str, setup: SetUp) -> tuple[Array, int]:
    """Return states at the instants after the first, ``(INTERVALS, 3, n)``, and evaluations."""
    n = arm.n
    dynamics = arm.function("forward_dynamics", method)
    torques = _torques(arm, line, setup.torque)
    integration = Fehlberg(TOLERANCE, setup.restart or INTERVAL)
    y = np.concatenate([line.instants[0].q, line.instants[0].qd])

    def slope(k: int, t: float, y: Array) -> Array:
        return np.concatenate([y[n:], cast(Array, dynamics(y[:n], y[n:], torques(k, t)))])

    states: list[Array] = []
    for k in range(INTERVALS):
        end = (k + 1) * INTERVAL
        if setup.restart is not None:
            integration.restart(setup.restart)
        y = integration.advance(partial(slope, k), k * INTERVAL, y, end)
        states.append(np.array([y[:n], *np.split(slope(k, end, y), 2)]))
    return np.array(states), integration.evaluations


def _torques(arm: Arm, line: SteadyLine, torque: Torque) -> Callable[[int, float], Array]:
    """Return the torques as a function of the interval and the time."""
    inverse = arm.function("inverse_dynamics")

    def needed(state: State) -> Array:
        return cast(Array, inverse(state.q, state.qd, state.qdd))

    at = [needed(state) for state in line.instants]
    if torque == "exact":
        return lambda k, t: needed(line.at(t))
    if torque == "rounded":
        return lambda k, t: np.round(needed(line.at(t)), DECIMALS)
    if torque == "held":
        return lambda k, t: at[k]
    return lambda k, t: at[k] + (at[k + 1] - at[k]) * (t / INTERVAL - k)


def _growth(arm: Arm, state: State) -> float:
    """Return the growth rate of a small error: the largest one of the linearised motion."""
    n = arm.n
    tau = arm.inverse_dynamics(state.q, state.qd, state.qdd)
    by_q, by_qd, _ = arm.forward_dynamics_derivatives(state.q, state.qd, tau)
    linear = np.block([[np.zeros((n, n)), np.eye(n)], [by_q, by_qd]])
    return float(np.linalg.eigvals(linear).real.max())
