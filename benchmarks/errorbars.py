"""Error bars against the truth of synthetic arms: do they cover it as often as they say?

    python benchmarks/errorbars.py [--arms N] [--seed S]

UR5, Panda and PUMA 560 with wrong masses, rotors that nobody described (0.01 to 3 kg m^2 on random
joints), and friction with load, Stribeck and square-root terms on some joints. Each is identified
with the defaults from a log of 15 to 20 s at 200 to 500 Hz with noise of 0.3 to 2 %. z is the error
of a value in its standard deviations; of rotors, those that are there count. The friction curve is
taken at 10, 30, 60 and 90 % of the highest speed, under the rms load of the log. Ideal are an rms
of 1, and 68 and 95 % within 1 and 2. The last line compares `expected_error` with the errors of
another motion of the same arm, about another position, recorded by the same sensors.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace

import numpy as np

import armdyn
from armdyn.identification.fit.columns import rotor_rows
from armdyn.log.signals import prepare
from armdyn.robot.friction import FRICTION_TERMS
from arms import arm_named

SHARES = (0.1, 0.3, 0.6, 0.9)
LOST = 3.0


def described(number: int) -> armdyn.Arm:
    """One of three arms, without rotors and friction."""
    arm = arm_named(("ur5", "panda", "puma560")[number % 3])
    bare = {field: 0.0 for field in (*FRICTION_TERMS, "rotor_inertia", "stribeck_velocity")}
    joints = [replace(joint, **bare) for joint in arm.robot.joints]
    return armdyn.Arm(replace_joints(arm, joints))


def replace_joints(arm: armdyn.Arm, joints: list[armdyn.Joint]) -> armdyn.Robot:
    robot = arm.robot
    return armdyn.Robot(
        joints, gravity=robot.gravity, base=robot.base, tool=robot.tool, name=robot.name
    )


def motion(rng: np.random.Generator, arm: armdyn.Arm, t: np.ndarray) -> list[np.ndarray]:
    w = 2 * np.pi * 0.1 * np.arange(1, 6)
    a, b = rng.normal(size=(2, 5, arm.n)) * 0.4 / np.arange(1, 6)[:, None] ** 0.5
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    middle = rng.uniform(-1.0, 1.0, arm.n)
    return [middle + s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b]


def truth(rng: np.random.Generator, arm: armdyn.Arm, always: tuple[str, ...] = ()) -> armdyn.Arm:
    """The arm with other masses, rotors and friction; some terms are on every joint."""
    t = np.arange(0, 20, 0.02)
    x = motion(rng, arm, t)
    tau = np.sqrt(np.mean(arm.inverse_dynamics(*x) ** 2, axis=0))
    tau = np.maximum(tau, 0.1 * tau.max())
    top = np.abs(x[1]).max(axis=0)
    joints = []
    for j, joint in enumerate(arm.robot.joints):
        scale = np.exp(0.2 * rng.normal())
        more = {
            "mass": joint.mass * scale,
            "inertia": tuple(scale * np.array(joint.inertia)),
            "rotor_inertia": float(np.exp(rng.uniform(np.log(0.01), np.log(3.0))))
            if rng.random() < 0.5
            else 0.0,
            "viscous": 0.1 * tau[j] / top[j] * rng.uniform(0.3, 1.5),
            "coulomb": 0.1 * tau[j] * rng.uniform(0.5, 1.5),
            "offset": 0.02 * tau[j] * rng.normal(),
        }
        if rng.random() < 0.5 or "load" in always:
            more["load_friction"] = rng.uniform(0.02, 0.12)
        if rng.random() < 0.5 or "stribeck" in always:
            more["stribeck"] = 0.1 * tau[j] * rng.uniform(-0.4, 0.6)
            more["stribeck_velocity"] = top[j] * rng.uniform(0.03, 0.15)
        if rng.random() < 0.5 or "root" in always:
            more["root_friction"] = 0.1 * tau[j] / np.sqrt(top[j]) * rng.uniform(0.3, 1.0)
        joints.append(replace(joint, **more))
    return armdyn.Arm(replace_joints(arm, joints))


@dataclass(frozen=True)
class Sensors:
    """What records an arm: rate [1/s] and standard deviation of torques [N m], ``(n,)``."""

    rate: float
    noise: np.ndarray


def sensors(rng: np.random.Generator, arm: armdyn.Arm) -> Sensors:
    """Draw sensors: 200 to 500 Hz, noise of 0.3 to 2 % of the torques of a motion."""
    tau = arm.inverse_dynamics(*motion(rng, arm, np.arange(0, 20, 0.02)))
    noise = np.exp(rng.uniform(np.log(0.003), np.log(0.02))) * np.sqrt(np.mean(tau**2, axis=0))
    return Sensors(float(rng.choice([200.0, 300.0, 500.0])), noise)


def recorded(rng: np.random.Generator, arm: armdyn.Arm, by: Sensors | None = None) -> armdyn.Log:
    """Return the log of a random motion of 15 to 20 s, recorded by some sensors, or these."""
    by = by or sensors(rng, arm)
    t = np.arange(int(by.rate * rng.uniform(15.0, 20.0))) / by.rate
    x = motion(rng, arm, t)
    tau = arm.inverse_dynamics(*x)
    tau = tau + by.noise * rng.normal(size=tau.shape)
    q = x[0] + 1e-5 * rng.normal(size=tau.shape)
    return armdyn.Log(t=t, q=q, tau=tau, joint_names=arm.joint_names)


def scores(seed: int, **options: object) -> dict[str, np.ndarray]:
    """z of rigid parameters, rotors and friction curves of one arm."""
    rng = np.random.default_rng([seed, 20261116])
    known = described(seed)
    arm = truth(rng, known)
    by = sensors(rng, arm)
    log, other = recorded(rng, arm, by), recorded(rng, arm, by)
    result = armdyn.identify(known, log, test=other, **options)
    base, joints = result.model.base, arm.robot.joints
    natural = np.concatenate([arm.parameters, [joint.rotor_inertia for joint in joints]])
    z = (result.values[: result.model.k] - base.matrix @ natural) / result.std[: result.model.k]
    rotors = list(rotor_rows(base).values())
    rigid = np.delete(z, rotors)
    size = np.sqrt(np.mean((arm.regressor(*states(log)) @ arm.parameters) ** 2, axis=0))
    curve = []
    for j, joint in enumerate(joints):
        own = [
            i for i in result.model.indices(*FRICTION_TERMS) if result.model.columns[i].joint == j
        ]
        for v in result.about.fastest[j] * np.array(SHARES):
            row = np.array([column(result.model.columns[i], v, size[j]) for i in own])
            std = np.sqrt(row @ result.covariance[np.ix_(own, own)] @ row)
            wanted = sum(
                getattr(joint, kind)
                * term.column(v, 1.0, *shape(joint, term))
                * load(term, size[j])
                for kind, term in FRICTION_TERMS.items()
                if getattr(joint, kind)
            )
            curve.append((row @ result.values[own] - wanted) / std)
    there = [i for j, i in rotor_rows(base).items() if joints[j].rotor_inertia]
    expected = np.array([result.expected_total / result.total_error])
    return {"rigid": rigid, "rotor": z[there], "curve": np.array(curve), "expected": expected}


def states(log: armdyn.Log) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ready = prepare(log, cutoff=10.0)
    return ready.q, ready.qd, ready.qdd


def column(column: object, v: float, size: float) -> float:
    term = FRICTION_TERMS[column.kind]
    return term.column(v, 1.0, *column.shape) * load(term, size)


def load(term: object, size: float) -> float:
    return size if term.load else 1.0


def shape(joint: armdyn.Joint, term: object) -> tuple[float, ...]:
    return tuple(getattr(joint, field) for field in term.shape)


def table(found: list[dict[str, np.ndarray]]) -> str:
    lines = [f"{'':8}{'values':>8}{'rms z':>8}{'within 1':>10}{'within 2':>10}{'within 3':>10}"]
    for kind in ("rigid", "rotor", "curve"):
        z = np.abs(np.concatenate([one[kind] for one in found]))
        share = "".join(f"{np.mean(z <= k):>10.1%}" for k in (1, 2, 3))
        lines.append(f"{kind:8}{len(z):>8}{np.sqrt(np.mean(z**2)):>8.2f}{share}")
    low, median, high = np.quantile([one["expected"] for one in found], (0.25, 0.5, 0.75))
    lines.append(
        f"expected error / error of another motion: median {median:.2f}, quartiles {low:.2f} "
        f"and {high:.2f}"
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of error bars on synthetic arms.")
    parser.add_argument("--arms", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    found = []
    for seed in range(asked.seed, asked.seed + asked.arms):
        found.append(scores(seed))
        if sys.stderr.isatty():
            print(f"\r{len(found)} of {asked.arms}", end="", file=sys.stderr)
    print(table(found))


if __name__ == "__main__":
    main()
