"""A million samples of a 7-axis arm: time and memory, beside Pinocchio's regressor in a loop.

    python benchmarks/identify.py [SAMPLES]

Times are processor seconds of one process, both sides measured in the same run.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
import pinocchio as pin
from armdyn.identification.fit.segments import FilteredSegment, Rows

import armdyn
from armdyn.arm.pinocchio import pinocchio_model
from armdyn.identification.fit.columns import Model, friction_columns
from armdyn.identification.fit.fit import factors_of
from armdyn.identification.signals.decimation import decimation_filter
from arms import arm_named

LOOP = 50_000
RATE = 1000.0


def motion(t: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    w = 2 * np.pi * 0.1 * np.arange(1, 6)
    a, b = 0.4 * rng.normal(size=(2, 5, n))
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    return s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b


def record(arm: armdyn.Arm, samples: int) -> tuple[armdyn.Log, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    t = np.arange(samples) / RATE
    q, qd, qdd, tau = (np.empty((samples, arm.n)) for _ in range(4))
    for a in range(0, samples, 50_000):
        at = slice(a, a + 50_000)
        q[at], qd[at], qdd[at] = motion(t[at], arm.n)
        tau[at] = arm.inverse_dynamics(q[at], qd[at], qdd[at])
        tau[at] += 0.2 * rng.normal(size=tau[at].shape)
    return armdyn.Log(t=t, q=q, tau=tau, joint_names=arm.joint_names), qd, qdd


def pinocchio_loop(arm: armdyn.Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
    """Seconds a sample; the rows are stored, as a regression needs them."""
    model = pinocchio_model(arm.robot)
    data = model.createData()
    kept = np.zeros((1000, arm.n, 10 * arm.n))
    begin = time.process_time()
    for k in range(len(q)):
        kept[k % 1000] = pin.computeJointTorqueRegressor(model, data, q[k], qd[k], qdd[k])
    return (time.process_time() - begin) / len(q)


def core(arm: armdyn.Arm, log: armdyn.Log, qd: np.ndarray, qdd: np.ndarray) -> float:
    """Seconds a sample for regressor, filter and R factors."""
    model = Model(arm, arm.minimal, friction_columns(arm), known_rotors=np.zeros(arm.n))
    assert log.tau is not None
    part = FilteredSegment(0, log.t, log.q, qd, qdd, log.tau, decimation_filter(RATE, 3.0))
    begin = time.process_time()
    kept = [np.ones((len(part.centres), arm.n), bool)]
    factors_of(Rows(model, [part]), [part.filtered(part.tau)], kept, lambda step, share: None)
    return (time.process_time() - begin) / len(log)


def whole(arm: armdyn.Arm, log: armdyn.Log, physical: bool) -> float:
    """Seconds a sample from a log in memory to the result, 30 % held out."""
    begin = time.process_time()
    armdyn.identify(arm, log, physical=physical)
    return (time.process_time() - begin) / len(log)


def main() -> None:
    samples = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    arm = arm_named("panda")
    armdyn.identify(arm, record(arm, 20_000)[0])  # compiles
    log, qd, qdd = record(arm, samples)
    loop = pinocchio_loop(arm, log.q[:LOOP], qd[:LOOP], qdd[:LOOP])
    print(f"Pinocchio's regressor in a loop: {loop * 1e6:.2f} us a sample")
    measured = {"regressor, filter and R factors": core(arm, log, qd, qdd)}
    del qd, qdd
    measured["all of identify, physical=False"] = whole(arm, log, False)
    measured["all of identify"] = whole(arm, log, True)
    for name, ours in measured.items():
        print(f"{name}: {ours * 1e6:.2f} us a sample, {loop / ours:.1f}x faster")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"most memory: {peak:.2f} GB")


if __name__ == "__main__":
    main()
