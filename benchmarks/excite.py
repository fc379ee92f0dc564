"""How long `excite` takes to keep clear of a table, how clear it is and what it costs.

    python benchmarks/excite.py [SEED ...]

UR5 and Panda of the package example-robot-data stand on a floor at the height of their base.
Seconds are of a machine that does nothing else. Information is per parameter: exp of the
difference of the log determinants, divided by the number of parameters.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import armdyn
from arms import arm_named

ROBOTS = {"UR5": "ur5", "Panda": "panda"}


def main(seeds: list[int]) -> None:
    """Print a row for every robot and seed."""
    print("robot  seed  clearance [mm]  information  seconds  of processor")
    for name, robot in ROBOTS.items():
        arm = arm_named(robot)
        for seed in seeds:
            wall, cpu = time.perf_counter(), time.process_time()
            motion = armdyn.excite(arm, 20.0, floor=0.0, seed=seed)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            free = armdyn.excite(arm, 20.0, seed=seed)
            share = np.exp((motion.log_det - free.log_det) / len(motion.names))
            print(
                f"{name:6} {seed:4} {1e3 * motion.clearance:15.2f} {share:12.3f} {wall:8.1f} "
                f"{cpu:13.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [0])
