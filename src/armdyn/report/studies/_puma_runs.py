"""The simulations of [Mata2002] section 5.2: the PUMA along a line, by open-loop torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm, load
from armdyn.report.studies._rkf45 import Fehlberg
from armdyn.report.studies._steady_line import State, SteadyLine

Array: TypeAlias = NDArray[np.float64]
Torque: TypeAlias = Literal["exact", "linear", "held"]

ROBOT = "puma560"
INTERVAL = 0.1
INTERVALS = 50
TOLERANCE = 1e-6
FIRST = np.array([0.50, 0.00, 0.05])
LAST = np.array([0.62, 0.30, 0.11])
SPEED = 0.1
DURATION = INTERVAL * INTERVALS
DISTANCE = float(np.linalg.norm(LAST - FIRST))

# The paper does not print the position of the tip on the last link: this is a usual flange [m].
TIP = 0.05625
# The share of the link in the bundled rotor inertia of joint 1 [kg m^2].
LINK_1 = 0.35
# Near the elbow-up posture that the joint limits allow.
POSTURE = np.deg2rad([-20.0, -68.0, 214.0, -23.0, -59.0, -167.0])

METHODS = {
    "CRBA": "mass_matrix_udu",
    "ABA": "articulated_body",
    "GA": "gibbs_appell",
    "DeNOC": "denoc",
}


@dataclass(frozen=True)
class SetUp:
    """What the paper does not specify: rotor inertias, speed [m/s], torques between instants."""

    rotors: bool
    speed: float
    torque: Torque

    def __str__(self) -> str:
        rotors = "rotors" if self.rotors else "no rotors"
        return f"{rotors}, {self.speed:.3g} m/s, torque {self.torque}"


SET_UPS = tuple(
    SetUp(rotors, speed, torque)
    for rotors in (True, False)
    for speed in (SPEED, DISTANCE / DURATION)
    for torque in cast("tuple[Torque, ...]", ("exact", "linear", "held"))
)


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


@cache
def arm_of(rotors: bool) -> Arm:
    """Return the PUMA with its tip on the flange, with or without rotor inertias."""
    robot = load(ROBOT).robot
    tool = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, TIP), (0.0, 0.0, 0.0, 1.0))
    joints = robot.joints
    if not rotors:
        kept = [LINK_1, *[0.0] * (robot.n - 1)]
        pairs = zip(joints, kept, strict=True)
        joints = tuple(replace(joint, rotor_inertia=inertia) for joint, inertia in pairs)
    return Arm(replace(robot, joints=joints, tool=tool))


def line_of(arm: Arm, speed: float) -> SteadyLine:
    """Return the motion of the paper at a speed [m/s]."""
    pose = np.eye(4)
    pose[:3, :3] = [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]  # Ry(90°) Rz(180°)
    pose[:3, 3] = FIRST
    start = arm.inverse_kinematics(pose, start=POSTURE)
    return SteadyLine(arm, start, speed * (LAST - FIRST) / DISTANCE, INTERVAL, INTERVALS)


def moved(setup: SetUp) -> Motion:
    """Simulate one set-up with all methods."""
    arm = arm_of(setup.rotors)
    line = line_of(arm, setup.speed)
    runs = {name: _run(arm, line, method, setup.torque) for name, method in METHODS.items()}
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


def _run(arm: Arm, line: SteadyLine, method: str, torque: Torque) -> tuple[Array, int]:
    """Return states at the instants after the first, ``(INTERVALS, 3, n)``, and evaluations."""
    n = arm.n
    dynamics = arm.function("forward_dynamics", method)
    torques = _torques(arm, line, torque)
    integration = Fehlberg(TOLERANCE, INTERVAL)
    y = np.concatenate([line.instants[0].q, line.instants[0].qd])

    def slope(k: int, t: float, y: Array) -> Array:
        return np.concatenate([y[n:], cast(Array, dynamics(y[:n], y[n:], torques(k, t)))])

    states: list[Array] = []
    for k in range(INTERVALS):
        end = (k + 1) * INTERVAL
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
