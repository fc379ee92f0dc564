"""How often the true mass of a load lies within its stated error bars.

    python benchmarks/payload.py [CASES] [FIRST_SEED] [pair|model|description] [GAINS] [ERROR]

Every case is a fresh arm, load and motion. `pair`: two logs of one motion, whose recordings start
up to 3 s apart. `model`: one log, and an arm that was identified from another log of the same
drives. `description`: one log, and an arm whose masses are known to 5 %. Gains of the drives are
wrong by up to GAINS (default 0.1), one by one or, in 30 % of the cases, all alike; ERROR is the
stated standard deviation (default 0.06). Friction grows with the load in half of the cases, and
arms stand still at times.

A gain that all drives share is part of the masses of a `model`, and no log shows it: the figures of
these cases are printed apart.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

import armdyn
from armdyn.errors import MissingExtraError
from armdyn.identification.payload.payload import loaded
from arms import published

ROBOTS = ("ur5", "panda", "puma560", "kinova")
URDFS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "ee_link"),
    "panda": ("panda_description/urdf/panda.urdf", "panda_link8"),
    "kinova": ("kinova_description/urdf/kinova.urdf", "j2s6s200_end_effector"),
}
APART = 3.0  # [s]


@dataclass(frozen=True)
class Case:
    """A true arm, what is believed of it, its load and its drives."""

    name: str
    arm: armdyn.Arm
    known: armdyn.Arm
    load: armdyn.Load
    gains: np.ndarray
    load_friction: np.ndarray
    alike: bool
    noise: float
    rng: np.random.Generator


@cache
def robot(name: str) -> armdyn.Arm:
    """An arm of the package example-robot-data, or a bundled one if that is not installed."""
    if name in URDFS:
        file, tip = URDFS[name]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return armdyn.load(published(file), tip=tip)
        except MissingExtraError:
            name = "puma560"
    return armdyn.load(name)


def drawn(seed: int, most: float) -> Case:
    """A case of a seed, with gains that are wrong by at most `most`."""
    rng = np.random.default_rng([seed, 77])
    name = ROBOTS[seed % len(ROBOTS)]
    bare = robot(name)
    size = np.linspace(1.0, 0.3, bare.n) * rng.uniform(0.5, 2.0)
    joints = [
        replace(
            joint, viscous=rng.uniform(0.3, 2.0) * s, coulomb=rng.uniform(0.5, 3.0) * s,
            offset=rng.normal() * 0.2 * s,
        )
        for joint, s in zip(bare.robot.joints, size, strict=True)
    ]  # fmt: skip
    arm = armdyn.Arm(replace(bare.robot, joints=joints))
    rough = [
        replace(
            joint, mass=joint.mass * (1 + 0.05 * rng.normal()),
            viscous=joint.viscous * rng.uniform(0.7, 1.3),
            coulomb=joint.coulomb * rng.uniform(0.7, 1.3),
        )
        for joint in joints
    ]  # fmt: skip
    known = armdyn.Arm(replace(bare.robot, joints=rough))
    mass = rng.uniform(0.5, 4.0)
    spread = 0.05 * np.array([1.0, 1.0, 2.0])
    com = tuple(spread * rng.normal(size=3))
    a, b, c = mass * rng.uniform(0.001, 0.004, 3)
    load = armdyn.Load(mass=mass, com=com, inertia=(b + c, 0.0, 0.0, a + c, 0.0, a + b))
    alike = bool(rng.uniform() < 0.3)
    gains = 1.0 + rng.uniform(-most, most, 1 if alike else bare.n) * np.ones(bare.n)
    Fl = rng.uniform(0.0, 0.12, bare.n) * (rng.uniform() < 0.5)
    return Case(name, arm, known, load, gains, Fl, alike, rng.uniform(0.05, 0.5), rng)


def motion(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of five harmonics of 0.1 Hz."""
    a, b = rng.normal(size=(2, 5, n)) * 0.4 / np.arange(1, 6)[:, None] ** 0.5
    return a, b


def states(
    ab: tuple[np.ndarray, np.ndarray], t: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rest at first, then the motion, which begins and ends smoothly."""
    w = 2 * np.pi * 0.1 * np.arange(1, 6)
    a, b = ab
    # time of the motion: it runs from 0 to 20 s, with acceleration over 1 s
    s = np.clip(t, 0.0, 20.0)
    ramp, rate, bend = np.ones_like(s), np.zeros_like(s), np.zeros_like(s)
    for start, sign in ((0.0, 1.0), (19.0, -1.0)):
        x = np.clip(s - start, 0.0, 1.0)
        ramp += sign * (10 * x**3 - 15 * x**4 + 6 * x**5) - (sign > 0)
        rate += sign * (30 * x**2 - 60 * x**3 + 30 * x**4)
        bend += sign * (60 * x - 180 * x**2 + 120 * x**3)
    S, C = np.sin(np.outer(s, w)), np.cos(np.outer(s, w))
    p, v, c = S @ a + C @ b, (C * w) @ a - (S * w) @ b, -(S * w**2) @ a - (C * w**2) @ b
    r, rd, rdd = ramp[:, None], rate[:, None], bend[:, None]
    return r * p, r * v + rd * p, r * c + 2 * rd * v + rdd * p


def recorded(
    case: Case, arm: armdyn.Arm, ab: tuple[np.ndarray, np.ndarray], start: float, gains: np.ndarray
) -> armdyn.Log:
    """A log of 22 s; `start`: the time of the motion when the recording begins."""
    rng, rate = case.rng, 200.0
    t = np.arange(int(22.0 * rate)) / rate
    q, qd, qdd = states(ab, t + start)
    smooth = armdyn.Arm(
        replace(
            arm.robot,
            joints=[replace(j, viscous=0.0, coulomb=0.0, offset=0.0) for j in arm.robot.joints],
        )
    )
    L = smooth.inverse_dynamics(q, qd, qdd)
    v = qd
    viscous, coulomb, offset = (
        np.array([getattr(j, name) for j in arm.robot.joints])
        for name in ("viscous", "coulomb", "offset")
    )
    # at rest friction is anything that holds the arm
    direction = np.where(np.abs(v) > 1e-9, np.sign(v), rng.uniform(-1.0, 1.0, arm.n))
    tau = L + viscous * v + (coulomb + case.load_friction * np.abs(L)) * direction + offset
    tau = gains * tau + case.noise * rng.normal(size=tau.shape)
    # a load makes the controller sag a little
    sag = 2e-4 * rng.normal(size=arm.n)
    measured = q + sag + 2e-5 * rng.normal(size=q.shape)
    return armdyn.Log(t=t, q=measured, tau=tau, joint_names=arm.joint_names)


@dataclass(frozen=True)
class Score:
    """The outcome of a case."""

    seed: int
    z: float  # (found - true) / bar of the mass
    bar: float  # over the true mass
    late: float  # error of the shift [s]
    alike: bool
    passed: bool


def score(seed: int, way: str, most: float, error: float = 0.06) -> Score:
    """Identify the load of a case."""
    case = drawn(seed, most)
    ab = motion(case.rng, case.arm.n)
    heavy = loaded(case.arm, case.load)
    first, second = case.rng.uniform(-0.5 * APART, 0.5 * APART, 2).tolist()
    held = recorded(case, heavy, ab, first, case.gains)
    late = 0.0
    if way == "pair":
        empty = recorded(case, case.arm, ab, second, case.gains)
        found = armdyn.identify_payload(case.known, held, without=empty, gain_error=error)
        assert found.shift is not None
        late = found.shift - (first - second)
    elif way == "description":
        found = armdyn.identify_payload(case.known, held, gain_error=error)
    else:
        # the arm was identified with the same drives, so their gains are part of its masses
        other = recorded(case, case.arm, motion(case.rng, case.arm.n), 0.0, case.gains)
        known = armdyn.identify(case.arm, other).arm
        found = armdyn.identify_payload(known, held, gain_error=error)
    z = (found.load.mass - case.load.mass) / found.mass_std
    return Score(seed, z, found.mass_std / case.load.mass, late, case.alike, found.passed)


def table(name: str, scores: list[Score]) -> float:
    """Print the coverage; return the share within two standard deviations."""
    z = np.abs([one.z for one in scores])
    passed = np.array([one.passed for one in scores])
    one, two = float(np.mean(z < 1.0)), float(np.mean(z < 2.0))
    far = [one.seed for one in scores if one.passed and abs(one.z) > 3.0]
    print(
        f"{name}: {len(z)} cases, rms z {np.sqrt(np.mean(z**2)):.2f}, within one {one:.0%}, within "
        f"two {two:.1%}, median bar {np.median([one.bar for one in scores]):.1%} of the mass, "
        f"worst shift {1e3 * max(abs(one.late) for one in scores):.2f} ms; passed {passed.sum()}, "
        f"not passed or within two {np.mean(~passed | (z < 2.0)):.1%}, passed beyond three bars: "
        f"{far or 'none'}"
    )
    return two


def main(
    cases: int = 100, first: int = 0, way: str = "pair", most: float = 0.1, error: float = 0.06
) -> float:
    """Print the coverage; return the share within two standard deviations."""
    scores = [score(seed, way, most, error) for seed in range(first, first + cases)]
    for alike in (False, True):
        some = [one for one in scores if one.alike is alike]
        if way == "model" and some:
            table(f"{way}, gains {'alike' if alike else 'one by one'}", some)
    return table(f"{way}, gains within {most:.0%}", scores)


if __name__ == "__main__":
    words = sys.argv[1:]
    main(*map(int, words[:2]), *words[2:3], *map(float, words[3:5]))
