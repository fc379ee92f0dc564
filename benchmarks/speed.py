"""Time compiled functions against Pinocchio called from Python in the same run; print ratios.

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


def measure(arm: armdyn.Arm) -> None:
    """Print one line for each quantity: Pinocchio's time over armdyn's."""
    model = pinocchio_model(arm.robot)
    data = model.createData()
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, BATCH, arm.n))
    jobs = {
        "mass_matrix": ((q,), lambda k: pin.crba(model, data, q[k])),
        "inverse_dynamics": ((q, qd, qdd), lambda k: pin.rnea(model, data, q[k], qd[k], qdd[k])),
        "forward_dynamics": ((q, qd, qdd), lambda k: pin.aba(model, data, q[k], qd[k], qdd[k])),
        "regressor": (
            (q, qd, qdd),
            lambda k: pin.computeJointTorqueRegressor(model, data, q[k], qd[k], qdd[k]),
        ),
    }
    for kind, (states, theirs) in jobs.items():
        f = arm.function(kind, friction=False)
        out = np.empty(np.shape(f(*states)))  # compiles, and leaves page faults out
        single = [x[0] for x in states]
        peer = best(lambda t=theirs: t(0), 200)
        one = best(lambda f=f, s=single: f(*s), 200)
        batch = best(lambda f=f, s=states, o=out: f(*s, out=o, threads=1)) / BATCH
        print(f"{arm.name:18}{kind:20}{peer / one:12.2f}x{peer / batch:20.1f}x")


def main() -> None:
    print(f"Times faster than Pinocchio {pin.__version__} called from Python, one core")
    print(f"{'arm':18}{'quantity':20}{'one state':>13}{f'batch of {BATCH}':>21}")
    for arm in (
        armdyn.load("puma560"),
        armdyn.Arm(armdyn.generic(6)),
        armdyn.Arm(armdyn.generic(7)),
    ):
        measure(arm)


if __name__ == "__main__":
    main()
