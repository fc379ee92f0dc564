"""Times of the regressor of adaptive control beside those of the ordinary one, in one run.

    python benchmarks/tracking.py

The two take turns, so that what else runs on the machine slows both; the shortest times count.
"""

from __future__ import annotations

import numpy as np

from arms import arm_named
from timing import Job, best_times

ARMS = ("planar3", "puma560", "ur5", "panda", "generic6")
# States of a batch: results of this size stay in the nearer caches.
BATCH = 64
ROUNDS = 60
MOST = 1.3


def main() -> None:
    """Print the ratios."""
    rng, worst = np.random.default_rng(0), 0.0
    print(f"{'arm':10} {'one state':>10} {'batch':>10}   (tracking / ordinary, at most {MOST})")
    for name in ARMS:
        base = arm_named(name).minimal
        tracking, ordinary = base.tracking_regressor, base.regressor
        ratios: list[float] = []
        for shape in ((base.n,), (BATCH, base.n)):
            x = list(rng.normal(size=(4, *shape)))
            count = 1 if len(shape) == 1 else BATCH
            jobs = {"tracking": Job(tracking, x, count), "ordinary": Job(ordinary, x[:3], count)}
            times = best_times(jobs, 0.0, ROUNDS)
            ratios.append(times["tracking"] / times["ordinary"])
        worst = max(worst, *ratios)
        print(f"{name:10} {ratios[0]:10.2f} {ratios[1]:10.2f}")
    print(f"largest: {worst:.2f}")


if __name__ == "__main__":
    main()
