"""Gravity of low-cost arms: how near the truth is the identified one?

    python benchmarks/gravity.py [--arms 40] [--seed 0] [--json FILE]

Synthetic arms like the SO-100, with 5 or 6 joints: masses off by up to 50 %, other centres of mass,
rotors, friction with stiction. Their logs are those of hobby servos: encoders of 12 bits, a load
register in steps of 0.1 % of the stall torque, play of 0.3 to 0.6 degrees between motor and link,
50 Hz, 30 to 60 s with pauses. `identify` is given the arm as it is bundled. Torques of gravity are
compared at 200 random states in the box of the log. The error of a joint is an rms, relative to
that of its true torque of gravity, but at least to a tenth of the largest joint's; the error of an
arm is that of its worst joint.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import armdyn
from armdyn import Arm, Joint, Log, Result

STATES = 200
CLOSE, FAIR = 0.05, 0.15  # shares of arms within these errors are told

RATE = 50.0  # [Hz]
ENCODER = 2 * np.pi / 4096  # [rad]
STALL = (1.6, 3.0)  # [N m], of servos for 7.4 and 12 V
REGISTER = 0.001  # of the stall torque, a step of the load register
NOISE = 0.003  # of the stall torque, before it is rounded
PLAY = (0.3, 0.6)  # [deg]


def make(seed: int) -> tuple[Arm, Arm, Log]:
    """The described arm, the true one without friction, and a log."""
    rng = np.random.default_rng([seed, 20261118])
    whole = armdyn.load("so100")
    n = int(rng.integers(5, 7))
    described = Arm(replace(whole.robot, joints=list(whole.robot.joints[:n]), frames=()))
    real = Arm(replace(described.robot, joints=[_varied(j, rng) for j in described.robot.joints]))
    stall = float(rng.uniform(*STALL))
    t = np.arange(int(rng.uniform(30.0, 60.0) * RATE)) / RATE
    q, qd, qdd, resting = motion(described, t, rng)
    load = real.inverse_dynamics(q, qd, qdd, friction=False)
    # Geared rotors, seen at the joint [kg m^2].
    tau = load + rng.uniform(0.005, 0.03, n) * qdd + friction(stall, qd, resting, load, rng)
    step = REGISTER * stall
    tau = np.clip(tau + NOISE * stall * rng.normal(size=tau.shape), -stall, stall)
    # The encoder sits at the motor, and the link lies at that end of the play where its load acts.
    play = np.radians(rng.uniform(*PLAY, n))
    read = q + 0.5 * play * np.tanh(20.0 * load / load.std(axis=0))
    return described, real, Log(
        t=t, q=ENCODER * np.round(read / ENCODER), tau=step * np.round(tau / step),
        joint_names=described.joint_names,
    )  # fmt: skip


def _varied(joint: Joint, rng: np.random.Generator) -> Joint:
    """The joint with another mass, and its centre within 2 cm of the described one."""
    factor = float(rng.uniform(0.5, 1.5))
    com = np.array(joint.com) + rng.uniform(-0.02, 0.02, 3) / np.sqrt(3.0)
    inertia = tuple(factor * x for x in joint.inertia)
    return replace(joint, mass=factor * joint.mass, com=tuple(com.tolist()), inertia=inertia)


def motion(
    arm: Arm, t: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Moves of fifth order between random poses, and pauses; the last are the pauses' numbers.

    A number of 0 is a move.
    """
    lower, upper = (np.array([getattr(j, x) for j in arm.robot.joints]) for x in ("lower", "upper"))
    middle, half = 0.5 * (lower + upper), 0.5 * np.minimum(upper - lower, 2.5)
    q, v, a = np.zeros((3, len(t), arm.n))
    resting = np.zeros(len(t), dtype=int)
    here, start, pause = middle + half * rng.uniform(-1, 1, arm.n), 0.0, 0
    while start < t[-1]:
        there = middle + half * rng.uniform(-1, 1, arm.n)
        # at most 1 to 2 rad/s
        span = 1.875 * float(np.abs(there - here).max()) / float(rng.uniform(1.0, 2.0))
        at = (t >= start) & (t < start + span)
        u, off = ((t[at] - start) / span)[:, None], there - here
        q[at] = here + off * (10 * u**3 - 15 * u**4 + 6 * u**5)
        v[at] = off * (30 * u**2 - 60 * u**3 + 30 * u**4) / span
        a[at] = off * (60 * u - 180 * u**2 + 120 * u**3) / span**2
        start, here, pause = start + span, there, pause + 1
        rest = float(rng.uniform(0.3, 2.0))
        still = (t >= start) & (t < start + rest)
        q[still], resting[still] = here, pause
        start += rest
    return q, v, a, resting


def friction(
    stall: float, qd: np.ndarray, resting: np.ndarray, load: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Friction of geared servos; in a pause it is anywhere within the band of stiction."""
    n = qd.shape[1]
    coulomb = stall * rng.uniform(0.02, 0.06, n)
    viscous = stall * rng.uniform(0.01, 0.04, n)  # [N m s/rad]
    more = coulomb * rng.uniform(0.2, 0.6, n)  # static over Coulomb friction
    speed = rng.uniform(0.03, 0.1, n)  # [rad/s]
    loaded = rng.uniform(0.0, 0.15, n)
    static = coulomb + more + loaded * np.abs(load)
    dry = coulomb + loaded * np.abs(load) + more / (1.0 + (qd / speed) ** 2)
    held = rng.uniform(-1.0, 1.0, (resting.max() + 1, n))
    return np.where(resting[:, None] > 0, held[resting] * static, dry * np.sign(qd) + viscous * qd)


def judged(seed: int) -> dict[str, Any]:
    """Identify an arm, and compare its gravity with the truth."""
    start = time.perf_counter()
    described, real, log = make(seed)
    told: dict[str, Any] = {"seed": seed, "joints": described.n}
    try:
        result = armdyn.identify(described, log)
    except armdyn.ArmdynError as error:
        return {**told, "refused": str(error), "verdict": "not passed", "gravity": None,
                "errors": [], "described": [], "seconds": time.perf_counter() - start}  # fmt: skip
    q = result.box.states(STATES, seed=1)[0]
    return {
        **told,
        "verdict": result.verdict, "gravity": gravity_verdict(result),
        "errors": errors(result.arm, real, q).tolist(),
        "described": errors(described, real, q).tolist(),
        "seconds": time.perf_counter() - start,
    }  # fmt: skip


def errors(arm: Arm, real: Arm, q: np.ndarray) -> np.ndarray:
    """The relative error of every joint's torque of gravity."""
    true = real.gravity(q)
    size = np.sqrt(np.mean(true**2, axis=0))
    off = np.sqrt(np.mean((arm.gravity(q) - true) ** 2, axis=0))
    return off / np.maximum(size, 0.1 * size.max())


def gravity_verdict(result: Result) -> str | None:
    """What the result says of its gravity; None if it says nothing of it."""
    gravity = getattr(result, "gravity", None)
    told = getattr(result, "gravity_verdict", getattr(gravity, "verdict", gravity))
    return None if told is None else str(told)


def table(arms: list[dict[str, Any]]) -> str:
    """Return the shares of arms and joints within the bounds, and the verdicts, as text."""
    known = [a for a in arms if "refused" not in a]
    each = [x for a in known for x in a["errors"]]
    worst = [max(a["errors"]) if a["errors"] else np.inf for a in arms]
    before = [max(a["described"]) if a["described"] else np.inf for a in arms]
    lines = [f"{len(arms)} arms, {len(arms) - len(known)} refused"]
    for name, found in (
        ("arms, worst joint", worst), ("joints", each), ("arms as described", before),
    ):  # fmt: skip
        shares = ", ".join(
            f"within {bound:.0%}: {np.mean(np.array(found) <= bound):.0%}"
            for bound in (CLOSE, FAIR)
        )
        lines.append(f"{name:18} {shares}, median {np.median(found):.1%}")
    for what in ("verdict", "gravity"):
        told = Counter(
            (a[what], "within 5 %" if x <= CLOSE else "within 15 %" if x <= FAIR else "worse")
            for a, x in zip(arms, worst, strict=True) if a[what] is not None
        )  # fmt: skip
        lines += [
            f"{what} {answer}, {how}: {count}" for (answer, how), count in sorted(told.items())
        ]
    return "\n".join(lines)


def main() -> None:
    """Identify the arms and print the shares."""
    parser = argparse.ArgumentParser(description="Gravity of low-cost arms.")
    parser.add_argument("--arms", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, default=None)
    asked = parser.parse_args()
    done: list[dict[str, Any]] = []
    for seed in range(asked.seed, asked.seed + asked.arms):
        told = judged(seed)
        done.append(told)
        each = " ".join(f"{100 * x:.1f}" for x in told["errors"]) or told["refused"]
        print(
            f"{len(done)}: arm {seed}, {told['verdict']}, {each} %, {told['seconds']:.1f} s",
            file=sys.stderr, flush=True,
        )  # fmt: skip
    if asked.json:
        asked.json.write_text(json.dumps(done))
    print(table(done))


if __name__ == "__main__":
    main()
