"""The simulations of [Mata2002] section 5.2: the PUMA along a line, by open-loop torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.report.papers.mata_2002_studies import TABLE_6
from armdyn.report.studies._puma_arms import POSTURES, Elbow, Inertias, arm_of
from armdyn.report.studies._rkf45 import Fehlberg
from armdyn.report.studies._steady_line import State, SteadyLine

Array: TypeAlias = NDArray[np.float64]
Torque: TypeAlias = Literal["exact", "linear", "held", "rounded"]

INTERVAL = 0.1
INTERVALS = 50
TOLERANCE = 1e-6
FIRST = np.array([0.50, 0.00, 0.05])
LAST = np.array([0.62, 0.30, 0.11])
SPEED = 0.1
DURATION = INTERVAL * INTERVALS
DISTANCE = float(np.linalg.norm(LAST - FIRST))
ARRIVING = DISTANCE / DURATION
"""The speed that reaches the last point in time [m/s]."""

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
