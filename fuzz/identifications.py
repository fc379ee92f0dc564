"""Identification from odd logs of small arms: constant, saturated, jittered, tiny, in wrong units.

It is refused, or every number of the result is finite.
"""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import armdyn
from armdyn import Arm, Log
from fuzz._finding import check
from support.identification import recorded

ODDITIES = (
    "one joint at rest", "all at rest", "at zero", "no torque", "one torque zero",
    "constant torque",
    "torque in mNm", "torque reversed", "tiny torque", "huge torque", "degrees", "jitter", "gap",
    "rows twice", "saturated", "quantised", "spikes", "noise", "late", "slow clock", "fast clock",
    "few rows",
    "half at rest", "torques swapped", "positions swapped", "huge positions", "no noise", "steps",
    "epoch",
    "velocities zero", "velocities wrong", "one row", "two rows", "float noise",
)  # fmt: skip


@dataclass
class Case:
    """An arm, what is odd about its log, and options."""

    arm: str
    what: str
    oddities: list[str]
    rows: int
    rate: float
    options: dict[str, Any]
    seed: int


@cache
def arm_of(name: str) -> Arm:
    """Return a bundled arm, or one that slides."""
    if name == "slide":
        return Arm(armdyn.Robot([
            armdyn.Joint(kind="prismatic", mass=2.0, viscous=3.0, coulomb=1.0),
            armdyn.Joint(beta=math.pi / 2, mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0, 0, 0.02,
            0, 0.02)),
        ]))  # fmt: skip
    return armdyn.load(name)


def case(rng: random.Random, target: str) -> Case:
    """Draw a log."""
    options: dict[str, Any] = {"physical": rng.random() < 0.4}
    for key, values in {
        "friction": ["auto", True, False, ["viscous"]], "rotor": ["auto", True, False],
        "holdout": [0.0, 0.3, 0.9],
        "robust": [True, False], "tilt": ["auto", False], "delay": ["auto", 0.0], "trim": [None, 0],
        "cutoff": [None, 2.0, 10.0], "prior": [None, 1.0], "decimate": [None, 1],
    }.items():  # fmt: skip
        if rng.random() < 0.3:
            options[key] = rng.choice(values)
    what = rng.choices(["identify", "observe", "payload"], [8, 1, 1])[0]
    name = rng.choice(["planar2", "slide", "planar2", "slide", "ascher2", "planar3"])
    return Case(name, what, rng.sample(ODDITIES, rng.choice([0, 1, 1, 2, 3])), rng.choice([60,
    150, 300]),
                rng.choice([20.0, 50.0, 100.0]), options, rng.getrandbits(32))  # fmt: skip


def log_of(case: Case) -> Log:
    """Return the log of a case."""
    arm, numbers = arm_of(case.arm), np.random.default_rng(case.seed)
    noise = 0.0 if "no noise" in case.oddities else 0.02
    log = recorded(arm, duration=case.rows / case.rate, rate=case.rate, seed=case.seed % 1000,
    noise=noise,
                   encoder=noise * 1e-4)  # fmt: skip
    t, q, tau = log.t.copy(), log.q.copy(), np.asarray(log.tau).copy()
    qd = np.gradient(q, t, axis=0) if len(t) > 1 and case.seed % 3 == 0 else None
    j, n = int(numbers.integers(arm.n)), len(t)
    for odd in case.oddities:
        match odd:
            case "one joint at rest":
                q[:, j] = q[0, j]
            case "all at rest":
                q[:] = q[0]
            case "at zero":
                q[:, j] = 0.0
            case "no torque":
                tau[:] = 0.0
            case "one torque zero":
                tau[:, j] = 0.0
            case "constant torque":
                tau[:, j] = 5.0
            case "torque in mNm":
                tau *= 1000
            case "torque reversed":
                tau *= -1
            case "tiny torque":
                tau *= 1e-12
            case "huge torque":
                tau *= 1e150
            case "degrees":
                q *= 180 / np.pi
            case "jitter":
                t = t + numbers.uniform(-0.3, 0.3, n) / case.rate
            case "gap":
                t[n // 2 :] += 100.0
            case "rows twice":
                q[1::2] = q[: len(q[1::2]) * 2 : 2]
            case "saturated":
                tau = np.clip(tau, -1, 1)
            case "quantised":
                q, tau = np.round(q, 1), np.round(tau)
            case "spikes":
                tau[:: max(n // 7, 1), j] += 1e4
            case "noise":
                q, tau = q + numbers.normal(size=q.shape), numbers.normal(size=q.shape)
            case "late":
                tau = np.roll(tau, n // 4, axis=0)
            case "slow clock":
                t = t * 1e4
            case "fast clock":
                t = t * 1e-6
            case "few rows" | "one row" | "two rows":
                k = {"one row": 1, "two rows": 2}.get(odd, 12)
                t, q, tau, n = t[:k], q[:k], tau[:k], min(k, n)
                qd = None if qd is None else qd[:k]
            case "half at rest":
                q[n // 2 :] = q[n // 2]
            case "torques swapped":
                tau = tau[:, ::-1]
            case "positions swapped":
                q = q[:, ::-1]
            case "huge positions":
                q = q + 1e6
            case "steps":
                q = np.where(np.arange(n)[:, None] % 20 < 10, 0.3, -0.3) + 0 * q
            case "epoch":
                t = t + 1.7e9
            case "velocities zero" | "velocities wrong":
                qd = 0 * q if odd == "velocities zero" else -30 * q
            case "float noise":
                q = q[:1] + 1e-15 * numbers.normal(size=q.shape)
    return Log(t=t, q=q, qd=qd, tau=tau, joint_names=arm.joint_names)


def run(case: Case) -> None:
    """Identify from a log."""
    arm, log = arm_of(case.arm), log_of(case)
    if case.what == "observe":
        seen = armdyn.MomentumObserver(arm, threshold=1.0).run(log)
        check(np.isfinite(seen.residual).all(), "torques from outside are not finite")
        return
    if case.what == "payload":
        load = armdyn.identify_payload(arm, log)
        json.dumps(load.to_dict(), allow_nan=False)
        check(load.summary(), "no summary")
        return
    result = armdyn.identify(arm, log, **case.options)
    check(np.isfinite(result.values).all(), "values are not finite")
    check(
        np.isfinite(result.predict(log.q, 0 * log.q, 0 * log.q)).all(), "predictions are not finite"
    )
    check(not np.isinf(result.torque_error).any(), f"torque_error is {result.torque_error}")
    check(result.summary(), "no summary")
    json.dumps(result.to_dict(), allow_nan=False)
    alone = replace(result.arm.robot)  # what was found is a robot
    check(alone.n == arm.n, "another arm")
