"""Memory of a process that computes with many different arms, each of which it drops.

    ARMDYN_CACHE=off python benchmarks/memory.py --arms 10000

Each arm has two joints, numbers and a structure of its own, and calls two functions. The resident
memory must level off: caches in memory have a bound in bytes (docs/batches.md).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

import armdyn

PAIRS = ((0, 1), (0, 2), (2, 0), (1, 0))
QUANTITIES = {"gravity": "second_moment", "mass_matrix": "split"}


def resident_megabytes() -> float:
    """Return the memory that this process occupies, as Linux tells."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def use(seed: int) -> None:
    """Call two functions of an arm that no other seed has."""
    robot = armdyn.generic(3, type=2, seed=seed)  # the last joint slides
    joints = [robot.joints[k] for k in PAIRS[seed % len(PAIRS)]]
    arm = armdyn.Arm(armdyn.Robot(joints, gravity=robot.gravity))
    for quantity, method in QUANTITIES.items():
        assert np.isfinite(arm.function(quantity, method)(np.full(2, 0.1))).all()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=10_000)
    parser.add_argument("--every", type=int, default=1000, help="arms between two lines")
    told = parser.parse_args()
    begin = time.process_time()
    for seed in range(told.arms):
        use(seed)
        if (seed + 1) % told.every == 0:
            seconds = time.process_time() - begin
            print(f"{seed + 1:6d} arms {resident_megabytes():8.1f} MB {seconds:7.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
