"""How long `excite` takes to keep clear of a table, how clear it is and what it costs.

    python benchmarks/excite.py [SEED ...]

UR5 and Panda of the package example-robot-data stand on a floor at the height of their base.
Seconds are of a machine that does nothing else. Information is per parameter: exp of the
difference of the log determinants, divided by the number of parameters.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import armdyn

ROBOTS = {
    "UR5": ("ur_description/urdf/ur5_robot.urdf", None),
    "Panda": ("panda_description/urdf/panda.urdf", "panda_link8"),
}


def found(name: str) -> Path:
    """Return a file of example-robot-data."""
    for folder in sys.path:
        path = Path(folder, "cmeel.prefix/share/example-robot-data/robots", name)
        if path.is_file():
            return path
    sys.exit("example-robot-data is not installed")


def main(seeds: list[int]) -> None:
    """Print a row for every robot and seed."""
    print("robot  seed  clearance [mm]  information  seconds  of processor")
    for name, (file, tip) in ROBOTS.items():
        arm = armdyn.load(found(file), tip=tip)
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
