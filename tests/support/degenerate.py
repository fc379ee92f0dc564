"""Logs with degenerate columns whose truth is known: joints at rest, torques of zero, no noise.

Every log follows from its case and seed. Positions are exact at the times of the samples, which are
the stamps: where these are jittered, equal steps would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

import armdyn
from armdyn import Arm, DriveGains, Load, Log, Payload, Result
from armdyn.control.observation import Observation
from armdyn.identification.payload.payload import loaded
from support.identification import motion, small_arm

RATE = 100.0  # [Hz]
JITTER = 0.4  # largest distance of a stamp from its step, as a share of the step
LOAD = Load(mass=1.5, com=(0.05, 0.0, 0.05), inertia=(0.004, 0.0, 0.0, 0.004, 0.0, 0.003))
GAIN = 2.0  # of all drives [N m/A]
SURE = 4.0  # an answer that passes is wrong by more than so many standard deviations
ANGLE = 0.7  # at which joints rest [rad or m]

# Which joints rest, which torque is zero, noise, stamps, measured velocities.
RESTS = ("none", "at zero", "at an angle", "half the log", "all but one")
TORQUES = ("measured", "one zero", "one zero at rest")
NOISES = (0.0, 1.0)
STAMPS = ("equal", "jittered")
VELOCITIES = (False, True)


@dataclass(frozen=True)
class Case:
    """A kind of degenerate log; `joint` (from 0) is the one at rest, or the one that moves."""

    arm: str
    rest: str = "none"
    torque: str = "measured"
    noise: float = 0.0
    stamps: str = "jittered"
    velocities: bool = False
    joint: int = 0
    seed: int = 0

    def __str__(self) -> str:
        return (
            f"{self.arm}, joint{self.joint + 1}, rest: {self.rest}, torque: {self.torque}, "
            f"noise {self.noise:g}, {self.stamps} stamps{', velocities' * self.velocities}"
        )


def cases(arms: tuple[str, ...], count: int, seed: int = 0) -> Iterator[Case]:
    """Yield cases: all combinations in turn, in an order that the seed gives."""
    rng = np.random.default_rng(seed)
    listed = list(product(RESTS, TORQUES, NOISES, STAMPS, VELOCITIES))
    for k in range(count):
        if k % len(listed) == 0:
            order = rng.permutation(len(listed))
        name = arms[k % len(arms)]
        joint = int(rng.integers(true_arm(name).n))
        yield Case(name, *listed[order[k % len(listed)]], joint=joint, seed=k)


@cache
def true_arm(name: str) -> Arm:
    """An arm with friction."""
    if name == "small":
        return small_arm()
    arm = armdyn.load(name)
    drives = {"viscous": 0.5, "coulomb": 0.4, "offset": 0.1}
    return Arm(replace(arm.robot, joints=[replace(j, **drives) for j in arm.robot.joints]))


@cache
def described_arm(name: str) -> Arm:
    """The arm as its user describes it: masses are off by up to 15 %, and friction is unknown."""
    arm, rng = true_arm(name), np.random.default_rng(7)
    return Arm(
        replace(
            arm.robot,
            joints=[
                replace(
                    j, mass=j.mass * f, inertia=tuple(f * x for x in j.inertia), viscous=0.0,
                    coulomb=0.0, offset=0.0,
                )
                for j, f in zip(arm.robot.joints, rng.uniform(0.85, 1.15, arm.n), strict=True)
            ],
        )
    )  # fmt: skip


def states(case: Case, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, velocities and accelerations at given times."""
    n = true_arm(case.arm).n
    q, qd, qdd = motion(n, t, case.seed)
    if case.rest == "none":
        return q, qd, qdd
    if case.rest == "half the log":
        clock, pace, change = _stopping(t, 0.5 * t[-1])
        place, slope, bend = (x[:, case.joint] for x in motion(n, clock, case.seed))
        q[:, case.joint], qd[:, case.joint] = place, pace * slope
        qdd[:, case.joint] = bend * pace**2 + slope * change
        return q, qd, qdd
    resting = (np.arange(n) == case.joint) != (case.rest == "all but one")
    q[:, resting], qd[:, resting], qdd[:, resting] = ANGLE * (case.rest != "at zero"), 0.0, 0.0
    return q, qd, qdd


def _stopping(t: np.ndarray, stop: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A clock that comes to rest within a second after a time, its pace and the change of it."""
    x = np.clip(t - stop, 0.0, 1.0)
    clock = np.minimum(t, stop) + x - x**4 * (2.5 - 3.0 * x + x**2)
    return clock, 1.0 - x**3 * (10.0 - 15.0 * x + 6.0 * x**2), -30.0 * (x * (1.0 - x)) ** 2


def torques(case: Case, t: np.ndarray, load: Load | None = None) -> np.ndarray:
    """True torques at given times, without noise; a torque that is not measured is zero."""
    arm = true_arm(case.arm)
    arm = arm if load is None else loaded(arm, load)
    tau = arm.inverse_dynamics(*states(case, t))
    if case.torque != "measured":
        tau[:, _unmeasured(case)] = 0.0
    return tau


def _unmeasured(case: Case) -> int:
    n = true_arm(case.arm).n
    return case.joint if case.torque == "one zero at rest" else (case.joint + 1) % n


def log_of(case: Case, *, load: Load | None = None, duration: float = 8.0) -> Log:
    """The log of a case, with a load or without."""
    rng = np.random.default_rng([case.seed, 5, load is not None])
    t = np.arange(round(duration * RATE)) / RATE
    if case.stamps == "jittered":
        t = t + rng.uniform(-JITTER, JITTER, len(t)) / RATE
        t -= t[0]
    q, qd, _ = states(case, t)
    tau = torques(case, t, load)
    noise = case.noise * rng.normal(size=(3, *q.shape))
    measured = np.ptp(tau, axis=0) > 0.0
    qd = qd + 1e-3 * noise[1] if case.velocities else None
    return Log(
        t, q + 1e-5 * noise[0], qd, None, tau + 0.02 * noise[2] * measured,
        joint_names=true_arm(case.arm).joint_names,
    )  # fmt: skip


def identified(case: Case, log: Log) -> Result:
    """The arm from a log."""
    return armdyn.identify(described_arm(case.arm), log)


def observed(case: Case, log: Log) -> Observation:
    """Torques from outside in a log."""
    return armdyn.MomentumObserver(described_arm(case.arm), free=log).run(log)


def payload_of(case: Case, log: Log) -> Payload:
    """The load of a log of the same motion, less the log."""
    return armdyn.identify_payload(described_arm(case.arm), log_of(case, load=LOAD), without=log)


def gains_of(case: Case, log: Log) -> DriveGains:
    """Gains of the drives."""
    logs = [replace(x, tau=x.tau / GAIN, effort="current") for x in (log, log_of(case, load=LOAD))]
    return armdyn.identify_drive_gains(described_arm(case.arm), *logs, LOAD.mass)


VERBS = {
    "identify": identified, "observe": observed, "payload": payload_of, "gains": gains_of,
}  # fmt: skip

# Fields that must be finite; others say by NaN or infinity that something is not known.
FINITE = ("values", "std", "sigma", "parameters", "gains", "mass_std", "tau", "threshold")


def faults(case: Case, result: object) -> list[str]:
    """What is wrong with a result: numbers that are not finite, a verdict that must not pass."""
    found = [k for k in FINITE if not np.isfinite(getattr(result, k, 0.0)).all()]
    if isinstance(result, Result):
        errors = {"torque_error": result.torque_error, "total_error": result.total_error}
        found += [k for k, x in errors.items() if np.isinf(x).any()]
        if result.passed and case.torque != "measured":
            found.append("passed without a torque")
    if isinstance(result, Payload) and result.passed:
        found += ["mass"] * (abs(result.load.mass - LOAD.mass) > SURE * result.mass_std)
    if isinstance(result, DriveGains) and result.passed:
        found += ["gain"] * bool((np.abs(result.gains - GAIN) > SURE * result.std).any())
    return found
