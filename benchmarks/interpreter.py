"""Time the interpreted programs against Pinocchio in the same run; print ratios.

Absolute times depend on the machine and on who else uses it; a ratio of two times taken in turn is
stable to some ten percent. Best of several rounds on both sides.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pinocchio as pin

import armdyn
from armdyn.report._pinocchio import pinocchio_model

ROUNDS = 7
BATCH = 20_000


def best(f: Callable[[], object], repeat: int = 1) -> float:
    """Seconds of one call, the best of the rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(repeat):
            f()
        times.append((time.perf_counter() - start) / repeat)
    return min(times)


def main() -> None:
    arm = armdyn.load("puma560")
    model = pinocchio_model(arm.robot)
    data = model.createData()
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, BATCH, arm.n))
    jobs = {
        "mass_matrix": (
            lambda k: arm.mass_matrix(q[k]),
            lambda k: pin.crba(model, data, q[k]),
        ),
        "inverse_dynamics": (
            lambda k: arm.inverse_dynamics(q[k], qd[k], qdd[k]),
            lambda k: pin.rnea(model, data, q[k], qd[k], qdd[k]),
        ),
        "forward_dynamics": (
            lambda k: arm.forward_dynamics(q[k], qd[k], qdd[k]),
            lambda k: pin.aba(model, data, q[k], qd[k], qdd[k]),
        ),
    }
    print(f"{arm.name}, armdyn interpreted / Pinocchio {pin.__version__} called from Python")
    print(f"{'quantity':18}{'one state':>12}{'batch, per state':>20}")
    for kind, (ours, theirs) in jobs.items():
        ours(0)  # trace and choose before timing
        one_ours, one_theirs = best(lambda f=ours: f(0), 50), best(lambda f=theirs: f(0), 200)
        batch = best(lambda f=ours: f(slice(None))) / BATCH
        print(f"{kind:18}{one_ours / one_theirs:11.1f}x{batch / one_theirs:19.2f}x")


if __name__ == "__main__":
    main()
