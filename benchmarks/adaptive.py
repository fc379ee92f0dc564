"""Adaptive control of arms with wrong parameters, beside computed torque with the same ones.

    python benchmarks/adaptive.py [SEEDS]

Of the PUMA and the Panda, for several wrong models and motions (3 if left out): the error in the
last of 20 s as a share of that of computed torque, which should be below 10 %; the time from which
it stays below; the error of torques elsewhere, at the start and in the end; and the least definite
link at any time, which is positive if all links can exist.
"""

from __future__ import annotations

import sys

import numpy as np

from armdyn_papers.studies.adaptive import BAR, DURATION, FIXED, FREE, PHYSICAL, run_adaptive
from arms import arm_named

ARMS = ("puma560", "panda")


def main(seeds: int) -> None:
    """Print the table."""
    print(f"{'arm':8} {'seed':>4} {'law':9} {'share':>7} {'below':>6} {'torques':>16} {'least':>8}")
    worst = 0.0
    for name in ARMS:
        arm = arm_named(name)
        for seed in range(seeds):
            study = run_adaptive(None, arm, seed)
            fixed = study.runs[FIXED]
            for law, key in (("physical", PHYSICAL), ("free", FREE)):
                run = study.runs[key]
                ends = np.arange(1.0, DURATION + 1.0)
                shares = np.array([run.rms(end) / fixed.rms(end) for end in ends])
                late = np.flatnonzero(shares >= BAR)
                since = 0.0 if not len(late) else float(ends[late[-1]])
                worst = max(worst, float(shares[-1]))
                first, last = run.torque_error[0], run.torque_error[-1]
                print(
                    f"{name:8} {seed:4} {law:9} {shares[-1]:7.2%} {since:4.0f} s "
                    f"{first:7.1%} {last:7.2%}  {run.least or 0.0:8.1e}",
                    flush=True,
                )
    print(f"largest share: {worst:.2%}, at most {BAR:.0%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 3)
